import { describe, expect, test } from "vitest";
import { ENGINES, searchWorld } from "./world.ts";

const TREE = {
  "a.ts": "needle one\nnothing\nNeedle two\n",
  "sub/b.js": "x\nneedle\ny\nz\nneedle\n",
};

describe.each(ENGINES)("`code_search` with $name", ({ options }) => {
  const search = async (tree: Record<string, string | Uint8Array>, input: object) => {
    await using world = await searchWorld(tree);
    return await world.search(input, options);
  };

  test("matches are grouped by file, with the numbers of their lines", async () => {
    expect(await search(TREE, {})).toEqual({
      stdout: "./a.ts:\n1:needle one\n\n./sub/b.js:\n2:needle\n5:needle",
      message: "Exit code: 0",
    });
  });

  test("a search without a match is no error", async () => {
    expect(await search(TREE, { pattern: "absent" })).toEqual({
      stdout: "No results",
      message: "Exit code: 1",
    });
  });

  test("with a cwd, paths are relative to it", async () => {
    expect(await search(TREE, { cwd: "sub" })).toMatchObject({ stdout: "./b.js:\n2:needle\n5:needle" });
  });

  test.each(["..", "../root-evil", "sub/../.."])("the cwd %s is refused", async (cwd) => {
    expect(await search(TREE, { cwd })).toEqual({
      errorMessage: `Invalid cwd: Path '${cwd}' is outside the project directory.`,
    });
  });

  test("a cwd that does not exist is refused", async () => {
    const result = await search(TREE, { cwd: "nowhere" });
    expect(result).toEqual({ errorMessage: expect.stringMatching(/^Invalid cwd: /) });
  });

  test("an invalid pattern gives its error, and exit code 2", async () => {
    const result = await search(TREE, { pattern: "needle(" });
    expect(result).toEqual({
      stdout: "No results",
      stderr: expect.stringContaining("unclosed group"),
      message: "Exit code: 2",
    });
  });

  test("look-around is an error, as in ripgrep", async () => {
    const result = await search(TREE, { pattern: "(?=needle)" });
    expect(result).toMatchObject({ stderr: expect.stringContaining("look-around"), message: "Exit code: 2" });
  });

  test("an unknown file type is an error", async () => {
    const result = await search(TREE, { flags: "-t nosuchtype" });
    expect(result).toMatchObject({
      stderr: expect.stringContaining("unrecognized file type: nosuchtype"),
      message: "Exit code: 2",
    });
  });

  test("a file that reaches the limit per file is named", async () => {
    expect(await search({ "a.ts": "needle\n".repeat(3), "b.ts": "needle\n" }, { maxResults: 2 })).toEqual({
      stdout:
        "./a.ts:\n1:needle\n2:needle\n\n./b.ts:\n1:needle\n\n[Results limited to 2 per file. Truncated files:\n./a.ts: limited to 2 results per file]",
      message: "Exit code: 0",
    });
  });

  test("-m also limits the matches per file", async () => {
    expect(await search({ "a.ts": "needle\n".repeat(9) }, { flags: "-m 2" })).toEqual({
      stdout: "./a.ts:\n1:needle\n2:needle",
      message: "Exit code: 0",
    });
  });

  test("the search stops at 250 matches", async () => {
    const tree = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`${n}.ts`, "needle\n".repeat(9)]));
    const result = (await search(tree, {})) as { stdout: string; message: string };
    expect(result.message).toBe("Stopped early after 250 match(es).");
    expect(result.stdout.match(/needle/g)).toHaveLength(250);
    expect(result.stdout).toMatch(/\n\n\[Global limit of 250 results reached\.\]$/);
  });

  test("the search stops at 20,000 characters", async () => {
    const result = (await search({ "a.ts": `needle${"🦉".repeat(30_000)}\n`, "b.ts": "needle\n" }, {})) as {
      stdout: string;
    };
    expect(result).toMatchObject({ message: "Stopped early after 1 match(es)." });
    expect(result.stdout).toMatch(/🦉\n\n\[Output truncated\]\n\n\[Output size limit reached\.\]$/u);
    expect(result.stdout.length).toBeLessThan(20_100);
  });

  test("context lines are marked with -, and their groups are separated by --", async () => {
    const text = "1\n2\nneedle\n4\n5\n6\n7\n8\nneedle\n10\n";
    expect(await search({ "a.ts": text }, { flags: "-C 1" })).toMatchObject({
      stdout: "./a.ts:\n2-2\n3:needle\n4-4\n--\n8-8\n9:needle\n10-10",
    });
    expect(await search({ "a.ts": text }, { flags: "-A1 -B 3 -C9" })).toMatchObject({
      stdout: "./a.ts:\n1-1\n2-2\n3:needle\n4-4\n--\n6-6\n7-7\n8-8\n9:needle\n10-10",
    });
  });

  test("a match over several lines shows all of them", async () => {
    expect(await search({ "a.ts": "x\nneedle\ny\n" }, { pattern: "le\\ny", flags: "-U" })).toMatchObject({
      stdout: "./a.ts:\n2:needle\n3:y",
    });
    const flags = "-U --multiline-dotall";
    expect(await search({ "a.ts": "x\nneedle\ny\n" }, { pattern: "x.*y", flags })).toMatchObject({
      stdout: "./a.ts:\n1:x\n2:needle\n3:y",
    });
  });

  test("a pattern that begins with - is not read as a flag", async () => {
    expect(await search({ "a.ts": "a --pre b\n" }, { pattern: "--pre" })).toMatchObject({
      stdout: "./a.ts:\n1:a --pre b",
    });
    expect(await search({ "a.ts": "-e\n" }, { pattern: "-e" })).toMatchObject({ stdout: "./a.ts:\n1:-e" });
  });

  test("text in UTF-16 or with a byte order mark is searched; a file with a NUL is skipped", async () => {
    const tree = {
      bom: "\ufeffneedle\n",
      utf16: Buffer.from("\ufeffneedle ü\n", "utf16le"),
      binary: "needle\n\0",
      latin: Buffer.from("needle \xfc\n", "latin1"),
      windows: "needle\r\n",
    };
    expect(await search(tree, {})).toMatchObject({
      stdout: "./bom:\n1:needle\n\n./latin:\n1:needle \ufffd\n\n./utf16:\n1:needle ü\n\n./windows:\n1:needle",
    });
  });

  test("a file over 10 MiB is skipped", async () => {
    const big = Buffer.alloc(10 * 1_024 * 1_024 + 1, "needle\n");
    expect(await search({ big, small: "needle\n" }, {})).toMatchObject({ stdout: "./small:\n1:needle" });
  });

  test("hidden files are skipped, except in folders of agents and CI, or if a glob names them", async () => {
    const tree = { ".github/a.yml": "needle\n", ".hidden": "needle\n", ".x/a": "needle\n", a: "needle\n" };
    expect(await search(tree, {})).toMatchObject({ stdout: "./a:\n1:needle\n\n.github/a.yml:\n1:needle" });
    expect(await search(tree, { flags: "-g *" })).toMatchObject({
      stdout: "./a:\n1:needle\n\n.github/a.yml:\n1:needle",
    });
    expect(await search(tree, { flags: "-g .hid*" })).toMatchObject({ stdout: "./.hidden:\n1:needle" });
  });

  test("a surrogate pair counts as one character", async () => {
    const tree = { a: "🦉\n", b: "𝐀\n" };
    expect(await search(tree, { pattern: "(?i)a{0,2}", flags: "-x" })).toMatchObject({
      stdout: "No results",
    });
    expect(await search(tree, { pattern: "x*", flags: "-w" })).toMatchObject({ stdout: "./a:\n1:🦉" });
    expect(await search(tree, { pattern: "\\B" })).toMatchObject({ stdout: "./a:\n1:🦉" });
    expect(await search(tree, { pattern: "^.$" })).toMatchObject({ stdout: "./a:\n1:🦉\n\n./b:\n1:𝐀" });
  });

  test("-F takes the pattern literally, -w whole words, -x whole lines, -S smart case", async () => {
    const tree = { a: "a.b\naxb\nab\nA.B\n" };
    const lines = async (pattern: string, flags: string) =>
      ((await search(tree, { pattern, flags })) as { stdout: string }).stdout.match(/\d+(?=:)/g)?.join("");
    expect(await lines("a.b", "")).toBe("12");
    expect(await lines("a.b", "-F")).toBe("1");
    expect(await lines("a", "-w")).toBe("1");
    expect(await lines("a.", "-x")).toBe("3");
    expect(await lines("a.b", "-i")).toBe("124");
    expect(await lines("a.b", "-S")).toBe("124");
    expect(await lines("A.b", "-S")).toBe(undefined);
    expect(await lines("a.b", "-i -s")).toBe("12");
  });
});

test("flags are refused unless they are allowed", async () => {
  await using world = await searchWorld(TREE);
  expect(await world.search({ flags: "-i" }, { allowFlags: false })).toEqual({
    errorMessage: "Flags are not allowed here. Search again without flags.",
  });
});

test("a pattern over 10,000 characters, or with a NUL, is refused", async () => {
  await using world = await searchWorld(TREE);
  expect(await world.search({ pattern: "x".repeat(10_001) })).toHaveProperty("errorMessage");
  expect(await world.search({ pattern: "a\0b" })).toHaveProperty("errorMessage");
});

test("the error of a ripgrep that cannot be started does not show its path", async () => {
  await using world = await searchWorld(TREE);
  expect(await world.search({}, { ripgrepPath: `${world.base}/nowhere` })).toEqual({
    errorMessage: "Failed to execute ripgrep: ENOENT",
  });
});
