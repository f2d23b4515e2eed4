import type { PromptFrame } from "agentwire/codebuff";
import { step } from "agentwire/testing";
import { expect } from "vitest";
import { gate, once } from "../../helpers/codebuff.ts";
import { onBoth, READING } from "./both.ts";
import { action, actionsTo, eventsOf, failureOf, INIT, link, nack, rejection, shown, works } from "./wire.ts";

onBoth(
  "edge case 1: what names no prompt of ours is an orphan; what continues an id is its sub-agent's, also afterwards",
  async ({ client, server }) => {
    const stray = { type: "response-chunk", userInputId: "nobody", chunk: "stray" };
    server.answer = () => [step.raw(action(stray)), step.subAgent("picker-7", "looking"), "answer"];
    const orphan = once(client, "orphan");
    const turn = client.prompt("hello");
    const events = eventsOf(turn);
    expect((await turn.result).text).toBe("answer");
    expect(await orphan).toEqual(stray);
    expect(events).toContainEqual({
      type: "response-chunk",
      userInputId: `${turn.id}-picker-7`,
      chunk: "looking",
      text: "",
    });
    const late = once(client, "late");
    const after = { type: "response-chunk", userInputId: `${turn.id}-async-1`, chunk: "still looking" };
    link(server).send(action(after));
    expect(await late).toEqual(after);
  },
);

onBoth("edge case 1: the end of a sub-agent is not the end of its prompt", async ({ client, server }) => {
  server.answer = () => [
    "one",
    step.subAgent("a-1", step.promptError({ message: "sub-agent failed" })),
    step.subAgent("a-2", step.respond()),
    " two",
  ];
  const turn = client.prompt("hello");
  const events = eventsOf(turn);
  expect((await turn.result).text).toBe("one two");
  const ids = events.flatMap((event) =>
    event.type === "prompt-error"
      ? [event.userInputId]
      : event.type === "prompt-response"
        ? [event.promptId]
        : [],
  );
  expect(ids).toEqual([`${turn.id}-a-1`, `${turn.id}-a-2`, turn.id]);
});

onBoth(
  "edge case 3 & error AckError: the refusal of a prompt's own frame rejects it at once, in the server's words",
  {
    client: { maxConcurrentPrompts: 1 },
    mock: { ackOrder: "late", answer: ({ txid }) => [step.raw(nack("bad model", txid)), step.silent()] },
  },
  async ({ client, server }) => {
    const failure = await failureOf(client.prompt("hello"));
    expect(failure).toMatchObject({ code: "request-refused", txid: 1, serverMessage: "bad model" });
    server.answer = () => ["fine"];
    expect(await works(client)).toBe("fine");
  },
);

onBoth(
  "edge case 4: a refusal that names no frame: its text tells that an init failed",
  { mock: { init: { error: "disk full" } } },
  async ({ client }) => {
    expect(await rejection(client.init(INIT))).toMatchObject({
      code: "request-refused",
      serverMessage: "Internal error: Failed to initialize session: disk full",
    });
  },
);

onBoth(
  "edge case 4: a refusal that names no frame: that of a subscription is told, and fails no prompt",
  async ({ client, server }) => {
    const hold = gate();
    server.answer = async function* () {
      await hold.passed;
      yield "answer";
    };
    await client.subscribe(["updates"]);
    const turn = client.prompt("hello");
    const warned = once(client, "protocolWarning");
    const text = "Internal error: Failed to subscribe to topics: out of topics";
    link(server).send(nack(text));
    expect(await warned).toMatchObject({ kind: "unattributed-refusal", raw: text });
    hold.open();
    expect((await turn.result).text).toBe("answer");
  },
);

onBoth(
  "edge case 4: a refusal that names no frame is about the only frame without an ack",
  { mock: { ackOrder: "late", answer: () => [step.nack("Internal error: broken"), step.silent()] } },
  async ({ client }) => {
    expect(await failureOf(client.prompt("hello"))).toMatchObject({
      code: "request-refused",
      serverMessage: "Internal error: broken",
    });
  },
);

onBoth(
  "edge case 4 & checklist 7: a refusal that names no frame never rejects an acked prompt that runs",
  { mock: { answer: () => ["one", step.nack("Internal error: Session not found"), " two"] } },
  async ({ client }) => {
    const warned = once(client, "protocolWarning");
    expect((await client.prompt("hello").result).text).toBe("one two");
    expect(await warned).toMatchObject({ kind: "unattributed-refusal" });
  },
);

onBoth(
  "edge case 4: a refusal that names no frame is told, also where only a ping is without an ack",
  { ...READING, client: { ...READING.client, stallTimeout: 0, idleTimeout: 0 } },
  async ({ client, clock, server }) => {
    const hold = gate();
    server.answer = async function* () {
      yield "one";
      await hold.passed;
    };
    const turn = client.prompt("hello");
    await shown(turn, "one");
    link(server).pause();
    await clock.advance(25_000);
    const warned = once(client, "protocolWarning");
    link(server).send(nack("Internal error: broken"));
    link(server).resume();
    await warned;
    hold.open();
    expect((await turn.result).text).toBe("one");
  },
);

onBoth(
  "edge case 4: a refusal that names no frame: a failed init is found also when its ack comes later",
  { mock: { init: { error: "disk full" }, ackOrder: "late" } },
  async ({ client }) => {
    expect(await rejection(client.init(INIT))).toMatchObject({
      code: "request-refused",
      serverMessage: "Internal error: Failed to initialize session: disk full",
    });
  },
);

onBoth(
  "edge case 5: a link that breaks between ack and end: connection-lost, and the prompt is never sent again",
  { mock: { answer: () => [step.drop()], idRelease: { midPrompt: 0 } } },
  async ({ client, server }) => {
    const back = once(client, "reconnected");
    expect(await failureOf(client.prompt("hello"))).toMatchObject({
      code: "connection-lost",
      delivery: "unknown",
    });
    await back;
    server.answer = () => ["fine"];
    await works(client);
    expect(server.prompts.map(({ data }) => data.prompt)).toEqual(["hello", "are you there?"]);
  },
);

onBoth(
  "edge case 6: a prompt that was sent and not acked fails with the rest",
  {
    ...READING,
    mock: { ...READING.mock, ackOrder: "late", answer: () => [step.drop()], idRelease: { midPrompt: 0 } },
  },
  async ({ client }) => {
    const turns = [client.prompt("one"), client.prompt("two")];
    for (const turn of turns) {
      expect(await failureOf(turn)).toMatchObject({ code: "connection-lost", delivery: "unknown" });
    }
  },
);

onBoth(
  "edge case 7: a second prompt is kept here until the first one has ended, on a server that reads nothing meanwhile",
  async ({ client, server, profile }) => {
    const hold = gate();
    server.answer = async function* ({ data }) {
      yield String(data.prompt);
      if (data.prompt === "first") await hold.passed;
    };
    const first = client.prompt("first");
    await shown(first, "first");
    const second = client.prompt("second");
    if (profile === "codebuff") await second.result;
    else expect([second.status, actionsTo(server, "prompt").length]).toEqual(["queued", 1]);
    hold.open();
    const texts = (await Promise.all([first.result, second.result])).map(({ text }) => text);
    expect(texts).toEqual(["first", "second"]);
  },
);

onBoth(
  "edge case 7: a second prompt is sent while the first one runs, where the server reads: answered after it, or beside it",
  READING,
  async ({ client, server, profile }) => {
    const hold = gate();
    server.answer = async function* ({ data }) {
      if (data.prompt === "first") await hold.passed;
      yield String(data.prompt);
    };
    const ended: string[] = [];
    const first = client.prompt("first");
    const second = client.prompt("second");
    await server.waitFor(() => actionsTo(server, "prompt").length === 2);
    for (const turn of [first, second]) void turn.result.then(({ text }) => ended.push(text));
    if (profile === "codebuff") await second.result;
    hold.open();
    await Promise.all([first.result, second.result]);
    expect(ended).toEqual(profile === "proxy" ? ["first", "second"] : ["second", "first"]);
  },
);

for (const [what, mock, first, second] of [
  [
    "a prompt-error and then a prompt-response",
    { failure: "error-then-response" },
    "failed",
    "prompt-response",
  ],
  [
    "a prompt-response and then a prompt-error",
    { answer: () => ["a", step.respond(), step.promptError({ message: "no" })] },
    "completed",
    "prompt-error",
  ],
  [
    "a prompt-response whose output is an error and then a prompt-error",
    { failure: "response-then-error" },
    "failed",
    "prompt-error",
  ],
] as const) {
  onBoth(
    `edge case 8 & checklist 15: ${what}: the first one counts, the second is late`,
    { mock },
    async ({ client }) => {
      const late: PromptFrame[] = [];
      client.on("late", (message) => late.push(message));
      const lateEnd = once(client, "late", ({ type }) => type === second);
      const turn = client.prompt("hello");
      expect((await turn.outcome).status).toBe(first);
      await lateEnd;
      expect(turn.status).toBe(first);
      expect(late.filter(({ type }) => type !== "response-chunk").map(({ type }) => type)).toEqual([second]);
    },
  );
}

const BAD_TOKEN = { type: "action-error", message: "Invalid auth token." };

onBoth(
  "edge case 9 & checklist 15: an action-error with two prompts under way, or one that has begun to answer, is only told",
  READING,
  async ({ client, server }) => {
    const hold = gate();
    server.answer = async function* () {
      await hold.passed;
      yield "one";
      yield step.actionError({ message: BAD_TOKEN.message });
      yield " two";
    };
    const turns = [client.prompt("first"), client.prompt("second")];
    await server.waitFor(() => actionsTo(server, "prompt").length === 2);
    const told = once(client, "actionError");
    link(server).send(action(BAD_TOKEN));
    expect(await told).toEqual(BAD_TOKEN);
    await turns[1]?.cancel();
    const toldAgain = once(client, "actionError");
    hold.open();
    expect(await toldAgain).toMatchObject({ message: "Invalid auth token." });
    expect((await turns[0]?.result)?.text).toBe("one two");
  },
);

onBoth(
  "edge case 9: an action-error behind a cancel may be the cancel's, so that it is only told",
  READING,
  async ({ client, server, profile }) => {
    const hold = gate();
    server.answer = async function* () {
      await hold.passed;
      yield "answer";
    };
    const [cancelled, other] = [client.prompt("first"), client.prompt("second")];
    await server.waitFor(() => actionsTo(server, "prompt").length === 2);
    await cancelled.cancel();
    const told = once(client, "actionError");
    link(server).send(action(BAD_TOKEN));
    if (profile === "codebuff") await told;
    else expect(await failureOf(other)).toMatchObject({ kind: "action-error" }); // no cancel was sent here
    hold.open();
    if (profile === "codebuff") expect((await other.result).text).toBe("answer");
    await client.close();
  },
);
