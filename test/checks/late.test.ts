import { once } from "node:events";
import { mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import WebSocket, { WebSocketServer } from "ws";
import { isAgentwireError } from "../../src/core/errors.ts";

const ROOT = join(import.meta.dirname, "../..");

/** Code that a page does not load before its first connection. */
const LATE = [
  /src\/codebuff\/requests\/(requests|task)\.ts$/,
  /src\/core\/gate\/gate\.ts$/,
  /eventsource-parser/,
];

/** Builds one entry as an app's bundler does, with each `import()` in files of its own. */
async function built(entry: string, folder: string) {
  const { metafile } = await build({
    entryPoints: [join(ROOT, "src", entry, "index.ts")],
    absWorkingDir: ROOT,
    alias: { "#socket": join(ROOT, "src/core/link/socket.global.ts") },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    metafile: true,
    logLevel: "silent",
    tsconfigRaw: {},
  });
  const { outputs } = metafile;
  const first = new Set(
    Object.keys(outputs).filter((path) => outputs[path]?.entryPoint?.endsWith(`${entry}/index.ts`)),
  );
  for (const path of first)
    for (const { kind, path: next } of outputs[path]?.imports ?? [])
      if (kind === "import-statement") first.add(next);
  const inputs = (paths: Iterable<string>) =>
    [...paths].flatMap((path) => Object.keys(outputs[path]?.inputs ?? {}));
  return { first: inputs(first), all: inputs(Object.keys(outputs)) };
}

describe.each([
  ["codebuff", LATE],
  ["codey", [/src\/core\/gate\/gate\.ts$/]],
] as const)("importing `agentwire/%s`", (entry, late) => {
  test("loads no code that only a connection needs", async () => {
    const folder = await mkdtemp(join(tmpdir(), "agentwire-late-"));
    try {
      const { first, all } = await built(entry, folder);
      for (const path of late) {
        expect(all.some((input) => path.test(input))).toBe(true);
        expect(first.filter((input) => path.test(input))).toEqual([]);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe("code that is loaded while a client connects", () => {
  let folder: string;
  let server: WebSocketServer;
  const answers: unknown[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "agentwire-late-"));
    await built("codebuff", folder);
    server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    await once(server, "listening");
    // A server that asks for a file together with its ack of the identification.
    server.on("connection", (socket) =>
      socket.on("message", (data) => {
        const { type, txid, data: action } = JSON.parse(String(data));
        if (type === "action") answers.push(action);
        if (type !== "identify") return;
        socket.send(JSON.stringify({ type: "ack", txid, success: true }));
        const asked = { type: "read-files", requestId: "r1", filePaths: ["a.txt"] };
        socket.send(JSON.stringify({ type: "action", data: asked }));
        socket.once("message", () => server.emit("answered"));
      }),
    );
  });

  afterAll(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });

  test("fails the connection with what is missing, is loaded again by the next one, and serves its first request", async () => {
    const files = await readdir(folder);
    const room = files.find((name) => name.startsWith("requests-"));
    if (room === undefined) throw new Error(`no file of its own: ${files}`);
    const { CodebuffClient } = await import(pathToFileURL(join(folder, "index.mjs")).href);
    const client = new CodebuffClient({
      url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
      createWebSocket: (url: string) => new WebSocket(url),
      settleWindow: 0,
      reconnect: false,
      onReadFiles: () => ({ "a.txt": "hello" }),
    });
    await rename(join(folder, room), join(folder, "away"));
    const failure: unknown = await client.connect().catch((error: unknown) => error);
    expect(String(failure)).toMatch(/connect-failed.*the code for the server's requests could not be loaded/);
    expect(Reflect.get(Object(failure), "retryable")).toBe(true);
    expect(isAgentwireError(failure)).toBe(true);

    await rename(join(folder, "away"), join(folder, room));
    expect(await readFile(join(folder, room), "utf8")).toContain("read-files");
    const answered = once(server, "answered");
    await client.connect();
    await answered;
    expect(answers).toMatchObject([
      { type: "read-files-response", requestId: "r1", files: { "a.txt": "hello" } },
    ]);
    await client.close();
  });
});
