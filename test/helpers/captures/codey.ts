// Plays captures of Codey's server to the client: each file gives one stream.
import { pathToFileURL } from "node:url";
import { toUniversal } from "agentwire/codey";
import type { UniversalEvent, UniversalStream } from "agentwire/universal";
import { playCapture } from "../../codey/support/capture-player.ts";
import { allOf } from "../../universal/all-of.ts";
import { goldenOptions } from "../../universal/golden-options.ts";

export async function playCodey(file: string): Promise<readonly (readonly UniversalEvent[])[]> {
  let stream: UniversalStream | undefined;
  await playCapture(pathToFileURL(file), (client) => {
    stream = toUniversal(client, goldenOptions());
  });
  return stream ? [await allOf(stream)] : [];
}
