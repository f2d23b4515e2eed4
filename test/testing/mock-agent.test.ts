import { isAgentwireError } from "agentwire";
import { agentStep, ManualClock, MockAgent } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { failureOf, thrown } from "../helpers/turns.ts";
import { played } from "./mock-agent-support.ts";

test("an error of the agent has its message in JSON, like a client's error", async () => {
  const turn = new MockAgent()
    .script([[agentStep.fail("overloaded")]])
    .client()
    .prompt("hello");
  expect(JSON.parse(JSON.stringify(await failureOf(turn)))).toMatchObject({
    name: "TurnError [turn-failed]",
    message: "overloaded",
    code: "turn-failed",
  });
  const wrong = thrown(() => new MockAgent({ pase: 1 } as never));
  expect(JSON.parse(JSON.stringify(wrong))).toMatchObject({ message: expect.stringContaining("`pace`") });
});

describe("without a script an agent", () => {
  test("answers each prompt with a sentence that repeats the prompt, word by word", async () => {
    const turn = new MockAgent().client().prompt("good morning");
    const pieces: string[] = [];
    for await (const piece of turn.textStream) pieces.push(piece);
    expect(pieces).toEqual(["You ", "said: ", "good ", "morning"]);
    expect(await turn.result).toEqual({ text: "You said: good morning" });
  });
});

describe("a script", () => {
  test("can be a list of replies, whose last reply answers all further prompts", async () => {
    const client = new MockAgent().script(["one", ["tw", "o"]]).client();
    const texts: string[] = [];
    for (const prompt of ["a", "b", "c"]) texts.push((await client.prompt(prompt).result).text);
    expect(texts).toEqual(["one", "two", "two"]);
  });

  test("can be a function of the prompt, its turn and the earlier messages", async () => {
    const agent = new MockAgent();
    const client = agent.client();
    const talk = client.conversation();
    agent.script(({ n, text, images, turn, turnId, messages }) => [
      JSON.stringify([n, text, images.length, turn.id === turnId, messages]),
    ]);
    const image = { data: new Uint8Array([1]), mediaType: "image/png" };
    const { text } = await client.prompt({ text: "see", images: [image] }).result;
    expect(JSON.parse(text)).toEqual([1, "see", 1, true, []]);
    await talk.prompt("first").result;
    const second = await talk.prompt("second").result;
    expect(JSON.parse(second.text)[4]).toEqual([
      { role: "user", content: "first" },
      { role: "assistant", content: expect.stringContaining("first") },
    ]);
  });

  test("can be a generator, or an async generator that awaits anything", async () => {
    const agent = new MockAgent();
    const client = agent.client();
    agent.script(function* () {
      yield "sync";
    });
    expect((await client.prompt("a").result).text).toBe("sync");
    agent.script(async function* () {
      yield await Promise.resolve("async");
    });
    expect((await client.prompt("b").result).text).toBe("async");
  });

  test("that is replaced does not change the running answer", async () => {
    const agent = new MockAgent().script([["old ", agentStep.wait("go"), "answer"]]);
    const client = agent.client();
    const turn = client.prompt("a");
    await agent.waitFor(({ prompts }) => prompts.length === 1);
    agent.script(["new"]).release("go");
    expect((await turn.result).text).toBe("old answer");
    expect((await client.prompt("b").result).text).toBe("new");
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("oops");
      },
      /oops/,
    ],
    ["returns a promise", async () => ["a"], /a promise, which is no list of steps/],
    ["has an invalid step", () => ["a", { kind: "tolo" }], /is no step/],
    ["is an empty list", [], /the list of replies is empty/],
  ])("that %s fails its turn with the reason", async (_, script, words) => {
    const turn = new MockAgent()
      .script(script as never)
      .client()
      .prompt("hello");
    const error = await failureOf(turn);
    expect(error).toMatchObject({
      code: "turn-failed",
      kind: "script",
      message: expect.stringMatching(words),
    });
    expect(isAgentwireError(error, "turn-failed")).toBe(true);
  });

  test("is stopped with its turn", async () => {
    const agent = new MockAgent();
    let signal: AbortSignal | undefined;
    const left = new Promise<void>((resolve) => {
      agent.script(function* (prompt) {
        signal = prompt.signal;
        try {
          yield "part";
          yield agentStep.hang();
        } finally {
          resolve();
        }
      });
    });
    const turn = agent.client().prompt("hello");
    for await (const _ of turn) break;
    expect(await turn.outcome).toMatchObject({ status: "cancelled", by: "user", partial: { text: "part" } });
    await left;
    expect(signal?.aborted).toBe(true);
  });
});

describe("capabilities", () => {
  test("default to a backend that supports everything", () => {
    const all = new MockAgent().client().capabilities;
    expect(all).toMatchObject({ textDeltas: true, permissions: "wire", recovers: true, reopens: true });
    const agent = new MockAgent({
      capabilities: { images: false },
      reconnect: false,
      answersAfterCancel: true,
    });
    const { capabilities } = agent.client();
    expect(capabilities).toEqual({ ...all, images: false, reopens: false, cancelOnWire: false });
  });

  test("without deltas the answer is one piece, at its end", async () => {
    const agent = new MockAgent({ capabilities: { textDeltas: false } });
    const events = await played(["one ", agentStep.status("at work"), "two"], agent);
    expect(events.map(({ type }) => type)).toEqual(["status", "text", "finish"]);
    expect(events[1]).toEqual({ type: "text", text: "one two" });
  });

  test("without images a prompt with one is unsupported", () => {
    const client = new MockAgent({ capabilities: { images: false } }).client();
    const image = { data: "aGVsbG8=", mediaType: "image/png" };
    expect(thrown(() => client.prompt({ text: "see", images: [image] }))).toMatchObject({
      code: "unsupported",
    });
  });

  test("with one conversation all prompts of the client belong to it", async () => {
    const client = new MockAgent({ capabilities: { conversations: "one" } }).client();
    await client.prompt("hello").result;
    const talk = client.conversation();
    expect([talk.shared, talk === client.conversation(), talk.messages.length]).toEqual([true, true, 2]);
    expect(thrown(() => client.conversation({ from: talk.state }))).toMatchObject({ code: "unsupported" });
  });

  test("without streamed output and approvals, a tool has neither", async () => {
    const agent = new MockAgent({ capabilities: { toolOutputDeltas: false, permissions: "none" } });
    const events = await played([agentStep.tool({ name: "ls", streams: ["a", "b"], approval: true })], agent);
    const states = events.flatMap((event) =>
      event.type === "tool" ? [[event.call.state, event.call.output]] : [],
    );
    expect(states).toEqual([
      ["requested", undefined],
      ["running", undefined],
      ["done", "ab"],
    ]);
  });
});

describe("the agent's record", () => {
  test("has the prompts and cancels of all clients, in order, and `waitFor` waits for them", async () => {
    const agent = new MockAgent().script([[agentStep.hang()]]);
    const [one, two] = [agent.client(), agent.client()];
    const turns = [one.prompt("a"), two.prompt({ text: "b" })];
    await agent.waitFor(({ prompts }) => prompts.length === 2);
    await turns[1]?.cancel();
    expect(agent.prompts).toEqual([
      { n: 1, text: "a", images: [], files: [], turnId: "turn_1" },
      { n: 2, text: "b", images: [], files: [], turnId: "turn_2" },
    ]);
    expect(agent.cancels).toEqual([{ turnId: "turn_2", by: "user" }]);
    expect(agent.clients).toEqual([one, two]);
    await one.close();
  });

  test("does not have the cancel of a turn that was never sent", async () => {
    const agent = new MockAgent().script([[agentStep.hang()]]);
    const client = agent.client();
    client.prompt("a");
    const waiting = client.prompt("b");
    await agent.waitFor(({ prompts }) => prompts.length === 1);
    expect((await waiting.cancel()).status).toBe("cancelled");
    expect([agent.prompts.length, agent.cancels]).toEqual([1, []]);
    await client.close({ force: true });
  });
});

test("unknown or invalid options and switches are refused, with a suggestion", () => {
  const agent = new MockAgent();
  const refusals: readonly (readonly [call: () => unknown, hint: RegExp])[] = [
    [() => new MockAgent({ scirpt: [] } as never), /`script`/],
    [() => new MockAgent({ pace: -1 }), /milliseconds/],
    [() => new MockAgent({ capabilities: { image: false } } as never), /`images`/],
    [() => new MockAgent({ deltas: 0 }), /characters/],
    [() => new MockAgent({ reconnect: { atempts: 1 } } as never), /maxAttempts/],
    [() => agent.set({ connectDelai: 1 } as never), /`connectDelay`/],
    [() => agent.script("hello" as never), /array of replies/],
    [() => agent.disconnect({ forget: true } as never), /`forgets`/],
    [() => agent.client().on("events" as never, () => {}), /`event`/],
  ];
  for (const [call, hint] of refusals)
    expect(thrown(call), String(call)).toMatchObject({
      code: "invalid-input",
      hint: expect.stringMatching(hint),
    });
});

test("the same script always emits the same events in the same order", async () => {
  const run = async (): Promise<string> => {
    const agent = new MockAgent({ clock: new ManualClock() });
    const client = agent.client();
    const told: unknown[] = [];
    client.on("event", (event, turn) => told.push([turn.id, event]));
    client.on("status", (status) => told.push(status));
    agent.script([
      ["a b c", agentStep.tool({ name: "ls", streams: ["x", "y"] }), agentStep.reasoning("hm hm")],
    ]);
    await Promise.all([client.prompt("1").outcome, client.prompt("2").outcome]);
    await client.close();
    return JSON.stringify(told);
  };
  expect(await run()).toBe(await run());
});
