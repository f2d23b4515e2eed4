import { rmSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TempFolder extends AsyncDisposable {
  readonly path: string;
}

/** An empty folder that is removed, with all it holds, when `await using` leaves it. */
export async function tempFolder(): Promise<TempFolder> {
  // The real path: where the temporary folder is a link, a compiler and this code must name files alike.
  const path = await realpath(await mkdtemp(join(tmpdir(), "agentwire-")));
  const options = { recursive: true, force: true, maxRetries: 3 };
  // For an end without disposal: a signal, or an exit in the middle.
  const removeNow = () => rmSync(path, options);
  process.once("exit", removeNow);
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      process.off("exit", removeNow);
      await rm(path, options);
    },
  };
}
