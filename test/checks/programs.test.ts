import { symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { browserApp, exercise, firstProgram } from "../../scripts/checks/package/programs.ts";
import type { Program } from "../../scripts/support/first-program.ts";
import type { Consumer } from "../../scripts/support/pack.ts";
import { type Files, tree } from "./tree.ts";

const NODE = { version: process.version, path: process.execPath };

const ERRORS = `
export class AgentwireError extends Error {}
export class InvalidInputError extends AgentwireError { code = "invalid-input"; }
export const isAgentwireError = (error, code) => error.code === code;
`;

/** The least of a client that the programs need: one prompt over one WebSocket, on wires of its own. */
const CLIENT = `
import { InvalidInputError } from "./errors.js";
export class CodebuffClient {
  constructor({ url }) { this.url = url; }
  prompt(input) {
    if (input.trim() === "") throw new InvalidInputError("blank");
    const socket = new WebSocket(this.url);
    let text = "", finish;
    const result = new Promise((resolve) => { finish = resolve; });
    socket.addEventListener("open", () => socket.send(JSON.stringify({ type: "action", txid: 1, data: { type: "prompt", promptId: "p" } })));
    socket.addEventListener("message", ({ data }) => {
      const frame = JSON.parse(data);
      if (frame.data?.type === "response-chunk") text += frame.data.chunk;
      if (frame.data?.type === "prompt-response") { socket.close(); finish({ text }); }
    });
    return { result, textStream: (async function* () { yield (await result).text; })() };
  }
  async close() {}
}
`;

const SERVER = `
import { WebSocketServer } from "ws";
const reply = (type, more) => JSON.stringify({ type: "action", data: { type, ...more } });
export class MockCodebuffServer {
  static async start() {
    const server = new MockCodebuffServer();
    server.wss = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    await new Promise((resolve) => server.wss.once("listening", resolve));
    server.url = "ws://127.0.0.1:" + server.wss.address().port;
    server.wss.on("connection", (socket) => socket.on("message", () => {
      socket.send(reply("response-chunk", { chunk: "hi" }));
      socket.send(reply("prompt-response"));
    }));
    return server;
  }
  stop() { return new Promise((resolve) => this.wss.close(resolve)); }
}
export class FakeCodebuffCli {
  static async start() { return new FakeCodebuffCli(); }
  command = process.execPath;
  args = ["-p", "JSON.stringify({ type: 'text', text: process.argv.at(-1) })", "--"];
  async stop() {}
}
export class MockAcpAgent {
  async program() {
    return { command: process.execPath, args: ["-p", "JSON.stringify({ agentCapabilities: {} })"], env: {} };
  }
  async stop() {}
}
`;

const PACKAGE: Files = {
  "package.json": { type: "module" },
  "node_modules/agentwire/package.json": {
    name: "agentwire",
    version: "1.0.0",
    type: "module",
    exports: {
      ".": "./index.js",
      "./codebuff": "./codebuff.js",
      "./schemas": "./schemas.js",
      "./testing": "./testing.js",
    },
  },
  "node_modules/agentwire/index.js":
    'export * from "./errors.js";\nexport { CodebuffClient } from "./codebuff.js";',
  "node_modules/agentwire/errors.js": ERRORS,
  "node_modules/agentwire/codebuff.js": CLIENT,
  "node_modules/agentwire/schemas.js":
    'export const contentPartSchema = { safeParse: ({ type }) => ({ success: type === "text" }) };',
  "node_modules/agentwire/testing.js": SERVER,
};

/** A project that has installed a stand-in for the package; `ws` is linked from this repository. */
async function consumerWith(files: Files = {}): Promise<Consumer> {
  const folder = await tree({ ...PACKAGE, ...files });
  const ws = dirname(createRequire(import.meta.url).resolve("ws/package.json"));
  await symlink(ws, join(folder.path, "node_modules/ws"), "junction");
  return {
    folder: folder.path,
    tarball: "",
    installed: join(folder.path, "node_modules/agentwire"),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

describe("the consumer programs", () => {
  test("pass a package that works as an ES module and as CommonJS", async () => {
    await using consumer = await consumerWith();
    expect(await exercise(consumer, NODE)).toEqual([]);
  });

  test("find a client class that exists twice", async () => {
    await using consumer = await consumerWith({
      "node_modules/agentwire/index.js":
        'export * from "./errors.js";\nexport { CodebuffClient } from "./copy.js";',
      "node_modules/agentwire/copy.js": CLIENT,
    });
    const copies = expect.stringMatching(/two copies of CodebuffClient/);
    expect(await exercise(consumer, NODE)).toEqual([copies, copies]);
  });

  test("find an error class that exists twice", async () => {
    await using consumer = await consumerWith({
      "node_modules/agentwire/codebuff.js": CLIENT.replace("./errors.js", "./errors-copy.js"),
      "node_modules/agentwire/errors-copy.js": ERRORS,
    });
    const copies = expect.stringMatching(
      /an error of agentwire\/codebuff is no instance of agentwire's class/,
    );
    expect(await exercise(consumer, NODE)).toEqual([copies, copies]);
  });

  test("find a module format that cannot be loaded", async () => {
    const manifest = { name: "agentwire", version: "1.0.0", type: "module" };
    const exports = {
      ".": { import: "./index.js" },
      "./codebuff": "./codebuff.js",
      "./schemas": "./schemas.js",
      "./testing": "./testing.js",
    };
    await using consumer = await consumerWith({
      "node_modules/agentwire/package.json": { ...manifest, exports },
    });
    const found = await exercise(consumer, NODE);
    expect(found).toContainEqual(
      expect.stringMatching(/^used from CommonJS on Node v.*ERR_PACKAGE_PATH_NOT_EXPORTED/s),
    );
  });

  test("find a turn that streams no text", async () => {
    await using consumer = await consumerWith({
      "node_modules/agentwire/testing.js": SERVER.replace('chunk: "hi"', 'chunk: ""'),
    });
    const silent = expect.stringContaining("streamed no text");
    expect(await exercise(consumer, NODE)).toEqual([silent, silent]);
  });

  test("find a fake CLI that does not print the prompt", async () => {
    await using consumer = await consumerWith({
      "node_modules/agentwire/testing.js": SERVER.replace("process.argv.at(-1)", "'?'"),
    });
    const other = expect.stringContaining("the fake CLI printed");
    expect(await exercise(consumer, NODE)).toEqual([other, other]);
  });

  test("find an ACP agent that does not answer", async () => {
    await using consumer = await consumerWith({
      "node_modules/agentwire/testing.js": SERVER.replace("agentCapabilities", "capabilities"),
    });
    const other = expect.stringContaining("the ACP agent printed");
    expect(await exercise(consumer, NODE)).toEqual([other, other]);
  });
});

describe("the browser app as a consumer", () => {
  test("passes a client that uses only browser globals", async () => {
    await using consumer = await consumerWith();
    expect(await browserApp(consumer)).toEqual([]);
  });

  test.each([
    ["a global of Node at import", `process.version;\n${CLIENT}`, "process is not defined"],
    [
      "a global of Node during a turn",
      CLIENT.replace("socket.close()", "Buffer.from(text)"),
      "Buffer is not defined",
    ],
    ["a builtin of Node", `import "node:net";\n${CLIENT}`, 'Could not resolve "node:net"'],
    ["text that got lost", CLIENT.replace("text +=", "text ="), '"two / two" instead of the text'],
  ])("finds %s", async (_, client, says) => {
    await using consumer = await consumerWith({ "node_modules/agentwire/codebuff.js": client });
    expect(await browserApp(consumer)).toEqual([expect.stringContaining(says)]);
  });
});

describe("the README's first program", () => {
  const program = (code: string): Program => ({ language: "ts", code, line: 1 });
  const GOOD = `import { CodebuffClient } from "agentwire/codebuff";
import { MockCodebuffServer } from "agentwire/testing";
const server: MockCodebuffServer = await MockCodebuffServer.start();
console.log((await new CodebuffClient({ url: server.url }).prompt("hello").result).text);
await server.stop();
`;

  test("passes if it reaches its mock server, prints and exits", async () => {
    await using consumer = await consumerWith();
    expect(await firstProgram(consumer, program(GOOD), NODE)).toBeUndefined();
  });

  test.each([
    ["it fails", 'throw new Error("no such luck");', "no such luck"],
    ["it imports a missing name", 'import { Nothing } from "agentwire/codebuff";\nNothing;', "Nothing"],
    ["it does not parse", "const url: = 1;", "is no ts: "],
    ["it prints nothing", GOOD.replace("console.log", "void "), "prints nothing"],
  ])("is refused if %s", async (_, code, says) => {
    await using consumer = await consumerWith();
    expect(await firstProgram(consumer, program(code), NODE)).toContain(says);
  });
});
