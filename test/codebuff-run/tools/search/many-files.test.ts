import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { share } from "../../../helpers/runs.ts";
import { ENGINES, type SearchWorld, searchWorld } from "./world.ts";

/** More than the limit of 10,000. */
const FILES = share(50_000);
const PER_FOLDER = 100;
/** ms; no machine is too slow for it. */
const NO_LIMIT = 600_000;
/** Bytes of the heap that a walk may hold, whatever the number of files. Their names alone would take more. */
const MAX_HEAP = 16_000_000;
/** Bytes outside of the heap: files that are read at once, and those that Node has not freed yet. */
const MAX_BUFFERS = 160_000_000;

async function manyFiles(): Promise<SearchWorld> {
  const world = await searchWorld({});
  for (let folder = 0; folder < FILES / PER_FOLDER; folder++) {
    const path = join(world.root, `d${folder % 10}`, `e${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < PER_FOLDER; file++) writeFileSync(join(path, `f${file}.ts`), "export {};\n");
  }
  writeFileSync(join(world.root, "z.ts"), "the needle\n");
  return world;
}

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

interface Watched<T> {
  readonly result: T;
  /** The most that was held, in bytes, without garbage of the heap. */
  readonly heap: number;
  readonly buffers: number;
}

async function watch<T>(run: () => Promise<T>): Promise<Watched<T>> {
  collect();
  const before = process.memoryUsage();
  let [heap, buffers] = [0, 0];
  const timer = setInterval(() => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    heap = Math.max(heap, heapUsed - before.heapUsed);
    buffers = Math.max(buffers, external - before.external);
  }, 1_000);
  try {
    const result = await run();
    return { result, heap, buffers };
  } finally {
    clearInterval(timer);
  }
}

test(`${FILES} files are searched in bounded memory, and the search can be cancelled`, async () => {
  await using world = await manyFiles();
  const expectBounded = ({ heap, buffers }: Watched<unknown>): void => {
    expect(heap).toBeLessThan(MAX_HEAP);
    expect(buffers).toBeLessThan(MAX_BUFFERS);
  };
  for (const { name, options } of ENGINES) {
    // The worker reads each file through the door: a tenth of them is enough.
    const cwd = name === "ripgrep" ? "" : "d0";
    const watched = await watch(() => world.search({ cwd }, { ...options, timeLimitMs: NO_LIMIT }));
    expect(watched.result).toMatchObject(
      cwd === "" ? { stdout: "./z.ts:\n1:the needle" } : { stdout: "No results" },
    );
    expectBounded(watched);
    const all = await world.search({ pattern: "export" }, { ...options, timeLimitMs: NO_LIMIT });
    expect(all).toMatchObject({ message: "Stopped early after 250 match(es)." });
  }
  const walked = await watch(() => world.glob({ pattern: "**/z.ts" }, { timeLimitMs: NO_LIMIT }));
  expect(walked.result).toMatchObject({ files: ["z.ts"] });
  expectBounded(walked);
  const all = await world.glob({ pattern: "**/*.ts" }, { timeLimitMs: NO_LIMIT });
  expect(all).toMatchObject({
    count: 10_000,
    message: expect.stringContaining("this is the limit of 10000"),
  });

  const runs = [
    ...ENGINES.map(
      ({ options }) =>
        (signal: AbortSignal) =>
          world.search({}, options, signal),
    ),
    (signal: AbortSignal) => world.glob({ pattern: "**/z.ts" }, {}, signal),
  ];
  for (const run of runs) {
    const controller = new AbortController();
    let calls = 0;
    const readFolder = world.door.readFolder.bind(world.door);
    world.door.readFolder = (...args) => {
      if (++calls === 20) controller.abort();
      return readFolder(...args);
    };
    const running = run(controller.signal);
    if (run === runs[0]) controller.abort(); // ripgrep walks by itself
    expect(await running).toEqual({ errorMessage: "The search was cancelled." });
    expect(calls).toBeLessThan(25);
    world.door.readFolder = readFolder;
  }
}, 900_000);
