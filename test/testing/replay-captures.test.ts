import { readdirSync, readFileSync } from "node:fs";
import { CodebuffClient } from "agentwire/codebuff";
import { ManualClock, parseRecording, type RecordingLine, Replayer } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { RawClient } from "./mock-codebuff-raw-client.ts";

const folder = (name: string) => new URL(`../fixtures/${name}/`, import.meta.url);
const proxyCaptures = readdirSync(folder("codebuff-proxy"));

/** The captures do not say who closed; their client had these words. */
const clientClosed = ({ code, reason }: { readonly code: number; readonly reason: string }) =>
  code === 1005 || reason === "bye";

/** The lines of each connection, in the order of their opening. */
function connectionsOf(lines: readonly RecordingLine[]): readonly (readonly RecordingLine[])[] {
  const conns = new Set(lines.map(({ conn }) => conn));
  return [...conns].map((wanted) => lines.filter(({ conn }) => conn === wanted));
}

describe("every captured exchange with the real proxy replays byte for byte", () => {
  test("there are twenty-one captures", () => {
    expect(proxyCaptures).toHaveLength(21);
  });

  test.each(proxyCaptures)("%s, immediately", async (name) => {
    const file = new URL(name, folder("codebuff-proxy"));
    await using replayer = await Replayer.start({ file });
    for (const lines of connectionsOf(parseRecording(readFileSync(file, "utf8")))) {
      using client = await RawClient.connect(replayer.url);
      const heard: string[] = [];
      for (const line of lines) {
        if (line.ev === "close") {
          if (clientClosed(line)) continue;
          expect(await client.closed).toEqual({ code: line.code, reason: line.reason });
        } else if (line.ev === undefined) {
          if (line.dir === "c2s") client.send(line.raw);
          else heard.push(await client.next());
        }
      }
      const said = lines.flatMap((line) => (line.ev === undefined && line.dir === "s2c" ? line.raw : []));
      expect(heard).toEqual(said);
      expect(client.received).toEqual(said);
      await replayer.waitFor(({ connections }) => connections.at(-1)?.over);
    }
  });

  test.each(proxyCaptures)("%s, at its own pace", async (name) => {
    const file = new URL(name, folder("codebuff-proxy"));
    const clock = new ManualClock();
    await using replayer = await Replayer.start({ file }, { timing: "recorded", clock });
    for (const [index, lines] of connectionsOf(parseRecording(readFileSync(file, "utf8"))).entries()) {
      using client = await RawClient.connect(replayer.url);
      await replayer.waitFor(({ connections }) => connections.length > index);
      let ms = lines[0]?.ms ?? 0;
      let sent = 0;
      for (const line of lines) {
        const delay = line.ms - ms;
        ms = line.ms;
        if (line.ev === undefined && line.dir === "c2s") {
          client.send(line.raw);
          sent++;
          await replayer.waitFor(({ connections }) => connections[index]?.received.length === sent);
          continue;
        }
        if (delay > 0) {
          expect(clock.next).toBe(delay);
          await clock.advance(delay);
        }
        if (line.ev === undefined) expect(await client.next()).toBe(line.raw);
        else if (line.ev === "close" && !clientClosed(line))
          expect(await client.closed).toEqual({ code: line.code, reason: line.reason });
      }
      expect(clock.pending).toBe(0);
      expect(replayer.connections[index]?.over).toBe(true);
    }
  });
});

describe("a capture of the published SDK and its server, in the older form with `frame`", () => {
  const replayOf = (name: string, connection: number, unsent?: (raw: string) => boolean) =>
    Replayer.start(
      { file: new URL(`${name}.frames.jsonl`, folder("codebuff-ws-sdk")) },
      { connections: [connection], ...(unsent ? { unsent } : {}) },
    );

  const clientOf = (replayer: Replayer) =>
    new CodebuffClient({ url: replayer.url, clock: new ManualClock(), profile: "codebuff" });

  test("streams its text to our client", async () => {
    const answers = (raw: string) => /"type":"(read-files-response|tool-call-response)"/.test(raw);
    await using replayer = await replayOf("basic", 1, answers);
    await using client = clientOf(replayer);
    replayer.goOn();
    const turn = client.prompt("hi");
    const { text, promptId, output } = await turn.result;
    expect({ text, promptId, output }).toEqual({
      text: "Hello",
      promptId: turn.id,
      output: { type: "lastMessage", value: "done" },
    });
  });

  test("fails the prompt with the server's error message", async () => {
    await using replayer = await replayOf("prompt-error", 1);
    await using client = clientOf(replayer);
    const turn = client.prompt("x");
    await expect(turn.result).rejects.toMatchObject({
      code: "turn-failed",
      kind: "prompt-error",
      serverMessage: "Internal error",
      serverError: "boom",
      promptId: turn.id,
    });
  });

  test("answers a prompt after the server requests a reconnect", async () => {
    await using replayer = await replayOf("request-reconnect", 1);
    await using client = clientOf(replayer);
    expect(await client.prompt("x").result).toMatchObject({ output: { value: "done" } });
    await replayer.waitFor(({ connections: [played] }) => played?.over);
  });

  test("leaves the close to the client, as the capture's close reason shows", async () => {
    await using replayer = await replayOf("basic", 2);
    using client = await RawClient.connect(replayer.url);
    client.send('{"type":"action","txid":7,"data":{"promptId":"mine"}}');
    expect(await client.next()).toBe('{"type":"ack","txid":7,"success":true}');
    await replayer.waitFor(({ connections: [played] }) => played?.over);
    expect(replayer.connections[0]?.closed).toBeUndefined();
  });
});
