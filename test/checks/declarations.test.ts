import { symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  BROWSER_APP,
  checkDeclarationRules,
  compileConsumer,
  NODE_APP,
  type Surroundings,
} from "../../scripts/checks/declarations.ts";
import { type Files, findingsIn, lines, tree } from "./tree.ts";

const REFERENCE = '/// <reference lib="esnext.disposable" />\n';
const entry = (name: string) => ({
  import: { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` },
  require: { types: `./dist/${name}.d.cts`, default: `./dist/${name}.cjs` },
});
const MANIFEST = {
  name: "agentwire",
  version: "1.0.0",
  type: "module",
  exports: { ".": entry("index"), "./codebuff": entry("codebuff"), "./testing": entry("testing") },
};

const CLEAN: Files = {
  "package.json": MANIFEST,
  "dist/index.d.ts": `${REFERENCE}export { Client } from "./codebuff.js";\n`,
  "dist/index.d.cts": `${REFERENCE}export { Client } from "./codebuff.cjs";\n`,
  "dist/codebuff.d.ts":
    `${REFERENCE}import { S } from "./shared-1.js";\n` +
    "export declare class Client implements AsyncDisposable {\n" +
    "  constructor(options: { signal?: AbortSignal; url: string | URL; WebSocket?: S });\n" +
    "  [Symbol.asyncDispose](): Promise<void>;\n}\n",
  "dist/codebuff.d.cts": `${REFERENCE}export declare class Client { readonly a: 1 }\n`,
  "dist/shared-1.d.ts": `${REFERENCE}export interface S { send(data: string): void }\n`,
  "dist/testing.d.ts": 'import type { Server } from "node:http";\nexport declare const server: Server;\n',
  "dist/testing.d.cts": "export {};\n",
};

describe("the rules for type declarations", () => {
  test("pass files that use only the language and the shared globals", async () => {
    expect(lines(await findingsIn(checkDeclarationRules, CLEAN))).toEqual([]);
  });

  const SEEDS: readonly { readonly title: string; readonly files: Files; readonly says: string }[] = [
    {
      title: "an entry without the library reference",
      files: { "dist/codebuff.d.cts": "export {};\n" },
      says: "dist/codebuff.d.cts:1 must begin with",
    },
    {
      title: "a shared file without the library reference",
      files: { "dist/shared-1.d.ts": "export interface S {}\n" },
      says: "dist/shared-1.d.ts:1 must begin with",
    },
    {
      title: "a reference that is not on the first line",
      files: { "dist/index.d.ts": `// hello\n${REFERENCE}export {};\n` },
      says: "dist/index.d.ts:1 must begin with",
    },
    {
      title: "an import of a package",
      files: {
        "dist/index.d.ts": `${REFERENCE}import * as z from "zod/mini";\nexport declare const s: z.ZodMiniType;\n`,
      },
      says: 'dist/index.d.ts:2 imports "zod/mini"',
    },
    {
      title: "an import type of a package",
      files: { "dist/index.d.cts": `${REFERENCE}export declare const s: import("ws").WebSocket;\n` },
      says: 'dist/index.d.cts:2 imports "ws"',
    },
    {
      title: "a reference to Node's types",
      files: { "dist/index.d.ts": `${REFERENCE}/// <reference types="node" />\nexport {};\n` },
      says: 'dist/index.d.ts:2 imports "node"',
    },
    {
      title: "the global WebSocket",
      files: { "dist/shared-1.d.ts": `${REFERENCE}export type S = typeof WebSocket;\n` },
      says: "dist/shared-1.d.ts:2 names the global WebSocket",
    },
    {
      title: "a global of the DOM",
      files: { "dist/index.d.ts": `${REFERENCE}export declare function f(event: MessageEvent): void;\n` },
      says: "dist/index.d.ts:2 names the global MessageEvent",
    },
    {
      title: "a global of Node",
      files: { "dist/index.d.ts": `${REFERENCE}export declare const bytes: Buffer;\n` },
      says: "dist/index.d.ts:2 names the global Buffer",
    },
    {
      title: "a namespace of Node",
      files: { "dist/index.d.ts": `${REFERENCE}export declare const timer: NodeJS.Timeout;\n` },
      says: "dist/index.d.ts:2 names the global NodeJS",
    },
    {
      title: "a global function's type",
      files: {
        "dist/index.d.ts": `${REFERENCE}export declare const timer: ReturnType<typeof setTimeout>;\n`,
      },
      says: "dist/index.d.ts:2 names the global setTimeout",
    },
    {
      title: "a type that does not compile",
      files: {
        "dist/index.d.ts": `${REFERENCE}export declare const a: string;\nexport declare const a: number;\n`,
      },
      says: "dist/index.d.ts:3 TS2451",
    },
    {
      title: "an entry whose types were not built",
      files: { "dist/codebuff.d.ts": `${REFERENCE}export * from "./gone.js";\n` },
      says: "dist/codebuff.d.ts leads to dist/gone.d.ts, which is not there",
    },
    {
      title: "an entry that names no types",
      files: { "package.json": { ...MANIFEST, exports: { ".": "./dist/index.js" } } },
      says: 'package.json "exports" has no types for "." with import',
    },
  ];

  test.each(SEEDS)("refuse $title", async ({ files, says }) => {
    const findings = lines(await findingsIn(checkDeclarationRules, { ...CLEAN, ...files }));
    expect(findings).toContainEqual(expect.stringContaining(says));
  });
});

describe("a strictly compiled app", () => {
  const require = createRequire(import.meta.url);
  const typescript = dirname(require.resolve("typescript/package.json"));
  const nodeTypes = dirname(require.resolve("@types/node/package.json"));

  /** Compiles one program for each of some packages, which declare this. */
  async function complaints(packages: Readonly<Record<string, string>>, surroundings: Surroundings) {
    const programs = Object.entries(packages).map(
      ([name, declarations]): Files => ({
        [`${name}.ts`]: `import { value } from "${name}";\nexport const mine: string = value.name;\n`,
        [`node_modules/${name}/package.json`]: {
          name,
          version: "1.0.0",
          type: "module",
          exports: { types: "./index.d.ts" },
        },
        [`node_modules/${name}/index.d.ts`]: declarations,
      }),
    );
    await using folder = await tree({
      "package.json": { type: "module" },
      "node_modules/@types/readme.md": "Types that every program sees, unless it says otherwise.",
      ...Object.assign({}, ...programs),
    });
    await symlink(nodeTypes, join(folder.path, "node_modules/@types/node"), "junction");
    await symlink(
      join(nodeTypes, "../../undici-types"),
      join(folder.path, "node_modules/undici-types"),
      "junction",
    );
    const files = Object.keys(packages).map((name) => `${name}.ts`);
    return await compileConsumer(folder.path, files, typescript, surroundings);
  }

  test.each([BROWSER_APP, NODE_APP])(
    "compiles with types that use the shared globals: $name",
    async (app) => {
      const shared = `${REFERENCE}export declare const value: { name: string; signal: AbortSignal } & AsyncDisposable;\n`;
      expect(await complaints({ shared }, app)).toBe("");
    },
  );

  test("of a browser does not compile with a Node global, or with a disposable type without its library", async () => {
    const buffer = "export declare const value: { name: string; bytes: Buffer };";
    const disposable = "export declare const value: { name: string } & AsyncDisposable;";
    const said = await complaints({ buffer, disposable }, BROWSER_APP);
    expect(said).toMatch(/buffer.index\.d\.ts.*Cannot find name 'Buffer'/);
    expect(said).toMatch(/disposable.index\.d\.ts.*Cannot find name 'AsyncDisposable'/);
  });

  test("on Node does not compile with a browser global, or if a type has changed", async () => {
    const element = "export declare const value: { name: string; at: HTMLElement };";
    const changed = "export declare const value: { name: number };";
    const said = await complaints({ element, changed }, NODE_APP);
    expect(said).toMatch(/element.index\.d\.ts.*Cannot find name 'HTMLElement'/);
    expect(said).toContain("changed.ts(2,14)");
  });
});
