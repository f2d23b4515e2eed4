import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Door } from "../../../../src/codebuff-run/tools/door/door.ts";
import { codeSearch } from "../../../../src/codebuff-run/tools/search/code-search.ts";
import { NO_FLAGS } from "../../../../src/codebuff-run/tools/search/flags.ts";
import { globFiles } from "../../../../src/codebuff-run/tools/search/glob.ts";
import { MatchWorker } from "../../../../src/codebuff-run/tools/search/matching/match-worker.ts";
import { translatePattern } from "../../../../src/codebuff-run/tools/search/matching/pattern.ts";
import { ManualClock } from "../../../../src/testing/manual-clock.ts";
import { ENGINES, type SearchWorld, searchWorld } from "./world.ts";

const isLinux = process.platform === "linux";

/** What this process has open: files and pipes, threads, child processes. */
function open() {
  const children = readdirSync("/proc/self/task").flatMap((task) => {
    try {
      return readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" ").filter(Boolean);
    } catch {
      return []; // the thread has ended since
    }
  });
  return {
    fds: readdirSync("/proc/self/fd").length,
    threads: readdirSync("/proc/self/task").length,
    children: children.length,
  };
}

/** A door that aborts when it is asked for the n-th time. */
function abortingDoor(door: Door, calls: number, controller: AbortController) {
  let left = calls;
  const counted = new Proxy(door, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        if (left-- === 0) controller.abort(new Error("stop"));
        return Reflect.apply(value, target, args);
      };
    },
  });
  return { counted, wasAborted: () => left < 0 };
}

const TREE = { "a.ts": "needle\n", "d/b.ts": "needle\n" };

const TOOLS = [
  ...ENGINES.map(({ name, options }) => ({
    name: `code_search with ${name}`,
    run: (job: Parameters<ReturnType<typeof codeSearch>>[1]) =>
      codeSearch({ ...options, allowFlags: true })(
        { pattern: "needle", flags: "-g *.ts", maxResults: 15 },
        job,
      ),
  })),
  {
    name: "glob",
    run: (job: Parameters<ReturnType<typeof codeSearch>>[1]) => globFiles()({ pattern: "**/*.ts" }, job),
  },
];

describe.runIf(isLinux).each(TOOLS)("$name", ({ run }) => {
  const call = async ({ door }: SearchWorld, abortAt: number) => {
    const controller = new AbortController();
    const { counted, wasAborted } = abortingDoor(door, abortAt, controller);
    const { signal } = controller;
    const job = {
      door: counted,
      changes: { note: () => {}, saw: () => {}, isStale: () => false },
      signal,
      onProgress: () => {},
    };
    return { result: await run(job), wasAborted: wasAborted() };
  };

  test("an abort at any file access ends the search, and leaves no process, thread or open file", async () => {
    await using world = await searchWorld(TREE);
    await call(world, Infinity); // what is loaded once
    const before = open();
    let n = 0;
    for (; ; n++) {
      const { result, wasAborted } = await call(world, n);
      expect(open()).toEqual(before);
      if (!wasAborted) break;
      // The last uses of the door are behind the search.
      if ("errorMessage" in result) expect(result).toEqual({ errorMessage: "The search was cancelled." });
    }
    expect(n).toBeGreaterThan(5);
  });

  test("an already aborted signal starts nothing", async () => {
    await using world = await searchWorld(TREE);
    await call(world, Infinity);
    const before = open();
    const signal = AbortSignal.abort();
    const job = {
      door: world.door,
      changes: { note: () => {}, saw: () => {}, isStale: () => false },
      signal,
      onProgress: () => {},
    };
    expect(await run(job)).toEqual({ errorMessage: "The search was cancelled." });
    expect(open()).toEqual(before);
  });
});

/** A process that was killed still closes its files for a moment. One that was not lives until the test fails. */
async function gone(pids: readonly number[]): Promise<void> {
  while (pids.some(isAlive)) await setImmediate();
}

/** The line of a shell that tells one match in a file. */
const match = (path: string): string => {
  const event = { path: { text: path }, lines: { text: "needle\n" }, line_number: 1 };
  return [
    `printf '%s\\n' '${JSON.stringify({ type: "match", data: event })}'`,
    `printf '%s\\n' '${JSON.stringify({ type: "end", data: { path: { text: path } } })}'`,
  ].join("\n");
};

/** A program in ripgrep's place. It notes which processes it is. */
async function fakeRipgrep({ base }: SearchWorld, script: string) {
  const path = join(base, "rg");
  const pids = join(base, "pids");
  writeFileSync(path, `#!/bin/sh\nexec 3>>${pids}\necho $$ >&3\n${script}`);
  chmodSync(path, 0o755);
  return { path, pids: () => readFileSync(pids, "utf8").trim().split("\n").map(Number) };
}

const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

describe.runIf(isLinux)("a fake ripgrep", () => {
  test("that ignores signals and leaves a child is killed with its child by an abort", async () => {
    await using world = await searchWorld({ "a.ts": "needle\n" });
    const fake = await fakeRipgrep(
      world,
      `trap '' TERM INT\nsleep 1000 &\necho $! >&3\n${match("./a.ts")}\nwait\n`,
    );
    const controller = new AbortController();
    const read = world.door.readFile.bind(world.door);
    world.door.readFile = (...args) => {
      controller.abort(); // it runs: its first match is shown
      return read(...args);
    };
    const result = await world.search({}, { ripgrepPath: fake.path }, controller.signal);
    expect(result).toEqual({ errorMessage: "The search was cancelled." });
    expect(fake.pids()).toHaveLength(2);
    await gone(fake.pids());
  });

  test("that goes silent is stopped by the time limit, and the first matches are returned", async () => {
    await using world = await searchWorld({ "a.ts": "needle\n" });
    const fake = await fakeRipgrep(world, `${match("./a.ts")}\nsleep 1000\n`);
    const clock = new ManualClock();
    const read = world.door.readFile.bind(world.door);
    world.door.readFile = async (...args) => {
      const file = await read(...args);
      void setImmediate().then(() => clock.advance(10_000));
      return file;
    };
    const result = await world.search({}, { ripgrepPath: fake.path, clock });
    expect(result).toEqual({
      errorMessage:
        "Code search timed out after 10 seconds. The search may be too broad or the pattern too complex. Try narrowing your search with more specific flags or a more specific pattern.",
      stdout: "./a.ts:\n1:needle",
    });
    await gone(fake.pids());
  });

  test("that floods its output is stopped once the result is full", async () => {
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`${n}.ts`, "needle\n"]));
    await using world = await searchWorld(files);
    const fake = await fakeRipgrep(
      world,
      `while :; do n=0; while [ $n -lt 300 ]; do ${match("./'$n'.ts")}; n=$((n+1)); done; done\n`,
    );
    expect(await world.search({}, { ripgrepPath: fake.path })).toMatchObject({
      message: "Stopped early after 250 match(es).",
    });
    await gone(fake.pids());
  });

  test("that prints no valid events gives no results", async () => {
    await using world = await searchWorld({ "a.ts": "needle\n" });
    const fake = await fakeRipgrep(
      world,
      `echo 'no json'\necho null\necho '{"type":"match"}'\n${match("../../etc/passwd")}\n${match("/etc/passwd")}\n`,
    );
    expect(await world.search({}, { ripgrepPath: fake.path })).toEqual({
      stdout: "No results",
      message: "Exit code: 1",
    });
  });
});

describe("patterns that take forever", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);

  test.each(["(a|a)*$", "(?:a+)+$", "(\\w+\\s?)+$", "(a|aa)+!!"])(
    "%s is stopped in the middle of a match, and does not block this thread",
    async (pattern) => {
      const controller = new AbortController();
      const source = translatePattern(pattern, NO_FLAGS);
      const setup = {
        kind: "search",
        pattern: source,
        multiline: false,
        maxPerFile: 9,
        globs: [],
        types: [],
      } as const;
      const worker = new MatchWorker(setup, controller.signal);
      expect(await worker.matchFiles([bytes("!\n")])).toHaveLength(1); // it runs
      const found = worker.matchFiles([bytes(`${"a".repeat(100)}!\n`)]);
      for (let turn = 0; turn < 1_000; turn++) await setImmediate();
      controller.abort(new Error("enough"));
      await expect(found).rejects.toThrow("enough");
      await worker.close();
    },
  );

  test("the time limit ends a search", async () => {
    await using world = await searchWorld({ "a.ts": `${"a".repeat(100)}!\n` });
    const result = await world.search({ pattern: "(a|a)*$" }, { engine: "worker", timeLimitMs: 2_000 });
    expect(result).toEqual({
      errorMessage: expect.stringContaining("Code search timed out after 2 seconds."),
      stdout: "",
    });
  });

  test("the time limit ends a glob", async () => {
    await using world = await searchWorld({ [`${"a".repeat(200)}`]: "" });
    const result = await world.glob({ pattern: `${"*a".repeat(60)}b` }, { timeLimitMs: 300 });
    expect(result).toEqual({
      errorMessage:
        "Failed to search for files: It took longer than 0.3 seconds. Use a narrower pattern or a cwd.",
    });
  });
});
