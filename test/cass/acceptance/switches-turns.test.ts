import type { CassAudio, CassThinkingEvent } from "agentwire/cass";
import { cassStep } from "agentwire/testing";
import { expect } from "vitest";
import { type CassTurn, collect, eventsOf, once, says, works } from "../../helpers/cass.ts";
import { onEach, type Scene } from "./each.ts";
import { kept } from "./made.ts";
import { byProfile } from "./profiles.ts";

const firstThinking = (turn: CassTurn): Promise<CassThinkingEvent> =>
  new Promise((resolve) => {
    const off = turn.on("event", (event) => {
      if (event.type !== "thinking") return;
      off();
      resolve(event);
    });
  });

/** Speech behind its response, and whose it is. */
const audioOf = ({ client }: Scene): Promise<readonly [CassAudio, CassTurn]> =>
  new Promise((resolve) => {
    client.on("audio", (audio, turn) => resolve([audio, turn as CassTurn]));
  });

// --- conversations ---

for (const withoutConversation of ["new", "none", "continuous", "continuousOrNew"] as const) {
  onEach(
    `switch withoutConversation=${withoutConversation} & difference 11: the id that the server chose is the conversation's from then on`,
    { mock: { withoutConversation }, warns: withoutConversation === "none" ? ["conversation-not-kept"] : [] },
    async ({ client, server }) => {
      const conversation = client.conversation();
      await conversation.prompt("one").result;
      await conversation.prompt("two").result;
      const id = server.conversations[0]?.id ?? null;
      expect(conversation.state.conversationId).toBe(id);
      expect(id === null).toBe(withoutConversation === "none");
      expect(server.turns.map(({ conversationId }) => conversationId)).toEqual([null, id]);
    },
  );
}

for (const conversationEcho of ["actual", "missing", "wrong", "null"] as const) {
  onEach(
    `switch conversationEcho=${conversationEcho}: what a conversation is known by does not change`,
    { mock: { conversationEcho }, warns: conversationEcho === "wrong" ? ["conversation-mismatch"] : [] },
    async (scene) => {
      const id = kept(scene);
      const conversation = scene.client.conversation({ id });
      const { conversationId } = await conversation.prompt("one").result;
      await conversation.prompt("two").result;
      expect(conversationId).toEqual(
        { actual: id, missing: undefined, wrong: "00000000-0000-4000-8000-00000000dead", null: null }[
          conversationEcho
        ],
      );
      expect(scene.server.turns.map(({ conversationId: sent }) => sent)).toEqual([id, id]);
    },
  );
}

for (const emptyMessage of ["model", "error"] as const) {
  onEach(
    `switch emptyMessage=${emptyMessage}: blank prompts go out only where that is asked for, and what comes of it is told`,
    { mock: { emptyMessage }, mistakes: ["empty-message"] },
    async ({ client }) => {
      const outcome = await client.prompt("", { allowEmpty: true }).outcome;
      expect(outcome).toMatchObject(
        emptyMessage === "model"
          ? { status: "completed", result: { text: "Hello!" } }
          : { status: "failed", error: { code: "turn-failed", kind: "empty-message" } },
      );
      expect(await works(client)).toBe("Hello!");
    },
  );
}

// --- onboarding ---

for (const introWithoutConversation of ["accepted", "error"] as const) {
  onEach(
    `switch introWithoutConversation=${introWithoutConversation} & difference 7: null is for servers that take it`,
    { mock: { introWithoutConversation, onboarding: "answered" } },
    async ({ client, user: { userId } }) => {
      const { outcome } = client.onboardingIntro({ userId, conversationId: null });
      expect(await outcome).toMatchObject(
        introWithoutConversation === "accepted"
          ? { status: "completed", result: { text: "Hello!" } }
          : { status: "failed", error: { kind: "missing-ids" } },
      );
    },
  );
}

for (const onboarding of ["answered", "unknown"] as const) {
  onEach(
    `switch onboarding=${onboarding}: ${onboarding === "answered" ? "both kinds are answered" : "that the server does not know it is a typed error"}`,
    { mock: { onboarding } },
    async (scene) => {
      const { client, user } = scene;
      const { userId } = user;
      const turns = [
        client.onboardingIntro({ userId, conversationId: kept(scene) }),
        client.onboardingDemo({ userId, message: "more", profile: { values: ["honesty"] } }),
      ];
      for (const { outcome } of turns)
        expect(await outcome).toMatchObject(
          onboarding === "answered"
            ? { status: "completed", result: { text: "Hello!" } }
            : { status: "failed", error: { code: "turn-failed", kind: "unknown-type" } },
        );
    },
  );
}

// --- what is said on the way ---

const MEMORIES = { has_context: true, dreams_count: 3, context_sizes: { total: 7 } };
for (const memories of ["usual", "none", MEMORIES] as const) {
  const name = typeof memories === "string" ? memories : "open";
  onEach(
    `switch memories=${name} & difference 10: what the server remembered is told as it came`,
    { mock: { memories } },
    async ({ client, profile }) => {
      const turn = client.prompt("hi");
      const first = await firstThinking(turn);
      expect(first.progress.kind).toBe(memories === "none" ? "processing" : "retrieving");
      const told = memories === "none" || profile === "relay" ? undefined : memories;
      if (told === "usual")
        expect(first.memories).toMatchObject({ has_context: true, summaries_count: expect.any(Number) });
      else expect(first.memories).toEqual(told);
      await turn.result;
    },
  );
}

for (const memoryCount of [42, 7]) {
  onEach(
    `switch memoryCount=${memoryCount}: the status has it`,
    { mock: { memoryCount, status: "answered" } },
    async ({ client }) =>
      expect(await client.getStatus()).toEqual({ sdkMode: true, memoryCount, timestamp: expect.any(String) }),
  );
}

const WORDS = {
  retrieving: "Digging...",
  generating: "Writing...",
  tools: "Hammering...",
  processing: "Mm...",
};
for (const statusTexts of [{}, WORDS]) {
  const name = statusTexts === WORDS ? "others" : "usual";
  onEach(
    `switch statusTexts=${name}: words are read where they are known, and passed on in any case`,
    { mock: { statusTexts } },
    async ({ client, server, profile }) => {
      says(server, "a", cassStep.tools("look"), "b");
      const turn = client.prompt("hi");
      const events = eventsOf(turn);
      await turn.result;
      const thinking = events.flatMap((event) => (event.type === "thinking" ? [event] : []));
      const kinds = thinking.map(({ progress }) => progress.kind);
      const again = byProfile(profile, { documented: ["other"], relay: ["generating"], rest: [] });
      if (statusTexts === WORDS) {
        expect(kinds.every((kind) => kind === "other")).toBe(true);
        expect(thinking.map(({ status }) => status)).toEqual(
          expect.arrayContaining(["Digging...", "Writing...", "Hammering..."]),
        );
      } else expect(kinds).toEqual(["retrieving", "generating", "tools", ...again]);
    },
  );
}

for (const toolRounds of [0, 3]) {
  onEach(
    `switch toolRounds=${toolRounds}: each round is told, and the turn ends once`,
    { mock: { toolRounds } },
    async ({ client, profile }) => {
      const turn = client.prompt("hi");
      const events = eventsOf(turn);
      expect((await turn.result).text).toBe("Hello!");
      const tools = events.filter((event) => event.type === "thinking" && event.progress.kind === "tools");
      const loops = events.flatMap((event) =>
        event.type === "debug" && event.debug.kind === "loop" ? [event.debug.round] : [],
      );
      expect(tools.length).toBe(toolRounds);
      expect(loops).toEqual(profile === "relay" ? [] : [1, 2, 3].slice(0, toolRounds));
      expect(events.filter(({ type }) => type === "response").length).toBe(1);
    },
  );
}

// --- the response ---

for (const emptyText of [false, true]) {
  onEach(
    `switch emptyText=${emptyText}: an empty answer is one`,
    { mock: { emptyText } },
    async ({ client }) => {
      // The text of the response counts; what `raw` says besides is not in it.
      expect((await client.prompt("hi").result).text).toBe(emptyText ? "" : "Hello!");
    },
  );
}

for (const tagLeaks of [false, true]) {
  onEach(`switch tagLeaks=${tagLeaks}: no tag is in the text`, { mock: { tagLeaks } }, async ({ client }) => {
    const { text, animations } = await client.prompt("hi").result;
    expect(text).toBe("Hello!");
    expect(animations.map(({ index }) => index)).toEqual(animations.map((_, index) => index));
  });
}

for (const unexecutedToolUses of [false, true]) {
  onEach(
    `switch unexecutedToolUses=${unexecutedToolUses}: tools that were not run are in the result, where the server tells`,
    { mock: { unexecutedToolUses } },
    async ({ client, profile }) => {
      const { toolUses } = await client.prompt("hi").result;
      const told = unexecutedToolUses && (profile === "v1" || profile === "v2");
      expect(toolUses.map(({ tool }) => tool)).toEqual(told ? ["recall_journal"] : []);
    },
  );
}

for (const nonFinite of ["none", "NaN", "Infinity", "-Infinity"] as const) {
  onEach(
    `switch nonFinite=${nonFinite}: figures that are none are left out, and the turn is not lost`,
    { mock: { nonFinite } },
    async ({ client, profile }) => {
      const { usage, animations, text } = await client.prompt("hi").result;
      expect(text).toBe("Hello!");
      expect(usage?.inputTokens).toBe(nonFinite === "none" ? 1_500 : undefined);
      const tells = nonFinite === "none" && profile !== "documented";
      expect(animations.map(({ intensity }) => intensity)).toEqual(
        profile === "relay" ? [] : [1, tells ? 0.8 : 1],
      );
      expect(await works(client)).toBe("Hello!");
    },
  );
}

// --- speech ---

for (const audio of ["none", "inline", "huge", "malformed", "url", "legacy"] as const) {
  onEach(
    `switch audio=${audio}: ${audio === "malformed" ? "what is no speech is left out, and the turn is not lost" : "speech is where it came, and no turn waits for it"}`,
    (profile) => ({
      mock: { audio },
      warns: audio === "malformed" && (profile === "v1" || profile === "v2") ? ["unreadable-audio"] : [],
    }),
    async (scene) => {
      const { client, profile } = scene;
      const behind = audio === "url" || audio === "legacy" ? audioOf(scene) : undefined;
      const turn = client.prompt("speak");
      const result = await turn.result;
      expect(result.text).toBe("Hello!");
      const inline = profile === "v1" || profile === "v2";
      const bytes = await result.audio?.bytes();
      const inResponse = inline && (audio === "inline" || audio === "huge");
      expect(bytes?.length).toBe(inResponse ? (audio === "huge" ? 8_388_720 : 720) : undefined);
      if (!behind) return;
      const [sound, whose] = await behind;
      expect(whose).toBe(turn);
      expect(sound.mediaType).toBe(audio === "url" ? "audio/wav" : "audio/mpeg");
      expect(sound.url === undefined).toBe(audio === "legacy");
      expect((await sound.bytes()).length).toBe(audio === "url" ? 46 : 720);
    },
  );
}

for (const audioUrl of ["relative", "absolute", "foreign"] as const) {
  onEach(
    `switch audioUrl=${audioUrl}: the address is whole, and the token goes to its own server alone`,
    { mock: { audio: "url", audioUrl, basePath: "/cass" } },
    async (scene) => {
      const { client, server } = scene;
      const behind = audioOf(scene);
      await client.prompt("speak").result;
      const [{ url = "", bytes }] = await behind;
      expect(new URL(url).pathname).toMatch(/^\/cass\/audio\/.+\.wav$/);
      expect(new URL(url).origin === new URL(server.httpUrl).origin).toBe(audioUrl !== "foreign");
      expect((await bytes()).length).toBe(46);
      expect(server.requests.map(({ headers }) => "authorization" in headers)).toEqual([
        audioUrl !== "foreign",
      ]);
    },
  );
}

for (const audioTiming of ["afterResponse", "late"] as const) {
  onEach(
    `switch audioTiming=${audioTiming}: it is of the turn that has ended, not of the one that runs`,
    { mock: { audio: "legacy", audioTiming } },
    async (scene) => {
      const { client } = scene;
      const first = audioOf(scene);
      const turn = client.prompt("one");
      await turn.result;
      const next = client.prompt("two");
      const events = eventsOf(next);
      const [, whose] = await first;
      expect(whose).toBe(turn);
      await next.result;
      expect(events.map(({ type }) => type)).toEqual(["thinking", "thinking", "response"]);
    },
  );
}

// --- what is not of a turn ---

for (const title of ["after", "before", "none"] as const) {
  onEach(
    `switch title=${title}: ${title === "none" ? "nobody waits for one" : "it is known by its conversation"}`,
    { mock: { title } },
    async (scene) => {
      const { client, server } = scene;
      const id = kept(scene);
      says(server, "Hi", cassStep.title("Of hats"));
      const order: string[] = [];
      client.on("event", ({ type }) => void (type === "response" && order.push(type)));
      client.on("title", () => void order.push("title"));
      const told = title === "none" ? undefined : once(client, "title");
      await client.prompt({ message: "hats", conversationId: id }).result;
      await told;
      await works(client);
      const expected = { after: ["response", "title"], before: ["title", "response"], none: ["response"] };
      expect(order.slice(0, 2)).toEqual(title === "none" ? ["response", "response"] : expected[title]);
      expect(client.titleOf(id)).toBe(title === "none" ? undefined : "Of hats");
    },
  );
}

for (const systemFrames of ["after", "nextTurn", "none"] as const) {
  onEach(
    `switch systemFrames=${systemFrames}: they are the connection's, and of no turn`,
    { mock: { systemFrames } },
    async (scene) => {
      const { client, server } = scene;
      const system = collect(client, "system");
      const done =
        systemFrames === "none"
          ? undefined
          : once(client, "system", ({ message }) => message.includes("✓ Working"));
      says(server, "Hi <memory:summarize>");
      const conversation = client.conversation({ id: kept(scene) });
      await conversation.prompt("one").result;
      says(server, "Ho");
      const next = conversation.prompt("two");
      const events = eventsOf(next);
      await next.result;
      await done;
      expect(system.length).toBe(systemFrames === "none" ? 0 : 5);
      expect(events.map(({ type }) => type)).toEqual(["thinking", "thinking", "response"]);
    },
  );
}

for (const consolidateAfter of ["off", 2] as const) {
  onEach(
    `switch consolidateAfter=${consolidateAfter}: it is told`,
    { mock: { consolidateAfter, systemFrames: "after" } },
    async (scene) => {
      const { client } = scene;
      const system = collect(client, "system");
      const conversation = client.conversation({ id: kept(scene) });
      await conversation.prompt("one").result;
      await conversation.prompt("two").result;
      await works(client); // behind which nothing of theirs comes
      expect(system.length > 0).toBe(consolidateAfter === 2);
    },
  );
}

const ENDS = { complete: "complete", deferred: "deferred", failed: "error" };
for (const consolidation of ["complete", "deferred", "failed"] as const) {
  onEach(
    `switch consolidation=${consolidation}: its end is told in the server's words`,
    { mock: { consolidation, systemFrames: "after" } },
    async (scene) => {
      const { client, server, profile } = scene;
      const words = { complete: "✓ Working", deferred: "⏸", failed: "❌" }[consolidation];
      const end = once(client, "system", ({ message }) => message.startsWith(words));
      says(server, "Hi <memory:summarize>");
      await client.prompt({ message: "one", conversationId: kept(scene) }).result;
      expect((await end).status).toBe(profile === "documented" ? undefined : ENDS[consolidation]);
    },
  );
}

for (const errorThenResponse of [false, true]) {
  onEach(
    `switch errorThenResponse=${errorThenResponse}: ${errorThenResponse ? "the error ends the turn, and no other gets the response behind it" : "there is none"}`,
    { warns: errorThenResponse ? ["unexpected-response"] : [] },
    async ({ client, server }) => {
      server.answer = ({ message }) => ({
        switches: { errorThenResponse: errorThenResponse && message === "one" },
        script: [`about ${message}`],
      });
      const [one, two] = [client.prompt("one"), client.prompt("two")];
      expect((await one.outcome).status).toBe(errorThenResponse ? "failed" : "completed");
      expect((await two.result).text).toBe("about two");
    },
  );
}

for (const extraResponse of ["none", "duplicate", "unsolicited"] as const) {
  onEach(
    `switch extraResponse=${extraResponse}: ${extraResponse === "none" ? "there is none" : "it is a stray, and no turn's"}`,
    {
      connected: false,
      mock: { extraResponse },
      warns: extraResponse === "none" ? [] : ["unexpected-response"],
    },
    async ({ client, server }) => {
      server.answer = ({ message }) => [`about ${message}`];
      const strays = collect(client, "stray");
      const turns = ["one", "two", "three"].map((message) => client.prompt(message));
      const texts: string[] = [];
      for (const { result } of turns) texts.push((await result).text);
      expect(texts).toEqual(["about one", "about two", "about three"]);
      // The last one's second is behind its first.
      if (extraResponse === "duplicate" && strays.length < 3) await once(client, "stray");
      expect(strays.length).toBe({ none: 0, duplicate: 3, unsolicited: 1 }[extraResponse]);
    },
  );
}
