import { CodebuffClient } from "agentwire/codebuff";
import { step } from "agentwire/testing";
import { expect } from "vitest";
import { drain, gate, once, sentTo, status } from "../../helpers/codebuff.ts";
import { asking, onBoth, READING, TOKEN } from "./both.ts";
import { action, actionsTo, failureOf, heard, INIT, link, lose, sentOn, shown, works } from "./wire.ts";

onBoth(
  "checklist 8 & finding 5: ten minutes of a prompt that says a word now and then break none of the default limits",
  async ({ client, clock, server, profile }) => {
    const hold = gate();
    server.answer = async function* ({ data }) {
      yield "begun";
      if (data.prompt === "long") await hold.passed;
    };
    const long = client.prompt("long");
    await shown(long, "begun");
    const second = client.prompt("second");
    if (profile === "codebuff") await second.result;
    for (let word = 0; word < 24; word++) {
      const acked = profile === "codebuff" ? heard(client, '"ack"') : undefined;
      await clock.advance(25_000);
      await acked;
      if (word % 4 !== 3) continue;
      const told = once(client, "event");
      link(server).send(action({ type: "response-chunk", userInputId: long.id, chunk: "." }));
      await told;
    }
    expect(long.status).toBe("streaming");
    hold.open();
    expect((await long.result).text).toBe("begun......");
    expect((await second.result).text).toBe("begun");
    expect(server.connections).toHaveLength(1);
  },
);

onBoth(
  "checklist 8 & finding 6a: during a prompt of 75 s the proxy gets nothing; what was called meanwhile follows in its order",
  { serverClock: true, mock: { heartbeat: { timeout: 300_000 } } },
  async ({ client, clock, server, serverClock, profile }) => {
    const hold = gate();
    server.answer = async function* ({ data }) {
      yield "begun";
      if (data.prompt === "long") await hold.passed;
    };
    const long = client.prompt("long");
    await shown(long, "begun");
    const second = client.prompt("second");
    if (profile === "codebuff") await second.result;
    const rest = [client.init(INIT), client.subscribe(["updates"]), client.unsubscribe(["updates"])];
    if (profile === "codebuff") await Promise.all(rest);
    for (let waited = 0; waited < 75_000; waited += 25_000) {
      const pong = profile === "codebuff" ? heard(client, '"ack"') : undefined;
      await clock.advance(25_000);
      await pong;
      await serverClock.advance(25_000);
      if (profile === "codebuff") continue;
      expect(sentOn(server, 1)).toEqual(["identify", "prompt"]);
      expect(second.status).toBe("queued");
    }
    hold.open();
    expect((await long.result).text).toBe("begun");
    expect((await second.result).text).toBe("begun");
    await Promise.all(rest);
    const calls = ["prompt", "prompt", "init", "subscribe", "unsubscribe"];
    expect(sentOn(server, 1).filter((type) => type !== "ping")).toEqual(["identify", ...calls]);
    expect(sentOn(server, 1).slice(0, 3)).toEqual(
      profile === "proxy" ? ["identify", "prompt", "ping"] : ["identify", "prompt", "prompt"],
    );
    expect(server.connections).toHaveLength(1);
  },
);

onBoth(
  "checklist 8: a prompt that is silent for 120 s ends by its idle time, and a ping frees the line behind it",
  { mistakes: ["left-mid-prompt"] },
  async ({ client, clock, server, profile }) => {
    server.answer = ({ data }) => (data.prompt === "silent" ? [step.silent()] : ["answer"]);
    const acked = heard(client, '"ack"');
    const silent = client.prompt("silent");
    await acked;
    const next = client.prompt("next");
    for (let waited = 0; waited < 100_000; waited += 25_000) {
      const pong = profile === "codebuff" ? heard(client, '"ack"') : undefined;
      await clock.advance(25_000);
      await pong;
    }
    if (profile === "proxy") expect(sentOn(server, 1)).toEqual(["identify", "prompt"]);
    await clock.advance(20_000);
    expect(await failureOf(silent)).toMatchObject({ code: "turn-timeout", kind: "idle" });
    expect((await next.result).text).toBe("answer");
    if (profile === "proxy") expect(sentOn(server, 1)).toEqual(["identify", "prompt", "ping", "prompt"]);
    expect(server.connections).toHaveLength(1);
  },
);

for (const code of [1000, 1006, 1012]) {
  onBoth(
    `checklist 9 & edge case 6: after ${code} in mid-prompt the client is back; nothing is repeated, and all that stands is asked for first`,
    { ...READING, mock: { ...READING.mock, idRelease: { midPrompt: 0 } } },
    async ({ client, server }) => {
      await client.init(INIT);
      await client.subscribe(["a", "b"]);
      await client.subscribe(["c"]);
      await client.unsubscribe(["b"]);
      server.answer = ({ data }) => ["part", data.prompt === "queued" ? step.delay(0) : step.hang()];
      const sent = [client.prompt("one"), client.prompt("two")];
      const queued = client.prompt("queued");
      const [first] = sent;
      if (first) await shown(first, "part");
      await lose(client, () => (code === 1006 ? link(server).drop() : link(server).close(code)));
      for (const turn of sent) {
        expect(await failureOf(turn)).toMatchObject({
          code: "connection-lost",
          closeCode: code,
          delivery: "unknown",
        });
      }
      expect((await queued.result).text).toBe("part");
      expect(sentOn(server, 2)).toEqual(["identify", "init", "subscribe", "prompt"]);
      expect(sentTo(server, "subscribe").at(-1)).toMatchObject({ topics: ["a", "c"] });
    },
  );
}

onBoth(
  "checklist 9: topics asked for while the link is down go out with those that stand, in one subscribe",
  async ({ client, server }) => {
    await client.subscribe(["a"]);
    const gone = once(client, "disconnected");
    link(server).drop();
    await gone;
    await client.subscribe(["b"]);
    expect(sentTo(server, "subscribe").map(({ topics }) => topics)).toEqual([["a"], ["a", "b"]]);
  },
);

onBoth(
  "checklist 10 & finding 8: close() drains; only by force is a prompt left behind",
  { mistakes: ["left-mid-prompt"] },
  async ({ client, server }) => {
    const hold = gate();
    server.answer = async function* () {
      yield "one";
      await hold.passed;
      yield " two";
    };
    const turn = client.prompt("hello");
    await shown(turn, "one");
    const closed = client.close();
    hold.open();
    await closed;
    expect((await turn.result).text).toBe("one two");
    await server.waitFor(() => link(server).closed);
    expect(link(server).closed).toMatchObject({ code: 1000, by: "client", wasClean: true });
    expect(server.violations).toEqual([]);

    const other = new CodebuffClient({ url: server.url, settleWindow: 0 });
    server.answer = () => ["one", step.hang()];
    const left = other.prompt("hello");
    await shown(left, "one");
    await other.close({ force: true });
    await server.waitFor(() => server.violations.length > 0);
    expect(server.violations.map(({ detail }) => detail)).toContain(left.id);
  },
);

onBoth(
  "checklist 10: a prompt that is cancelled is not left behind by the close() that follows at once",
  async ({ client, server, profile }) => {
    server.answer = () => ["one", step.delay(5)];
    const turn = client.prompt("hello");
    await shown(turn, "one");
    void turn.cancel();
    await client.close();
    await server.waitFor(() => link(server).closed);
    expect(server.cancels).toHaveLength(profile === "codebuff" ? 1 : 0);
    expect(server.violations).toEqual([]);
  },
);

onBoth(
  "checklist 10: what the server asks for while the client drains is still answered",
  (profile) => ({
    ...asking(profile),
    client: { tools: { now: () => [{ type: "json", value: 12 }] } },
  }),
  async ({ client, server }) => {
    const [draining, answered] = [gate(), gate()];
    server.answer = async function* () {
      yield "one";
      await draining.passed;
      yield step.toolCall({ wait: false, requestId: "r1", toolName: "now", input: {} });
      await answered.passed;
      yield " two";
    };
    const turn = client.prompt("hello");
    await shown(turn, "one");
    const closed = client.close();
    draining.open();
    await server.waitFor(() => actionsTo(server, "tool-call-response").length === 1);
    answered.open();
    await closed;
    expect((await turn.result).text).toBe("one two");
    expect(actionsTo(server, "tool-call-response")).toMatchObject([
      { output: [{ type: "json", value: 12 }] },
    ]);
  },
);

onBoth(
  "checklist 10: whatever comes late over a link that was given up touches nothing",
  { mock: { idRelease: { midPrompt: 0 }, duplicateId: "accept" } },
  async ({ client, clock, server }) => {
    await works(client);
    const old = link(server);
    old.pause();
    const gone = once(client, "disconnected");
    await clock.advance(40_000); // a ping, and no answer to it
    await gone;
    await status(client, "ready");
    const hold = gate();
    server.answer = async function* () {
      yield "one";
      await hold.passed;
      yield " two";
    };
    const turn = client.prompt("hello");
    await shown(turn, "one");
    old.send(action({ type: "response-chunk", userInputId: turn.id, chunk: "late" }));
    old.send(action({ type: "prompt-response", promptId: turn.id, sessionState: {} }));
    old.resume();
    old.close(1008, "Expected identify message");
    await server.waitFor(() => old.closed);
    hold.open();
    expect((await turn.result).text).toBe("one two");
    expect(client.status).toBe("ready");
  },
);

onBoth(
  "checklist 11 & edge case 10: an abort tells the server that can stop, and only that one; what still comes is late",
  (profile) => (profile === "codebuff" ? { mock: { cancel: { lateTerminal: 0 } } } : {}),
  async ({ client, server, profile }) => {
    const hold = gate();
    server.answer = async function* () {
      yield "one";
      await hold.passed;
    };
    const turn = client.prompt("hello");
    await shown(turn, "one");
    const late = once(client, "late", ({ type }) => type === "prompt-response");
    const cancels = profile === "codebuff" ? 1 : 0;
    expect(await turn.cancel()).toMatchObject({ status: "cancelled", by: "user", partial: { text: "one" } });
    await server.waitFor(() => server.cancels.length === cancels);
    hold.open();
    expect(await late).toMatchObject({ promptId: turn.id });
    expect(actionsTo(server, "cancel-user-input")).toHaveLength(cancels);
    for (const cancel of server.cancels) {
      expect(cancel).toMatchObject({ authToken: TOKEN, promptId: turn.id, stopped: true });
    }
    expect([turn.status, turn.text, client.status]).toEqual(["cancelled", "one", "ready"]);
  },
);

for (const chunkDecoding of ["auto", "openai-sse"] as const) {
  onBoth(
    `checklist 12 & finding 10: with "${chunkDecoding}" SSE gives its text, [DONE] as often as it likes, and an error fails the prompt`,
    async ({ client, server }) => {
      server.answer = () => [
        step.sseDone(),
        step.sseChunk("Hel"),
        step.sseChunk("lo"),
        step.sseStop(),
        step.sseDone(),
        step.sseDone(),
      ];
      expect((await client.prompt("hello", { chunkDecoding }).result).text).toBe("Hello");
      server.answer = () => [step.sseChunk("Hel"), step.sseError("no such model"), step.sseDone()];
      const { values, thrown } = await drain(client.prompt("hello", { chunkDecoding }).textStream);
      expect(values).toEqual(["Hel"]);
      expect(thrown).toMatchObject({
        code: "turn-failed",
        origin: "stream",
        kind: "BackendError",
        serverMessage: "no such model",
        status: 404,
      });
    },
  );

  onBoth(
    `checklist 12 & finding 9: with "${chunkDecoding}" the name of a Python object warns and adds no text`,
    { mock: { answer: () => [step.sseChunk("a"), step.repr(), step.sseChunk("b")] } },
    async ({ client }) => {
      const warned = once(client, "protocolWarning");
      expect((await client.prompt("hello", { chunkDecoding }).result).text).toBe("ab");
      expect(await warned).toMatchObject({ kind: "odd-chunk" });
    },
  );
}
