import { copyFile, cp, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import * as z from "zod/mini";
import { run, tail } from "../support/run.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** ms for one test of a mutant: many breakages show as something that never happens. */
const TEST_TIMEOUT = 5_000;

/** Times that a test may fail as it is before that counts: a few measure costs, and a busy machine disturbs them. */
const RETRIES = 2;

/** ms for one run of vitest, which cannot end a loop that never yields; the run without any mutant has it for each file. */
const RUN_TIMEOUT = 60_000;

export interface FailedTest {
  /** From the root of the repository. */
  readonly file: string;
  /** Undefined when the file as a whole could not be loaded. */
  readonly title: string | undefined;
}

export interface Verdict {
  /** Whether vitest was content. */
  readonly ok: boolean;
  readonly failed: readonly FailedTest[];
  /** What vitest said last, for a failure that names no test. */
  readonly said: string;
}

/** A copy of the tree in which tests are run while one file is broken. */
export interface Lane extends AsyncDisposable {
  /** Runs the tests as they are. */
  run(tests: readonly string[]): Promise<Verdict>;
  /** Runs them up to the first failure while `file` has another text. */
  runWith(file: string, text: string, tests: readonly string[]): Promise<Verdict>;
}

/** What vitest's JSON reporter writes, as far as it is read. */
const report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })),
    }),
  ),
});

/** Copies what tests need; what is installed is linked entry by entry, so that caches stay in the copy. */
export async function openLane(root: string): Promise<Lane> {
  const folder = await tempFolder();
  for (const name of ["src", "test", "scripts"])
    await cp(join(root, name), join(folder.path, name), { recursive: true });
  for (const name of await readdir(root)) {
    if (/^(?:package|tsconfig.*)\.json$|^vitest.*\.ts$/.test(name)) {
      await copyFile(join(root, name), join(folder.path, name));
    }
  }
  const modules = join(folder.path, "node_modules");
  await mkdir(modules);
  for (const name of await readdir(join(root, "node_modules"))) {
    if (name.startsWith(".")) continue;
    await symlink(join(root, "node_modules", name), join(modules, name), "junction");
  }
  return {
    run: (tests) => vitest(folder.path, tests, ["--retry", String(RETRIES)], RUN_TIMEOUT * tests.length),
    runWith: async (file, text, tests) => {
      const path = join(folder.path, file);
      const original = await readFile(path, "utf8");
      await writeFile(path, text);
      try {
        const options = ["--bail", "1", "--testTimeout", String(TEST_TIMEOUT)];
        return await vitest(folder.path, tests, options, RUN_TIMEOUT);
      } finally {
        await writeFile(path, original);
      }
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

async function vitest(
  root: string,
  tests: readonly string[],
  options: readonly string[],
  timeout: number,
): Promise<Verdict> {
  const output = join(root, "report.json");
  await rm(output, { force: true });
  const program = join(root, "node_modules", "vitest", "vitest.mjs");
  const reporting = ["--reporter", "json", "--outputFile", output, "--coverage.enabled=false"];
  const args = [program, "run", "--root", root, "--no-file-parallelism", ...reporting, ...options, ...tests];
  const result = await run(process.execPath, args, {
    cwd: root,
    timeout,
    env: { NO_COLOR: "1" },
  });
  const said = `${result.ending}\n${tail(result, 12)}`;
  let json: string;
  try {
    json = await readFile(output, "utf8");
  } catch {
    return { ok: false, failed: [], said };
  }
  const { testResults } = report.parse(JSON.parse(json));
  const failed = testResults.flatMap(({ name, status, assertionResults }): FailedTest[] => {
    const file = relative(root, name).split(sep).join("/");
    const titles = assertionResults.filter((each) => each.status === "failed").map((each) => each.fullName);
    if (titles.length === 0 && status === "failed") return [{ file, title: undefined }];
    return titles.map((title) => ({ file, title }));
  });
  return { ok: result.ok, failed, said };
}
