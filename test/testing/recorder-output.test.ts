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

describe("a recorder's output", () => {
  test("has each line in the file as soon as the event has happened", async () => {
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

  test.skipIf(process.platform === "win32")("is a file that only its owner can read", async () => {
    const path = temporaryFile();
    await using _recorder = new Recorder({ output: toFile(path) });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("can be a stream, which `stop()` flushes and leaves open", async () => {
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
    ["throws at its end", { write: () => {}, end: () => fail() }],
    ["rejects at its end", { write: () => {}, end: () => Promise.reject(full) }],
  ];
  const fail = (): never => {
    throw full;
  };

  test.each(failing)(
    "may fail without effect on the client, and `stop()` rejects: a sink that %s",
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

  test("ends at the first failed line, since a gap would make the replay wrong", async () => {
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

  test("is incomplete if a binary message came as a Blob, and `stop()` rejects", async () => {
    const { recorder } = recording();
    await using server = await echoServer();
    const socket = recorder.watch(new globalThis.WebSocket(server.url));
    await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
    socket.send(new Blob(["bytes"]));
    expect(recorder.failure?.message).toContain('binaryType to "arraybuffer"');
    socket.close();
    await expect(recorder.stop()).rejects.toBe(recorder.failure);
  });

  test("is complete if `stop()` resolves, which may be called twice", async () => {
    let ends = 0;
    const recorder = new Recorder({ output: { write: () => {}, end: () => ends++ } });
    await recorder.stop();
    await recorder.stop();
    expect(recorder.failure).toBeUndefined();
    expect(ends).toBe(1);
  });
});
