import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { workerData } from "node:worker_threads";

export interface SwapperData {
  readonly root: string;
  readonly outside: string;
  /** `made`: a folder that the door makes folders in. */
  readonly what: "folders" | "file" | "made";
  /** How often the thread swapped. */
  readonly swaps: Int32Array;
  /** 1: the thread must stop. */
  readonly stop: Int32Array;
}

const { root, outside, what, swaps, stop } = workerData as SwapperData;
const at = (path: string) => join(root, path);

let moved = 0;

/** Does something at a path. What the door has put there in the meantime is moved away first. */
function insist(path: string, work: () => void): void {
  for (let isDone = false, isTaken = false; !isDone; ) {
    try {
      if (isTaken) renameSync(path, at(`moved-${moved++}`));
      work();
      isDone = true;
    } catch {
      // The door may also delete what it has put there.
      isTaken = existsSync(path);
    }
  }
}

const swap = {
  folders() {
    for (const folder of ["a", "a/b"]) {
      renameSync(at(folder), at("away"));
      insist(at(folder), () => symlinkSync(outside, at(folder)));
      unlinkSync(at(folder));
      insist(at(folder), () => renameSync(at("away"), at(folder)));
    }
  },
  file() {
    insist(at("file.txt"), () => symlinkSync(join(outside, "secret.txt"), at("file.txt")));
    rmSync(at("file.txt"), { force: true });
    insist(at("file.txt"), () => writeFileSync(at("file.txt"), "inside", { flag: "wx" }));
  },
  made() {
    // The door may be filling the folder: it is moved away as it is.
    renameSync(at("made"), at(`moved-${moved++}`));
    insist(at("made"), () => symlinkSync(outside, at("made")));
    unlinkSync(at("made"));
    insist(at("made"), () => mkdirSync(at("made")));
  },
}[what];

// Puts links to the outside in the place of folders and files, and back, as fast as it can.
while (Atomics.load(stop, 0) === 0) {
  swap();
  Atomics.add(swaps, 0, 1);
}
