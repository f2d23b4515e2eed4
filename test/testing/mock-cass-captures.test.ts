import { readFileSync } from "node:fs";
import { type CassAnswer, cassStep, type MockCassOptions, MockCassServer } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { RawCass } from "./mock-cass-raw-client.ts";

const USER = "b24df856-2728-4205-a8ec-f5f0055a5c07";

/** One line of a capture: `test/fixtures/cass-v2`. */
interface Line {
  readonly dir?: "c2s" | "s2c";
  readonly raw?: string;
  readonly code?: number;
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

function readCapture(name: string): readonly Line[] {
  const url = new URL(`../fixtures/cass-v2/${name}.jsonl`, import.meta.url);
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

describe("what the real server was heard to say comes out the same, byte for byte but for ids and times", () => {
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
});
