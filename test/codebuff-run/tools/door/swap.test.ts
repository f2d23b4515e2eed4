import { mkdirSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { Refusal } from "../../../../src/codebuff-run/tools/door/refusal.ts";
import type { SwapperData } from "./swapper.ts";
import { CANARY, type DoorWorld, doorWorld, readText } from "./world.ts";

/** Each of: swaps, uses that worked, uses that were refused. */
const AT_LEAST = Number(process.env["AGENTWIRE_SWAPS"] ?? 30);

interface Use {
  readonly title: string;
  readonly what: SwapperData["what"];
  readonly use: (world: DoorWorld, index: number) => Promise<unknown>;
}

const inside = Buffer.from("inside");

const USES: readonly Use[] = [
  {
    title: "reads a file in swapped folders",
    what: "folders",
    use: ({ door }) => readText(door, "a/b/file.txt"),
  },
  { title: "reads a swapped file", what: "file", use: ({ door }) => readText(door, "file.txt") },
  {
    title: "lists swapped folders",
    what: "folders",
    use: ({ door }) => door.readFolder("a/b", { maxEntries: 100 }),
  },
  {
    title: "makes and deletes a file in swapped folders",
    what: "folders",
    async use({ door }, index) {
      const replaces = await door.writeFile(`a/b/${index}.txt`, inside, { replaces: undefined });
      await door.removeFile(`a/b/${index}.txt`, { replaces });
    },
  },
  {
    title: "replaces a swapped file",
    what: "file",
    async use({ door }) {
      const { stamp } = await door.readFile("file.txt", { maxBytes: 99 });
      // The thread changes the file in the time of most writes.
      await door.writeFile("file.txt", inside, { replaces: stamp }).catch(throwOthers);
    },
  },
  {
    title: "deletes a swapped file",
    what: "file",
    use: ({ door }) => door.removeFile("file.txt"),
  },
  {
    title: "makes folders where a folder is swapped",
    what: "made",
    use: ({ door }, index) => door.writeFile(`made/${index}/deep/file.txt`, inside, { replaces: undefined }),
  },
  {
    title: "opens swapped folders",
    what: "folders",
    async use({ door, root }) {
      const folder = await door.openFolder("a/b");
      const path = readlinkSync(folder.cwd);
      await folder.close();
      if (!path.startsWith(`${root}/`)) throw new Error("The folder is outside.");
    },
  },
];

function throwOthers(error: unknown): void {
  if (!(error instanceof Refusal)) throw error;
}

describe("while a thread swaps folders and files for outside links, file access", () => {
  test.each(USES)("$title, and touches nothing outside", async ({ what, use }) => {
    await using world = await doorWorld({ guard: "handles" });
    world.file("a/b/file.txt", "inside");
    world.file("file.txt", "inside");
    world.file("made/file.txt", "inside");
    // What the door would meet if it followed a link.
    mkdirSync(join(world.outside, "b"));
    for (const path of ["file.txt", "b/file.txt"]) writeFileSync(join(world.outside, path), CANARY);
    await using swapper = startSwapper(world, what);
    const before = world.outsideNow();
    let worked = 0;
    let refused = 0;
    for (let index = 0; swapper.swaps() < AT_LEAST || worked < AT_LEAST || refused < AT_LEAST; index++) {
      try {
        const result = await use(world, index);
        if (typeof result === "string") expect(["", "inside"]).toContain(result);
        if (Array.isArray(result)) expect(result.map(({ name }) => name)).not.toContain("secret.txt");
        worked++;
      } catch (error) {
        throwOthers(error);
        refused++;
      }
      // Refusals take no turn of the event loop, and the thread's error needs one.
      await setImmediate();
    }
    expect(world.outsideNow()).toEqual(before);
  });
});

interface Swapper extends AsyncDisposable {
  /** Swaps so far. @throws the error of the thread */
  swaps(): number;
}

function startSwapper({ root, outside }: DoorWorld, what: SwapperData["what"]): Swapper {
  const swaps = new Int32Array(new SharedArrayBuffer(4));
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const workerData: SwapperData = { root, outside, what, swaps, stop };
  const worker = new Worker(new URL("./swapper.ts", import.meta.url), { workerData });
  const exit = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  let failure: Error | undefined;
  worker.once("error", (error: Error) => {
    failure = error;
  });
  return {
    swaps() {
      if (failure) throw failure;
      return Atomics.load(swaps, 0);
    },
    async [Symbol.asyncDispose]() {
      Atomics.store(stop, 0, 1);
      await exit;
    },
  };
}
