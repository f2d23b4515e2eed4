// Plays captures of ACP agents to the client: each session gives a stream.
import { readFile } from "node:fs/promises";
import type { UniversalEvent } from "agentwire/universal";
import { readCapture, replay } from "../../acp/support/replay.ts";
import { goldenOptions } from "../../universal/golden-options.ts";
import { bySession } from "./steady.ts";

export async function playAcp(file: string): Promise<readonly (readonly UniversalEvent[])[]> {
  const { events, unhandled } = await replay(readCapture(await readFile(file, "utf8")), goldenOptions());
  if (unhandled.length > 0) throw unhandled[0];
  return bySession(events);
}
