import { describe, expect, test } from "vitest";
import { browser } from "../../scripts/checks/browser.ts";
import { type Files, findingsIn, lines } from "./tree.ts";

const entry = (name: string) => ({ import: `./dist/${name}.js`, require: `./dist/${name}.cjs` });
const manifest = (others: object) => ({
  name: "agentwire",
  version: "1.0.0",
  exports: { ".": entry("index"), "./codebuff": entry("codebuff"), "./testing": entry("testing") },
  imports: { "#socket": { node: entry("socket.node"), default: others } },
});

const CLEAN: Files = {
  "package.json": manifest(entry("socket.global")),
  "dist/index.js": 'export * from "./chunk.js";',
  "dist/index.cjs": 'module.exports = require("./chunk.cjs");',
  "dist/codebuff.js": 'export { open } from "./chunk.js";',
  "dist/codebuff.cjs": 'module.exports = require("./chunk.cjs");',
  "dist/chunk.js": 'export const open = () => import("#socket");',
  "dist/chunk.cjs": 'exports.open = () => Promise.resolve().then(() => require("#socket"));',
  "dist/socket.global.js": "export const open = () => new WebSocket('');",
  "dist/socket.global.cjs": "exports.open = () => new WebSocket('');",
  "dist/socket.node.js": 'export const open = () => import("isomorphic-ws");',
  "dist/socket.node.cjs": 'exports.open = () => require("isomorphic-ws");',
  "dist/testing.js": 'import "node:http"; import "ws";',
  "dist/testing.cjs": 'require("node:http"); require("ws");',
  "node_modules/ws/package.json": { name: "ws", main: "index.js" },
  "node_modules/ws/index.js": "module.exports = 1;",
  "node_modules/isomorphic-ws/package.json": {
    name: "isomorphic-ws",
    main: "node.js",
    browser: "browser.js",
  },
  "node_modules/isomorphic-ws/node.js": 'module.exports = require("ws");',
  "node_modules/isomorphic-ws/browser.js": "module.exports = WebSocket;",
};

describe("the check for browsers", () => {
  test("passes if only the Node file and the mocks import Node", async () => {
    expect(lines(await findingsIn(browser, CLEAN))).toEqual([]);
  });

  const SEEDS: readonly {
    readonly title: string;
    readonly files: Files;
    readonly says: readonly string[];
  }[] = [
    {
      title: "a builtin two imports away",
      files: {
        "dist/chunk.js": 'import "./deep.js"; import("#socket");',
        "dist/deep.js": 'import "node:fs";',
      },
      says: [
        'dist/deep.js:1 reached from agentwire (import): "node:fs" is a Node builtin',
        "esbuild cannot bundle agentwire:",
      ],
    },
    {
      title: "a builtin in a dynamic import, without its prefix",
      files: { "dist/codebuff.js": 'import "./chunk.js"; export const load = () => import("fs");' },
      says: ['reached from agentwire/codebuff (import): "fs" is a Node builtin'],
    },
    {
      title: "a builtin that only CommonJS requires",
      files: { "dist/codebuff.cjs": 'require("./chunk.cjs"); require("node:net");' },
      says: ['dist/codebuff.cjs:1 reached from agentwire/codebuff (require): "node:net" is a Node builtin'],
    },
    {
      title: "ws",
      files: { "dist/chunk.js": 'import WebSocket from "ws"; import("#socket"); export { WebSocket };' },
      says: [
        'dist/chunk.js:1 reached from agentwire (import): "ws" is for Node only',
        "node_modules/ws/index.js esbuild bundles ws with agentwire: it is for Node only",
      ],
    },
    {
      title: "isomorphic-ws, although it has a browser file",
      files: { "dist/chunk.js": 'export * as ws from "isomorphic-ws"; import("#socket");' },
      says: [
        '"isomorphic-ws" is for Node only',
        "node_modules/isomorphic-ws/browser.js esbuild bundles isomorphic-ws with agentwire",
      ],
    },
    {
      title: "a #socket with the Node file for all platforms",
      files: { "package.json": manifest(entry("socket.node")) },
      says: ['dist/socket.node.js:1 reached from agentwire (import): "isomorphic-ws" is for Node only'],
    },
    {
      title: "a #socket that gives browsers the Node file",
      files: {
        "package.json": manifest({ browser: "./dist/socket.node.js", default: "./dist/socket.global.js" }),
      },
      says: ['"#socket" leads to dist/socket.node.js, which is for Node only'],
    },
    {
      title: "the Node file by a relative path",
      files: { "dist/chunk.js": 'import "./socket.node.js"; import("#socket");' },
      says: ['"./socket.node.js" leads to dist/socket.node.js, which is for Node only'],
    },
    {
      title: "a dependency that is not bundled",
      files: { "dist/chunk.js": 'import "zod/mini"; import("#socket");' },
      says: ['"zod/mini" is not bundled'],
    },
    {
      title: "a computed import",
      files: { "dist/chunk.js": 'import("#socket"); export const load = (name) => import(name);' },
      says: ["imports a computed name"],
    },
    {
      title: "a chunk that is not there",
      files: { "dist/chunk.js": 'import "./gone.js"; import("#socket");' },
      says: ['"./gone.js" leads to dist/gone.js, which is not there'],
    },
    {
      title: "a build that already resolved #socket",
      files: { "dist/chunk.js": "export const open = 1;", "dist/chunk.cjs": "exports.open = 1;" },
      says: ['no entry reaches "#socket": keep it external'],
    },
    {
      title: "an entry without a file for browsers",
      files: {
        "package.json": {
          ...manifest(entry("socket.global")),
          exports: { ".": { node: "./dist/index.js" } },
        },
      },
      says: ['"agentwire" has no file for a browser that uses import'],
    },
    {
      title: "a package that exports nothing for browsers",
      files: {
        "package.json": { name: "agentwire", version: "1.0.0", exports: { "./testing": entry("testing") } },
      },
      says: ["nothing to check"],
    },
  ];

  test.each(SEEDS)("refuses $title", async ({ files, says }) => {
    const findings = lines(await findingsIn(browser, { ...CLEAN, ...files }));
    for (const text of says) expect(findings).toContainEqual(expect.stringContaining(text));
    expect(findings).not.toEqual([]);
  });
});
