import { describe, expect, test } from "vitest";
import { imports } from "../../scripts/checks/imports.ts";
import { type Files, findingsIn, lines } from "./tree.ts";

const MANIFEST = {
  name: "agentwire",
  version: "1.0.0",
  imports: { "#socket": "./dist/socket.global.js" },
  dependencies: { "isomorphic-ws": "^5.0.0", ws: "^8.0.0" },
  devDependencies: { zod: "^4.0.0", eventemitter3: "^5.0.0" },
  peerDependencies: { react: ">=19" },
};

const CLEAN: Files = {
  "package.json": MANIFEST,
  "src/globals.d.ts": "declare const anything: number;",
  "src/index.ts": 'export { AgentwireError } from "./core/errors.ts";\nexport * from "./codebuff/index.ts";',
  "src/core/clock.ts": "export const clock = 1;",
  "src/core/errors.ts": 'import { clock } from "./clock.ts";\nexport class AgentwireError {}\nclock;',
  "src/core/connection.ts":
    'import { EventEmitter } from "eventemitter3";\nexport const dial = () => import("#socket");',
  "src/core/tell/outbox.ts": 'import { clock } from "../clock.ts";\nclock;',
  "src/core/link/socket.ts": 'import { Outbox } from "../tell/outbox.ts";\nOutbox;',
  "src/core/index.ts": 'export * from "./link/socket.ts";',
  "src/codebuff/session/session.ts": 'import { Options } from "../options.ts";\nOptions;',
  "src/codebuff/options.ts": 'import { Prompt } from "./prompts/prompt.ts";\nPrompt;',
  "src/codebuff/prompts/prompt.ts": 'import { Session } from "../session/session.ts";\nSession;',
  "src/core/socket.node.ts": 'export const open = () => import("isomorphic-ws");',
  "src/codebuff/index.ts": 'import * as z from "zod/mini";\nexport * from "../core/errors.ts";\nz;',
  "src/codebuff/universal.ts": 'export * from "../universal/index.ts";',
  "src/universal/index.ts":
    'import { clock } from "../core/clock.ts";\nimport type { A } from "../core/errors.ts";',
  "src/codebuff-cli/index.ts": 'import "node:child_process";\nimport "../core/errors.ts";',
  "src/codebuff-run/universal.ts": 'import "../universal/index.ts";',
  "src/codebuff-run/tools/index.ts": 'import { readFile } from "fs/promises";',
  "src/react/index.ts": 'import { useRef } from "react";',
  "src/testing/agent/client.ts":
    'export * from "../../universal/index.ts";\nexport * from "../../core/errors.ts";',
  "src/testing/index.ts":
    'import { createServer } from "node:http";\nimport { WebSocketServer } from "ws";\n' +
    'import { clock } from "../core/clock.ts";\nimport type { Ack } from "../codebuff/messages.ts";\n' +
    'export * from "./agent/client.ts";',
};

const SEEDS: readonly {
  readonly title: string;
  readonly file: string;
  readonly code: string;
  readonly says: string;
}[] = [
  {
    title: "core that imports a flat",
    file: "src/core/errors.ts",
    code: 'import { x } from "../codebuff/index.ts";',
    says: "core may not import codebuff/index.ts",
  },
  {
    title: "core that imports a flat's types",
    file: "src/core/errors.ts",
    code: 'import type { X } from "../codebuff/index.ts";',
    says: "core may not import codebuff/index.ts",
  },
  {
    title: "a flat that imports another flat",
    file: "src/codebuff/client.ts",
    code: 'export { x } from "../codey/index.ts";',
    says: "codebuff may not import codey/index.ts",
  },
  {
    title: "a flat that imports the universal room outside its universal.ts",
    file: "src/codebuff/client.ts",
    code: 'export * from "../universal/index.ts";',
    says: "codebuff may not import universal/index.ts",
  },
  {
    title: "a framework outside the rooms that are for it",
    file: "src/universal/index.ts",
    code: 'import { useRef } from "react";',
    says: '"react" is a framework: only a room with the peer react in scripts/support/rooms.ts imports it',
  },
  {
    title: "a dynamic import of another flat",
    file: "src/codebuff/client.ts",
    code: 'export const load = () => import("../codey/index.ts");',
    says: "codebuff may not import codey/index.ts",
  },
  {
    title: "an import type of another flat",
    file: "src/codebuff/client.ts",
    code: 'export type X = import("../codey/index.ts").X;',
    says: "codebuff may not import codey/index.ts",
  },
  {
    title: "a mock that uses code of a flat",
    file: "src/testing/mock.ts",
    code: 'import { parse } from "../codebuff/messages.ts";',
    says: "testing may take only types of codebuff",
  },
  {
    title: "a mock whose inline type import is still a run-time import",
    file: "src/testing/mock.ts",
    code: 'import { type Ack } from "../codebuff/messages.ts";',
    says: "testing may take only types of codebuff",
  },
  {
    title: "a mock that uses more of core than the clock",
    file: "src/testing/mock.ts",
    code: 'import { x } from "../core/frames.ts";',
    says: "testing may take only types of core",
  },
  {
    title: "a mock that makes universal events",
    file: "src/testing/universal.ts",
    code: 'import { x } from "../universal/index.ts";',
    says: "testing may take only types of universal",
  },
  {
    title: "a mock that takes core from the agent without a wire",
    file: "src/testing/server/script.ts",
    code: 'import { x } from "../agent/client.ts";',
    says: "imports testing/agent/client.ts, which is made of core, universal: only testing/index.ts imports it",
  },
  {
    title: "the agent without a wire that uses a flat",
    file: "src/testing/agent/client.ts",
    code: 'import { x } from "../../codebuff/index.ts";',
    says: "testing may take only types of codebuff",
  },
  {
    title: "src/index.ts that exports the mocks",
    file: "src/index.ts",
    code: 'export * from "./testing/index.ts";',
    says: "is for Node only",
  },
  {
    title: "src/index.ts that exports a Node client's types",
    file: "src/index.ts",
    code: 'export type * from "./codebuff-cli/index.ts";',
    says: "index.ts may not import codebuff-cli/index.ts",
  },
  {
    title: "universal code that uses a flat at run time",
    file: "src/universal/index.ts",
    code: 'import { x } from "../codebuff/index.ts";',
    says: "universal may not import codebuff/index.ts",
  },
  {
    title: "a Node builtin in core",
    file: "src/core/errors.ts",
    code: 'import { randomUUID } from "node:crypto";',
    says: '"node:crypto" exists on Node only',
  },
  {
    title: "a Node builtin without its prefix",
    file: "src/codebuff/client.ts",
    code: 'import { EventEmitter } from "events";',
    says: '"events" exists on Node only',
  },
  {
    title: "Node's types by reference",
    file: "src/core/errors.ts",
    code: '/// <reference types="node" />\nexport {};',
    says: '"node" exists on Node only',
  },
  {
    title: "ws in a flat",
    file: "src/codebuff/client.ts",
    code: 'import type { WebSocket } from "ws";',
    says: '"ws" exists on Node only',
  },
  {
    title: "isomorphic-ws outside the Node socket",
    file: "src/core/dial.ts",
    code: 'export const open = () => import("isomorphic-ws");',
    says: '"isomorphic-ws" exists on Node only',
  },
  {
    title: "a neutral module that takes the Node socket directly",
    file: "src/core/dial.ts",
    code: 'import { open } from "./socket.node.ts";',
    says: "which is for Node only",
  },
  {
    title: "a Node builtin in the part of the run that is not its tools",
    file: "src/codebuff-run/loop.ts",
    code: 'import { readFile } from "node:fs/promises";',
    says: '"node:fs/promises" exists on Node only',
  },
  {
    title: "the run's loop that imports its tools for Node",
    file: "src/codebuff-run/client.ts",
    code: 'import { nodeTools } from "./tools/index.ts";',
    says: "which is for Node only",
  },
  {
    title: "the run that imports the universal room outside its universal.ts",
    file: "src/codebuff-run/client.ts",
    code: 'import "../universal/index.ts";',
    says: "codebuff-run may not import universal/index.ts",
  },
  {
    title: "classic zod",
    file: "src/codebuff/messages.ts",
    code: 'import { z } from "zod";',
    says: '"zod" costs a browser 90 kB',
  },
  {
    title: "classic zod by its versioned name",
    file: "src/codebuff/messages.ts",
    code: 'import * as z from "zod/v4";',
    says: '"zod/v4" costs a browser 90 kB',
  },
  {
    title: "a package that is not a dependency",
    file: "src/testing/mock.ts",
    code: 'import type { WebSocketLink } from "msw";',
    says: '"msw" is not a dependency',
  },
  {
    title: "the package by its own name",
    file: "src/testing/mock.ts",
    code: 'import { CodebuffClient } from "agentwire/codebuff";',
    says: '"agentwire/codebuff" is this package',
  },
  {
    title: "a private import that package.json does not list",
    file: "src/core/dial.ts",
    code: 'export const open = () => import("#sockets");',
    says: '"#sockets" is not under "imports"',
  },
  {
    title: "a require",
    file: "src/core/dial.ts",
    code: 'const ws = require("ws");',
    says: '"ws" exists on Node only',
  },
  {
    title: "an import equals",
    file: "src/codebuff/client.ts",
    code: 'import ws = require("ws");',
    says: '"ws" exists on Node only',
  },
  {
    title: "a computed import",
    file: "src/core/dial.ts",
    code: 'const name = "node:" + "fs";\nexport const load = () => import(name);',
    says: "imports a computed name",
  },
  {
    title: "an import from outside src/",
    file: "src/core/dial.ts",
    code: 'import { helper } from "../../scripts/helper.ts";',
    says: "reaches out of src/",
  },
  {
    title: "a folder of core that imports a later folder, even only its types",
    file: "src/core/link/dial.ts",
    code: 'import type { Turn } from "../turn/turn.ts";',
    says: "imports core/turn/turn.ts, which stands above it: the order of core is . < tell < link",
  },
  {
    title: "a file at the top of core that imports a folder",
    file: "src/core/errors.ts",
    code: 'import { Outbox } from "./tell/outbox.ts";',
    says: "imports core/tell/outbox.ts, which stands above it",
  },
  {
    title: "a folder of core that imports the entry",
    file: "src/core/client/options.ts",
    code: 'import { x } from "../index.ts";',
    says: "imports core/index.ts, which stands above it",
  },
  {
    title: "a folder without a place in the order of core",
    file: "src/core/attic/box.ts",
    code: "export {};",
    says: "its folder is not in the order of core",
  },
  {
    title: "a room without rules",
    file: "src/attic/index.ts",
    code: "export {};",
    says: "no room of this name",
  },
];

describe("imports", () => {
  test("passes a tree that follows every rule", async () => {
    expect(lines(await findingsIn(imports, CLEAN))).toEqual([]);
  });

  test.each(SEEDS)("refuses $title", async ({ file, code, says }) => {
    const findings = await findingsIn(imports, { ...CLEAN, [file]: code });
    expect(lines(findings)).toEqual([expect.stringContaining(says)]);
    expect(findings[0]?.file).toBe(file);
  });

  test("reports the line of the import", async () => {
    const code = `// A comment.\n\nimport {\n  x,\n} from "../codey/index.ts";\n`;
    const [finding] = await findingsIn(imports, { ...CLEAN, "src/codebuff/client.ts": code });
    expect(finding?.line).toBe(3);
  });

  test("ignores imports in comments and strings", async () => {
    const code = `// import "node:fs";\nexport const text = 'import "ws"';\n`;
    expect(await findingsIn(imports, { ...CLEAN, "src/core/errors.ts": code })).toEqual([]);
  });

  test("fails for an empty tree", async () => {
    const findings = await findingsIn(imports, { "package.json": MANIFEST, "src/globals.d.ts": "" });
    expect(lines(findings)).toEqual([expect.stringContaining("nothing to check")]);
  });
});
