import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { deadLinks, judgeContents, namedMap } from "../../scripts/checks/package/contents.ts";
import { lint } from "../../scripts/checks/package/lint.ts";
import { judgeSideEffects } from "../../scripts/checks/package/side-effects.ts";
import { oldestNode } from "../../scripts/support/node-versions.ts";
import { pack } from "../../scripts/support/pack.ts";
import { tree } from "./tree.ts";

describe("the contents of the tarball", () => {
  const FILES = [
    "CHANGELOG.md",
    "LICENSE",
    "NOTICE",
    "README.md",
    "SECURITY.md",
    "docs/start.md",
    "docs/turns.md",
    "docs/errors.md",
    "docs/backends.md",
    "docs/codebuff.md",
    "docs/codey.md",
    "docs/cass.md",
    "docs/codebuff-cli.md",
    "docs/acp.md",
    "docs/codebuff-run.md",
    "docs/tools.md",
    "docs/universal.md",
    "docs/ui.md",
    "docs/react.md",
    "docs/tui.md",
    "docs/frameworks.md",
    "docs/ai-sdk.md",
    "docs/ag-ui.md",
    "docs/acp-agent.md",
    "docs/otel.md",
    "docs/sessions.md",
    "docs/testing.md",
    "docs/program.md",
    "docs/runtimes.md",
    "package.json",
    "dist/index.js",
    "dist/index.d.cts",
  ];

  test("may be the documents and the build", () => {
    expect(judgeContents(FILES)).toEqual([]);
  });

  test.each([
    "src/index.ts",
    "test/a.test.ts",
    ".env",
    "dist/index.ts",
    "dist/nested/a.js",
    "dist/metafile.json",
    "dist/index.js.map",
  ])("may not include %s", (file) => {
    expect(judgeContents([...FILES, file])).toEqual([
      { file, message: expect.stringContaining("is no part") },
    ]);
  });

  test.each(["README.md", "LICENSE", "NOTICE", "CHANGELOG.md", "docs/testing.md"])(
    "must include %s",
    (file) => {
      const found = judgeContents(FILES.filter((held) => held !== file));
      expect(found).toEqual([{ file, message: "is missing from the package" }]);
    },
  );

  test("must include the build", () => {
    const found = judgeContents(FILES.filter((file) => !file.startsWith("dist/")));
    expect(found).toEqual([{ file: "dist", message: expect.stringContaining("npm run build") }]);
  });

  test.each([
    ["another published page", "[a](docs/codey.md#errors)", []],
    ["a heading of its own", "[a](#errors)", []],
    ["the web", "[a](https://example.com/b.md)", []],
    ["a file of the repository", "[a](examples/README.md) [b](docs/codey.md)", ["examples/README.md"]],
    ["a link inside code", "`[a](b.md)`\n```md\n[a](c.md)\n```\n", []],
  ])("a page's link to %s is reported only if the package lacks its target", (_, text, dead) => {
    expect(deadLinks("README.md", text, FILES)).toEqual(dead);
  });

  test("a relative link starts from the page's folder", () => {
    expect(deadLinks("docs/codey.md", "[a](codebuff.md) [b](../README.md) [c](../test/a.ts)", FILES)).toEqual(
      ["../test/a.ts"],
    );
  });

  test("code may not refer to a source map", () => {
    expect(namedMap('var a = 1;\nvar b = "//# sourceMappingURL=a.js.map";\n')).toBeUndefined();
    expect(namedMap("var a = 1;\n//# sourceMappingURL=a.js.map\n")).toBe("a.js.map");
  });
});

describe("side effects", () => {
  async function complaints(
    code: string,
    sideEffects: boolean | undefined = false,
  ): Promise<readonly string[]> {
    const manifest = {
      name: "agentwire",
      version: "1.0.0",
      type: "module",
      exports: "./index.js",
      sideEffects,
    };
    await using folder = await tree({
      "node_modules/agentwire/package.json": manifest,
      "node_modules/agentwire/index.js": code,
    });
    return await judgeSideEffects(folder.path, "agentwire");
  }

  test("are not found in a module with only declarations", async () => {
    const code = "export const list = new Map([[1, 2]]);\nglobalThis.__zod_globalConfig ??= {};\n";
    expect(await complaints(code)).toEqual([]);
  });

  test("are found if the flag is missing, because bundlers then keep unused code", async () => {
    const found = await complaints(
      `export const table = build();\nfunction build() { return [${"1,".repeat(99)}]; }`,
      true,
    );
    expect(found).toEqual([expect.stringMatching(/still leaves \d+ bytes/)]);
  });

  test.each([
    ["a new global", "globalThis.agentwire = 1;", "added globalThis.agentwire"],
    ["a patched prototype", "Array.prototype.last = () => {};", "added Array.prototype.last"],
    ["a replaced method", "Promise.prototype.then = function () {};", "changed Promise.prototype.then"],
    ["a polyfill", "Symbol.somethingNew = Symbol();", "added Symbol.somethingNew"],
    ["a timer", "setTimeout(() => {}, 100);", "Timeout"],
    [
      "a listener of the process",
      'process.on("unhandledRejection", () => {});',
      "process.on(unhandledRejection)",
    ],
    ["an import that throws", 'throw new Error("at import");', "at import"],
  ])("include %s", async (_, code, says) => {
    expect(await complaints(code)).toEqual([expect.stringContaining(says)]);
  });
});

describe("the linters", () => {
  const manifest = (requireTypes: string) => ({
    name: "agentwire",
    version: "1.0.0",
    license: "MIT",
    type: "module",
    files: ["dist"],
    engines: { node: ">=22.12" },
    exports: {
      ".": {
        import: { types: "./dist/index.d.ts", default: "./dist/index.js" },
        require: { types: requireTypes, default: "./dist/index.cjs" },
      },
    },
  });

  async function complaints(requireTypes: string): Promise<readonly string[]> {
    await using folder = await tree({
      "package.json": manifest(requireTypes),
      "dist/index.js": "export const a = 1;\n",
      "dist/index.cjs": "exports.a = 1;\n",
      "dist/index.d.ts": "export declare const a: number;\n",
      "dist/index.d.cts": "export declare const a: number;\n",
    });
    return await lint(await pack(folder.path, join(folder.path, "pack")));
  }

  test("pass a package whose files exist and whose types match", async () => {
    expect(await complaints("./dist/index.d.cts")).toEqual([]);
  });

  test("report types of another module system than the code", async () => {
    expect(await complaints("./dist/index.d.ts")).toEqual([
      expect.stringMatching(/^attw complains.*Masquerading as ESM/s),
    ]);
  });

  test("report a missing file", async () => {
    expect(await complaints("./dist/gone.d.cts")).toContainEqual(
      expect.stringMatching(/^publint complains.*gone/s),
    );
  });
});

describe("the oldest supported Node", () => {
  test("is read from `engines`", () => {
    expect(oldestNode(">=22.12")).toBe("22.12");
    expect(oldestNode(">=22.12.0")).toBe("22.12");
  });

  test.each(["", "22", ">=22", "^22.12", ">=22.12 <25"])("cannot be read from %j", (range) => {
    expect(() => oldestNode(range)).toThrow("write it as >=MAJOR.MINOR");
  });
});
