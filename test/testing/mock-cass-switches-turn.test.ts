import {
  cassStep,
  ManualClock,
  type MockCassOptions,
  MockCassServer,
  type MockCassSwitches,
} from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { call, kinds, PROFILES, type Profile, RawCass, type Said } from "./mock-cass-raw-client.ts";

const QUIET = { title: "none", audio: "none" } as const;
const WRONG = "00000000-0000-4000-8000-00000000dead";

/** A server with one known conversation, and a client of it. */
async function made(options: MockCassOptions) {
  const server = await MockCassServer.start(options);
  const { userId, accessToken } = server.addUser();
  const { id } = server.addConversation({ userId });
  const client = await RawCass.connected(server, accessToken);
  return {
    server,
    client,
    id,
    userId,
    accessToken,
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]();
      await server.stop();
    },
  };
}

/** Everything that the server says to one chat in a known conversation. */
async function turn(
  profile: Profile,
  switches: MockCassSwitches,
  answer: MockCassOptions["answer"] = () => ["Hi <gesture:nod>"],
): Promise<readonly Said[]> {
  await using it = await made({ profile, answer, ...QUIET, ...switches });
  it.client.chat("hi", { conversation_id: it.id });
  return [...(await it.client.until("response")), ...(await it.client.barrier(profile))];
}

const hasTags = (profile: Profile) => profile === "documented";

describe.each(PROFILES)("a turn, on the profile %s", (profile) => {
  test.each(["new", "none", "continuous", "continuousOrNew"] as const)(
    "withoutConversation: %s sets the conversation of a chat without an id",
    async (withoutConversation) => {
      for (const somebody of [true, false]) {
        await using server = await MockCassServer.start({ profile, withoutConversation, ...QUIET });
        const { userId, accessToken } = server.addUser();
        using client = await RawCass.connected(server, somebody ? accessToken : undefined);
        const ids = [
          (await client.answerTo("1"))["conversation_id"],
          (await client.answerTo("2"))["conversation_id"],
        ];
        const kept = server.conversations.map((c) => [c.userId, c.continuous, c.messages.length]);
        const owner = somebody ? userId : null;
        const [once, twice] = [
          [[owner, true, 4]],
          [
            [owner, false, 2],
            [owner, false, 2],
          ],
        ];
        expect(kept).toEqual(
          { new: twice, none: [], continuous: once, continuousOrNew: somebody ? once : twice }[
            withoutConversation
          ],
        );
        expect(ids[0] === ids[1]).toBe(kept.length < 2);
        if (withoutConversation === "none") expect(ids).toEqual([null, null]);
      }
    },
  );

  test.each(["model", "error"] as const)(
    "emptyMessage: %s sets the handling of a chat without text",
    async (emptyMessage) => {
      await using it = await made({ profile, emptyMessage, ...QUIET });
      for (const fields of [{ message: "" }, {}]) {
        it.client.say({ type: "chat", ...fields });
        const last = (await it.client.barrier(profile)).at(-1);
        if (emptyMessage === "model") expect(last?.type).toBe("response");
        else expect(last).toMatchObject({ type: "error", message: "Empty message" });
      }
      expect(it.server.turns).toHaveLength(emptyMessage === "model" ? 2 : 0);
    },
  );

  test.each([null, 7, ["hi"]])("a `message` that is not a string fails: %j", async (message) => {
    await using refusing = await made({ profile, emptyMessage: "error" });
    refusing.client.say({ type: "chat", message });
    expect(kinds(await refusing.client.barrier(profile))).toEqual(["error Empty message"]);
    await using trusting = await made({ profile, emptyMessage: "model", failure: "drop" });
    trusting.client.say({ type: "chat", message });
    expect(await trusting.client.closed).toMatchObject({ code: 1006 });
    expect(trusting.client.raw.received).toHaveLength(3);
    expect(trusting.server.turns).toEqual([]);
  });

  test("memories sets the memories of the first thinking frame", async () => {
    const [none] = await turn(profile, { memories: "none" });
    expect(none).toMatchObject({ status: "Processing..." });
    expect(none).not.toHaveProperty("memories");
    const [others] = await turn(profile, { memories: { tool_count: 9, has_context: false } });
    expect(others?.["memories"]).toEqual(
      profile === "relay" ? undefined : { tool_count: 9, has_context: false },
    );
    const [usual] = await turn(profile, { memories: "usual" });
    expect(usual?.["memories"]).toEqual(
      profile === "relay" ? undefined : expect.objectContaining({ has_context: true }),
    );
  });

  test("statusTexts replaces the status texts of thinking frames", async () => {
    const statusTexts = {
      retrieving: "R",
      processing: "P",
      generating: "G",
      tools: "T",
      intro: "I",
      demo: "D",
    };
    const said = kinds(await turn(profile, { statusTexts }, () => [cassStep.tools("t"), "Hi"]));
    expect(said.filter((word) => word.startsWith("thinking")).slice(0, 3)).toEqual([
      "thinking R",
      "thinking G",
      "thinking T",
    ]);
    expect(kinds(await turn(profile, { statusTexts, memories: "none" }))[0]).toBe("thinking P");
    await using it = await made({ profile, statusTexts, onboarding: "answered", ...QUIET });
    it.client.say({ type: "onboarding_intro", user_id: it.userId, conversation_id: it.id });
    it.client.say({ type: "onboarding_demo", user_id: it.userId });
    const both = kinds(await it.client.barrier(profile)).filter((word) => word.startsWith("thinking"));
    expect(both).toEqual(["thinking I", "thinking D"]);
  });

  test.each([0, 1, 3])("toolRounds: %d adds this many tool rounds before the answer", async (toolRounds) => {
    const said = kinds(await turn(profile, { toolRounds }));
    const rounds = said.filter((word) => /^thinking (Executing|Using)/.test(word));
    expect(rounds).toHaveLength(toolRounds);
    expect(said.at(-1)).toBe(hasTags(profile) ? "response Hi <gesture:nod>" : "response Hi");
  });

  test.each([true, false])("emptyText: %s sets whether the response's `text` is empty", async (emptyText) => {
    const text = (await turn(profile, { emptyText })).at(-1)?.["text"];
    expect(text).toBe(emptyText ? "" : hasTags(profile) ? "Hi <gesture:nod>" : "Hi");
  });

  test.each([true, false])(
    "tagLeaks: %s sets whether the text ends with unremoved tags",
    async (tagLeaks) => {
      const text = (await turn(profile, { tagLeaks })).at(-1)?.["text"];
      const leaks = " </gesture:wave> <GESTURE:wave> <memory:leak> <emote:happy:1.> <gesture:wave/>";
      const all = ` <emote:thinking>${leaks}`;
      const expected = {
        documented: `Hi <gesture:nod>${all}`,
        v1: `Hi${leaks}`,
        v2: `Hi${all}`,
        relay: `Hi${all}`,
      };
      expect(text).toBe(tagLeaks ? expected[profile] : hasTags(profile) ? "Hi <gesture:nod>" : "Hi");
    },
  );

  test.each([true, false])(
    "unexecutedToolUses: %s sets whether `tool_uses` has an unexecuted tool",
    async (unexecutedToolUses) => {
      const response = (await turn(profile, { unexecutedToolUses })).at(-1);
      const isTold = profile === "v1" || profile === "v2";
      const uses = unexecutedToolUses ? [{ id: "toolu_1", tool: "recall_journal", input: {} }] : [];
      expect(response?.["tool_uses"]).toEqual(isTold ? uses : undefined);
    },
  );

  test.each(["none", "NaN", "Infinity", "-Infinity"] as const)(
    "nonFinite: %s replaces token counts and intensities",
    async (nonFinite) => {
      await using it = await made({ profile, nonFinite, answer: () => ["Hi <gesture:nod>"], ...QUIET });
      it.client.chat("hi");
      await it.client.take(2);
      const raw = await it.client.raw.next();
      const names = profile === "relay" ? ["inputTokens", "outputTokens"] : ["input_tokens", "output_tokens"];
      for (const name of names)
        expect(raw).toMatch(new RegExp(`"${name}": ${nonFinite === "none" ? "\\d" : nonFinite}`));
      if (profile === "v1" || profile === "v2")
        expect(raw).toContain(`"intensity": ${nonFinite === "none" ? "1.0" : nonFinite}`);
    },
  );

  test.each(["actual", "missing", "wrong", "null"] as const)(
    "conversationEcho: %s sets the response's `conversation_id`",
    async (conversationEcho) => {
      await using it = await made({ profile, conversationEcho, ...QUIET });
      const response = await it.client.answerTo("hi", { conversation_id: it.id });
      const expected = { actual: it.id, missing: undefined, wrong: WRONG, null: null }[conversationEcho];
      expect(response["conversation_id"]).toBe(expected);
      expect("conversation_id" in response).toBe(conversationEcho !== "missing");
      expect(it.server.conversations[0]?.messages).toHaveLength(2);
    },
  );

  test.each(["after", "before", "none"] as const)("title: %s sets when the title comes", async (title) => {
    const types = (await turn(profile, { title }, () => ["Hi", cassStep.title("T")]))
      .map(({ type }) => type)
      .slice(2);
    const name = profile === "documented" ? "title_update" : "title_updated";
    expect(types).toEqual(
      { after: ["response", name], before: [name, "response"], none: ["response"] }[title],
    );
  });

  test.each([true, false])(
    "errorThenResponse: %s sets whether an error precedes the response",
    async (errorThenResponse) => {
      const types = (await turn(profile, { errorThenResponse })).map(({ type }) => type).slice(2);
      expect(types).toEqual(errorThenResponse ? ["error", "response"] : ["response"]);
    },
  );

  test.each(["none", "duplicate", "unsolicited"] as const)(
    "extraResponse: %s sets whether a second or unsolicited response comes",
    async (extraResponse) => {
      await using server = await MockCassServer.start({ profile, extraResponse, ...QUIET });
      using client = await RawCass.connected(server);
      client.chat("hi");
      const types = (await client.barrier(profile)).map(({ type }) => type);
      const usual = ["thinking", "thinking", "response"];
      const expected = {
        none: usual,
        duplicate: [...usual, "response"],
        unsolicited: ["response", ...usual],
      };
      expect(types).toEqual(expected[extraResponse]);
      if (extraResponse !== "duplicate") return;
      const [first, second] = client.raw.received.filter((raw) => raw.includes('"response"'));
      expect(first).toBe(second);
    },
  );
});

describe.each(PROFILES)("speech, on the profile %s", (profile) => {
  const isInline = profile === "v1" || profile === "v2";

  test.each(["none", "inline", "huge", "malformed", "url", "legacy"] as const)(
    "audio: %s sets the form of speech",
    async (audio) => {
      const [, , response, ...rest] = await turn(profile, { audio });
      const base64 = response?.["audio"];
      const isIn = isInline && ["inline", "huge", "malformed"].includes(audio);
      expect(response?.["audio_format"]).toBe(isInline ? (isIn ? "mp3" : null) : undefined);
      if (isIn && audio === "inline") expect(Buffer.from(String(base64), "base64").length).toBe(720);
      if (isIn && audio === "huge")
        expect(Buffer.from(String(base64), "base64").length).toBeGreaterThanOrEqual(8_388_608);
      if (isIn && audio === "malformed") expect(() => atob(String(base64))).toThrow();
      const url = expect.stringMatching(/^\/audio\/[0-9a-f-]+\.wav$/);
      if (audio === "url") expect(rest).toMatchObject([{ type: "audio", url }]);
      else if (audio === "legacy")
        expect(rest).toMatchObject([{ type: "audio", audio: expect.stringMatching(/^\/\/NkwA/) }]);
      else expect(rest).toEqual([]);
    },
  );

  test.each(["relative", "absolute", "foreign"] as const)(
    "audioUrl: %s sets the address of speech, which can be fetched",
    async (audioUrl) => {
      await using it = await made({ profile, audio: "url", audioUrl, title: "none", basePath: "/cass" });
      await it.client.answerTo("hi");
      const { url } = await it.client.next();
      const { origin, port } = new URL(it.server.httpUrl);
      const begin = { relative: "", absolute: origin, foreign: `http://localhost:${port}` }[audioUrl];
      expect(String(url).startsWith(`${begin}/cass/audio/`)).toBe(true);
      const response = await fetch(new URL(String(url), it.server.httpUrl));
      expect(response.headers.get("content-type")).toBe("audio/wav");
      expect(Buffer.from(await response.arrayBuffer()).toString("latin1")).toMatch(/^RIFF&\0\0\0WAVEfmt /);
      expect(await call(it.server, "GET /audio/x.wav")).toEqual({
        status: 404,
        body: { detail: "Not Found" },
      });
    },
  );

  test.each(["afterResponse", "late"] as const)(
    "audioTiming: %s sets when the audio frame comes",
    async (audioTiming) => {
      await using it = await made({ profile, audio: "url", audioTiming, title: "none" });
      it.client.chat("one");
      const first = (await it.client.barrier(profile)).map(({ type }) => type);
      it.client.chat("two");
      const second = (await it.client.barrier(profile)).map(({ type }) => type);
      const usual = ["thinking", "thinking", "response"];
      const [after, late] = [
        [...usual, "audio"],
        ["thinking", "audio", "thinking", "response"],
      ];
      expect([first, second]).toEqual(audioTiming === "late" ? [usual, late] : [after, after]);
    },
  );
});

describe.each(PROFILES)("consolidating memories, on the profile %s", (profile) => {
  const complete = [
    ["evaluating", "🔍 Evaluating memory consolidation (2 messages)..."],
    ["summarizing", "📝 Consolidating 2 messages into memory..."],
    ["complete", "✓ Memory consolidated (2 messages summarized)"],
    ["working_summary", "🔄 Updating working summary..."],
    ["complete", "✓ Working summary updated"],
  ];
  const shown = (said: readonly Said[]) =>
    said.filter(({ type }) => type === "system").map(({ status, message }) => [status, message]);
  const expected = (all: readonly (readonly string[])[]) =>
    all.map(([status, message]) => [profile === "documented" ? undefined : status, message]);
  const wish = () => ["Hi <memory:summarize>"];

  test.each(["after", "nextTurn", "none"] as const)(
    "systemFrames: %s sets when the frames about memories come",
    async (systemFrames) => {
      await using it = await made({ profile, systemFrames, answer: wish, ...QUIET });
      it.client.chat("one", { conversation_id: it.id });
      const first = await it.client.barrier(profile);
      it.server.answer = () => ["Hi"];
      it.client.chat("two", { conversation_id: it.id });
      const second = await it.client.barrier(profile);
      expect([shown(first), shown(second)]).toEqual(
        { after: [expected(complete), []], nextTurn: [[], expected(complete)], none: [[], []] }[systemFrames],
      );
      if (systemFrames === "nextTurn")
        expect(second.map(({ type }) => type).slice(0, 2)).toEqual(["thinking", "system"]);
    },
  );

  test.each([
    ["complete", complete],
    [
      "deferred",
      [complete[0] ?? [], ["deferred", "⏸ Deferring memory consolidation: the topic is still open"]],
    ],
    ["failed", [complete[0] ?? [], complete[1] ?? [], ["error", "❌ Memory consolidation failed"]]],
  ] as const)("consolidation: %s sets the outcome of consolidation", async (consolidation, frames) => {
    await using it = await made({ profile, systemFrames: "after", consolidation, answer: wish, ...QUIET });
    it.client.chat("one", { conversation_id: it.id });
    expect(shown(await it.client.barrier(profile))).toEqual(expected(frames));
    expect(it.server.conversations[0]?.summarized).toBe(consolidation === "complete" ? 2 : 0);
  });

  test.each(["off", 4] as const)(
    "consolidateAfter: %s sets after how many messages it consolidates",
    async (consolidateAfter) => {
      await using it = await made({ profile, systemFrames: "after", consolidateAfter, ...QUIET });
      const counts: number[] = [];
      for (const message of ["one", "two", "three", "four"]) {
        it.client.chat(message, { conversation_id: it.id });
        counts.push(shown(await it.client.barrier(profile)).length);
      }
      expect(counts).toEqual(consolidateAfter === "off" ? [0, 0, 0, 0] : [0, 5, 0, 5]);
    },
  );
});

describe.each(PROFILES)("storing messages, on the profile %s", (profile) => {
  const count = (server: MockCassServer) => server.conversations[0]?.messages.length;

  test('persistence: "beforeResponse" stores them before the response', async () => {
    await using it = await made({ profile, ...QUIET });
    await it.client.answerTo("hi", { conversation_id: it.id });
    expect(count(it.server)).toBe(2);
  });

  test('persistence: "late" stores them after `persistDelay`', async () => {
    const clock = new ManualClock();
    await using it = await made({ profile, clock, persistence: "late", persistDelay: 5_000, ...QUIET });
    await it.client.answerTo("hi", { conversation_id: it.id });
    await clock.advance(4_999);
    expect(count(it.server)).toBe(0);
    await clock.advance(1);
    expect(count(it.server)).toBe(2);
    expect(clock.pending).toBe(0);
  });

  test('persistence: "never" stores nothing', async () => {
    const clock = new ManualClock();
    await using it = await made({ profile, clock, persistence: "never", ...QUIET });
    await it.client.answerTo("hi", { conversation_id: it.id });
    await clock.advance(60_000);
    expect(count(it.server)).toBe(0);
  });
});
