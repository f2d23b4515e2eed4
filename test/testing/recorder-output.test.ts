import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { CodebuffClient } from "agentwire/codebuff";
import {
  MockCodebuffServer,
  parseRecording,
  Recorder,
  type RecordingSink,
  toFile,
  toStream,
} from "agentwire/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { echoServer, recording, withoutTime } from "./recorder-support.ts";

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "recording-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "session.jsonl");
}

describe("the recording reaches its place", () => {
  test("line by line: a file has each line as soon as it has happened", async () => {
    const path = temporaryFile();
    await using recorder = new Recorder({ output: toFile(path) });
    await using server = await echoServer();
    const socket = recorder.watch(new WebSocket(server.url));
    await once(socket, "open");
    socket.send("é\n\u2028");
    expect(withoutTime(parseRecording(readFileSync(path, "utf8")))).toEqual([
      { conn: 1, ev: "open" },
      { conn: 1, dir: "c2s", raw: "é\n\u2028" },
    ]);
    expect(readFileSync(path, "utf8")).toMatch(/\}\n$/);
  });

  test.skipIf(process.platform === "win32")("in a file that nobody else may read", async () => {
    const path = temporaryFile();
    await using _recorder = new Recorder({ output: toFile(path) });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("in a stream, which is flushed by stop() and stays open", async () => {
    const chunks: string[] = [];
    const stream = new Writable({
      write(chunk: Buffer, _encoding, callback) {
        setImmediate(() => {
          chunks.push(String(chunk));
          callback();
        });
      },
    });
    const recorder = new Recorder({ output: toStream(stream) });
    await using server = await echoServer();
    const socket = recorder.watch(new WebSocket(server.url));
    await once(socket, "open");
    for (const data of ["a", "b", "c"]) socket.send(data);
    await recorder.stop();
    expect(parseRecording(chunks.join("")).slice(0, 4)).toHaveLength(4);
    expect(chunks.every((chunk) => chunk.endsWith("}\n"))).toBe(true);
    expect(stream.writable).toBe(true);
  });

  const full = new Error("the disk is full");
  const failing: readonly (readonly [string, RecordingSink | ((line: string) => unknown)])[] = [
    ["throws", () => fail()],
    ["rejects", () => Promise.reject(full)],
    ["is a stream that breaks", toStream(new Writable({ write: (_chunk, _encoding, done) => done(full) }))],
    ["cannot be ended", { write: () => {}, end: () => fail() }],
    ["cannot be ended later", { write: () => {}, end: () => Promise.reject(full) }],
  ];
  const fail = (): never => {
    throw full;
  };

  test.each(failing)(
    "or stop() says why not, and the client notices nothing: a sink that %s",
    async (_, output) => {
      const recorder = new Recorder({ output });
      await using server = await MockCodebuffServer.start({ heartbeat: false, answer: () => ["Hi"] });
      const client = new CodebuffClient({ url: server.url, createWebSocket: recorder.createWebSocket });
      const lost: unknown[] = [];
      client.on("disconnected", (error) => lost.push(error));
      expect((await client.prompt("Hello").result).text).toBe("Hi");
      await client.close();
      await expect(recorder.stop()).rejects.toMatchObject({ cause: full });
      await expect(recorder.stop()).rejects.toBe(recorder.failure);
      expect(lost).toEqual([]);
    },
  );

  test("and ends at the first line that could not be written: a hole would replay what never was", async () => {
    const written: string[] = [];
    const recorder = new Recorder({
      output: (line) => {
        if (line.includes('"b"')) fail();
        written.push(line);
      },
    });
    await using server = await echoServer();
    const socket = recorder.watch(new WebSocket(server.url));
    await once(socket, "open");
    for (const data of ["a", "b", "c"]) {
      socket.send(data);
      await once(socket, "message");
    }
    expect(recorder.failure?.message).toBe("line 4 of the recording could not be written");
    expect(written).toHaveLength(3);
    await expect(recorder.stop()).rejects.toBe(recorder.failure);
  });

  test("and is not complete when a binary message came as a Blob", async () => {
    const { recorder } = recording();
    await using server = await echoServer();
    const socket = recorder.watch(new globalThis.WebSocket(server.url));
    await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
    socket.send(new Blob(["bytes"]));
    expect(recorder.failure?.message).toContain('binaryType to "arraybuffer"');
    socket.close();
    await expect(recorder.stop()).rejects.toBe(recorder.failure);
  });

  test("complete: stop() resolves, and says so every time", async () => {
    let ends = 0;
    const recorder = new Recorder({ output: { write: () => {}, end: () => ends++ } });
    await recorder.stop();
    await recorder.stop();
    expect(recorder.failure).toBeUndefined();
    expect(ends).toBe(1);
  });
});
