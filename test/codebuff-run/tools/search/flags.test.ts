import { describe, expect, test } from "vitest";
import { NO_FLAGS, parseFlags } from "../../../../src/codebuff-run/tools/search/flags.ts";
import { globProblem, namesHidden } from "../../../../src/codebuff-run/tools/search/globs.ts";
import { ripgrepArgs } from "../../../../src/codebuff-run/tools/search/ripgrep.ts";

describe("flags", () => {
  test.each([
    ["", {}],
    ["-i", { letterCase: "insensitive" }],
    ["-i -S", { letterCase: "smart" }],
    ["-S -s", { letterCase: "sensitive" }],
    ["-w -x", { boundary: "line" }],
    ["-xw", { boundary: "word" }],
    ["-FiU --multiline-dotall", { fixed: true, letterCase: "insensitive", multiline: true, dotAll: true }],
    ["-A3 -B 2", { after: 3, before: 2 }],
    ["-A1 -C 5", { after: 1, before: 5 }],
    ["-im5", { letterCase: "insensitive", maxCount: 5 }],
    ["-m=5", { maxCount: 5 }],
    ["-g '*.ts' -g \"!a b.ts\"", { globs: ["*.ts", "!a b.ts"] }],
    ["-g*.ts", { globs: ["*.ts"] }],
    ["-g --pre", { globs: ["--pre"] }],
    [
      "-tjs -T py",
      {
        types: [
          { name: "js", excludes: false },
          { name: "py", excludes: true },
        ],
      },
    ],
  ] as const)("%s is parsed", (text, expected) => {
    expect(parseFlags(text)).toEqual({ flags: { ...NO_FLAGS, ...expected } });
  });

  test.each([
    ...["--pre ./x", "--pre=./x", "-f patterns", "-fpatterns", "-L", "-iL", "--follow", "--hostname-bin ./x"],
    ...[
      "--hyperlink-format=x",
      "--search-zip",
      "-z",
      "--ignore-file x",
      "--config",
      "-e x",
      "--engine=pcre2",
      "-P",
    ],
    ...[
      "--files",
      "--type-add x:*",
      "--generate=man",
      "-uuu",
      "--hidden",
      "--no-ignore",
      "-o",
      "-r x",
      "-0",
      "--",
      "-",
    ],
    ...[
      "--multiline-dotal",
      "--multiline-dotall=1",
      "-é",
      "src",
      "-i src",
      "-i--pre",
      "--debug",
      "--json",
      "-h",
      "-V",
    ],
  ])("%s is refused, with the list of allowed flags", (text) => {
    expect(parseFlags(text)).toEqual({
      problem: expect.stringMatching(/is not allowed\. Allowed flags: -i -S/),
    });
  });

  test.each([
    ["-A", "needs a value"],
    ["-A x", "whole number from 0 to 100"],
    ["-A 101", "whole number from 0 to 100"],
    ["-C -1", "whole number from 0 to 100"],
    ["-m 0", "whole number from 1 to 1000000"],
    ["-m 1e3", "whole number"],
    ["-t ../x", "is no file type"],
    ["-g {", "has a { without a }"],
    [`-g ${"x".repeat(501)}`, "longer than 500 characters"],
    ["-g a ".repeat(51), "at most 50 flags -g"],
    ["-t a ".repeat(51), "at most 50 flags -t"],
  ])("%s is refused for its value", (text, problem) => {
    expect(parseFlags(text)).toEqual({ problem: expect.stringContaining(problem) });
  });

  test("ripgrep gets no text of the agent as a flag", () => {
    const parsed = parseFlags("-g --pre=x -t js");
    const flags = parsed.problem === undefined ? parsed.flags : NO_FLAGS;
    const { signal } = new AbortController();
    const search = {
      flags,
      pattern: "--pre=x",
      maxPerFile: 1,
      hidden: false,
      hiddenFolders: [".github"],
      ignoreFiles: true,
      signal,
    };
    const args = ripgrepArgs(search);
    const own = args.slice(0, args.indexOf("--"));
    expect(own.every((arg) => arg.startsWith("-"))).toBe(true);
    expect(own).toContain("--glob=--pre=x");
    expect(args.slice(args.indexOf("--"))).toEqual(["--", "--pre=x", ".", ".github"]);
    expect(args.slice(0, 3)).toEqual(["--no-config", "--json", "-n"]);
  });
});

describe("globs", () => {
  test.each([
    ["*.ts", undefined],
    ["{a,b}/{c,d}", undefined],
    ["{1..1000}", undefined],
    ["[{]", undefined],
    ["\\{", undefined],
    ["[]]", undefined],
    ["{1..1001}", "stands for more than 1000 globs"],
    ["{1..999999999}", "stands for more than 1000 globs"],
    ["{a,b}".repeat(10), "stands for more than 1000 globs"],
    ["{".repeat(9), "nested deeper than 8 levels"],
    ["{a,{b}", "has a { without a }"],
    ["a}", "has a } without a {"],
    ["[a", "has a [ without a ]"],
    ["a\\", "ends with a backslash"],
    ["a\0", "has a NUL character"],
    ["", "is empty"],
  ])("%s is accepted or refused", (glob, problem) => {
    if (problem === undefined) expect(globProblem(glob)).toBeUndefined();
    else expect(globProblem(glob)).toContain(problem);
  });

  test("a glob with a name that begins with a dot includes hidden files", () => {
    const hidden = [".x", ".x/**", "**/.x", "{.x,.y}", "{a,.y}"];
    expect(hidden.filter(namesHidden)).toEqual(hidden);
    expect(["*", "a.b", "!.x", "./a", "../a", "*.x", "."].filter(namesHidden)).toEqual([]);
  });
});
