import { readFileSync } from "node:fs";
import {
  type CassAnswer,
  cassStep,
  ManualClock,
  type MockCassOptions,
  MockCassServer,
} from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { call, RawCass } from "./mock-cass-raw-client.ts";

const USER = "b24df856-2728-4205-a8ec-f5f0055a5c07";

/** One line of a capture: `test/fixtures/cass-v1` and `cass-v2`. */
interface Line {
  readonly dir?: "c2s" | "s2c";
  readonly raw?: string;
  readonly code?: number;
  readonly reason?: string;
  readonly text?: string;
}

/** What the model behind the captured server said to these messages. */
const CAPTURED_MODEL: { readonly [message: string]: ReturnType<CassAnswer> } = {
  hi: ["Hello! <gesture:wave> <emote:happy:0.8>", cassStep.title("A Fake Title")],
  "tool please": [
    "Let me check. <gesture:point>",
    cassStep.tools("recall_journal"),
    "I found it. <emote:excited>",
  ],
};

/** What it knew of its user, which no mock can: taken from the capture. */
function memoriesIn(lines: readonly Line[]): MockCassOptions {
  const thinking = lines.find(({ raw }) => raw?.includes('"memories"'));
  return { memories: JSON.parse(thinking?.raw ?? "{}").memories };
}

function readCapture(name: string, profile: "v1" | "v2" = "v2"): readonly Line[] {
  const url = new URL(`../fixtures/cass-${profile}/${name}.jsonl`, import.meta.url);
  return readFileSync(url, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** Ids and times are new each time; of two strings that are, only the form is compared. */
function withoutIdsAndTimes(raw: string): string {
  return raw
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?/g, "TIME")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "ID");
}

describe("the mock repeats a capture of the real server, byte for byte except ids and times", () => {
  test.each([
    { name: "01-no-token" },
    { name: "02-valid-query-token", inAddress: true },
    { name: "07-auth-msg-valid", authenticates: true },
    { name: "10-auth-invalid-after-valid", inAddress: true },
    { name: "11-ping-status-unknown" },
    { name: "12-chat-anon-no-conv" },
    { name: "13-chat-auth-no-conv-continuous", inAddress: true, knowsTheUser: true },
    { name: "17-tool-loop" },
  ])("$name", async ({ name, inAddress = false, authenticates = false, knowsTheUser = false }) => {
    const lines = readCapture(name);
    await using server = await MockCassServer.start({
      audio: "none", // it had no speech
      ...(knowsTheUser ? memoriesIn(lines) : {}),
      answer: ({ message }) => CAPTURED_MODEL[message] ?? [],
    });
    const { accessToken } = server.addUser({ userId: USER });
    using client = await RawCass.open(server, inAddress ? accessToken : undefined);
    for (const { dir, raw = "" } of lines) {
      if (dir === "c2s") client.say(raw.replace("<access token>", accessToken));
      else {
        const said = await client.raw.next();
        expect(withoutIdsAndTimes(said)).toBe(withoutIdsAndTimes(raw));
        if (raw.includes(USER)) expect(said).toContain(USER);
      }
    }
    expect(await client.barrier()).toEqual([]);
    expect(server.auths.map(({ answer }) => answer)).toEqual(
      authenticates || name.startsWith("10") ? ["auth_success"] : [],
    );
  });

  test("40-sigterm-while-idle-and-while-chat-in-flight", async () => {
    await using server = await MockCassServer.start({ provider: "local", answer: () => [cassStep.hang()] });
    using idle = await RawCass.connected(server);
    using busy = await RawCass.connected(server);
    busy.chat("hi");
    for (const { raw, code } of readCapture("40-sigterm-while-idle-and-while-chat-in-flight")) {
      if (raw !== undefined) expect(withoutIdsAndTimes(await busy.raw.next())).toBe(withoutIdsAndTimes(raw));
      if (code === undefined) continue;
      server.restart();
      expect(await idle.closed).toEqual({ code, reason: "" });
      expect(await busy.closed).toEqual({ code, reason: "" });
    }
    expect(server.conversations.flatMap(({ messages }) => messages)).toEqual([]);
  });

  test("v2, 76-second-frame-mid-turn-keepalive-ping-timeout", async () => {
    const lines = readCapture("76-second-frame-mid-turn-keepalive-ping-timeout");
    const clock = new ManualClock();
    const answer = () => [cassStep.hang()];
    await using server = await MockCassServer.start({ clock, ...memoriesIn(lines), answer });
    const { accessToken } = server.addUser({ userId: userIn(lines) });
    using client = await RawCass.open(server, accessToken);
    for (const { dir, raw = "", code, reason } of lines) {
      if (dir === "c2s") client.say(raw);
      else if (dir === "s2c") await expectSaid(client, raw);
      else if (code !== undefined) {
        await server.waitFor(({ violations }) => violations[0]?.kind === "frame-mid-turn");
        await clock.advance(40_000);
        expect(await client.closed).toEqual({ code, reason });
      }
    }
  });

  test("v2, 80-all-metacognitive-tags", async () => {
    const lines = readCapture("80-all-metacognitive-tags");
    const response = JSON.parse(lines.find(({ raw }) => raw?.includes('"response"'))?.raw ?? "");
    // Its speech is the one thing that is not made of the model's words.
    const answer = () => [response.raw, cassStep.fields({ audio: response.audio })];
    await using server = await MockCassServer.start({ ...memoriesIn(lines), title: "none", answer });
    const { accessToken } = server.addUser({ userId: userIn(lines) });
    using client = await RawCass.open(server, accessToken);
    for (const { dir, raw = "" } of lines) {
      if (dir === "c2s") client.say(raw);
      else if (dir === "s2c") await expectSaid(client, raw);
    }
    expect(await client.barrier()).toEqual([]);
  });

  test("v1, 64-tools-three-rounds", async () => {
    const lines = readCapture("64-tools-three-rounds", "v1");
    const id = idIn(lines);
    const tool = cassStep.tools({ name: "recall_journal", result: "tool says ok" });
    const title = cassStep.title(`Title of ${id.slice(0, 8)}`);
    const answer = () => ["let me check", tool, "more", tool, "more", tool, "[x]", title];
    const options = { profile: "v1", audio: "none", id: () => id, answer } as const;
    await using server = await MockCassServer.start({ ...options, ...memoriesIn(lines) });
    const { accessToken } = server.addUser({ userId: userIn(lines) });
    server.addConversation();
    using client = await RawCass.open(server, accessToken);
    for (const { dir, raw = "" } of lines) {
      if (dir === "c2s") client.say(raw);
      else if (dir === "s2c") await expectSaid(client, raw);
    }
    expect(await client.barrier("v1")).toEqual([]);
  });

  test("v1, 71-auth-same-token-twice", async () => {
    const lines = readCapture("71-auth-same-token-twice", "v1");
    await using server = await MockCassServer.start({ profile: "v1" });
    const { accessToken } = server.addUser({ userId: userIn(lines) });
    using client = await RawCass.open(server, accessToken);
    for (const { dir, raw = "" } of lines) {
      if (dir === "c2s") client.say({ ...JSON.parse(raw), token: accessToken });
      else if (dir === "s2c") await expectSaid(client, raw);
    }
    expect(await client.barrier("v1")).toEqual([]);
  });

  test("v1, 73-leave-mid-turn-and-come-back", async () => {
    const lines = readCapture("73-leave-mid-turn-and-come-back", "v1");
    const id = idIn(lines);
    const options = { profile: "v1", id: () => id, answer: () => [cassStep.hang()] } as const;
    await using server = await MockCassServer.start({ ...options, ...memoriesIn(lines) });
    const { accessToken } = server.addUser({ userId: userIn(lines) });
    server.addConversation();
    using client = await RawCass.open(server, accessToken);
    for (const { dir, raw = "", code, text } of lines) {
      if (dir === "c2s") client.say(raw);
      else if (dir === "s2c") await expectSaid(client, raw);
      else if (code !== undefined) {
        client.raw.socket.terminate();
        expect((await client.closed).code).toBe(code);
      } else if (text !== undefined) {
        const { body } = await call(server, `GET /conversations/${id}/messages`, { token: accessToken });
        expect(`GET messages: ${JSON.stringify(body)}`).toBe(text);
      }
    }
  });
});

/** The user and the conversation of a capture. */
function userIn(lines: readonly Line[]): string {
  return JSON.parse(lines.find(({ raw }) => raw?.includes('"connected"'))?.raw ?? "").user_id;
}

function idIn(lines: readonly Line[]): string {
  return JSON.parse(lines.find(({ dir }) => dir === "c2s")?.raw ?? "").conversation_id;
}

/** The libraries under these servers were younger, and write no spaces between members. */
async function expectSaid(client: RawCass, raw: string): Promise<void> {
  expect(withoutSpaces(withoutIdsAndTimes(await client.raw.next()))).toBe(withoutIdsAndTimes(raw));
}

function withoutSpaces(raw: string): string {
  return raw.replace(/("(?:[^"\\]|\\.)*")|([:,]) /g, "$1$2");
}
