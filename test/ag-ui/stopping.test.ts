import { type AgUiEvent, agUiAgent, encodeSse, toAgUi } from "agentwire/ag-ui";
import { createChat } from "agentwire/chat";
import { agentStep, MockAgent } from "agentwire/testing/agent";
import type { UniversalEvent } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { until } from "../../examples/support/until.ts";
import { settle } from "../../src/testing/settle.ts";
import { Script } from "../universal/build.ts";
import { approve, Bench, inputOf, interruptsOf, resumeOf, textOf } from "./support/client.ts";
import { collect, judge, ofType, told } from "./support/judge.ts";
import { RUN } from "./support/mapped.ts";

const idle = ({ busy, queue }: { readonly busy: boolean; readonly queue: readonly unknown[] }) =>
  !busy && queue.length === 0;

function* script() {
  yield agentStep.reasoning("Hm.");
  yield agentStep.subagent({ type: "a", name: "A", steps: ["one two"] });
  yield* agentStep.tool({ name: "ls", streams: ["a", "b"], output: "ab" });
  yield "three four five";
}

/** How many events a whole run of the script has. */
async function lengthOf(): Promise<number> {
  await using bench = new Bench({ script });
  return (await bench.run(inputOf(["go"]))).length;
}

describe("a run that is stopped", () => {
  test.each(["break", "signal"] as const)("at any event cancels its turn: by %s", async (how) => {
    const length = await lengthOf();
    for (let at = 1; at < length; at++) {
      await using bench = new Bench({ script });
      const stop = new AbortController();
      const seen: AgUiEvent[] = [];
      for await (const event of bench.agent.run(inputOf(["go"]), { signal: stop.signal })) {
        seen.push(event);
        if (seen.length !== at) continue;
        if (how === "break") break;
        stop.abort();
      }
      if (how === "signal") {
        await judge(seen);
        expect(told(seen).at(-1)).toBe("RUN_FINISHED cancelled");
      }
      await until(bench.chat, idle);
      const statuses = bench.chat.getSnapshot().messages.map(({ status }) => status);
      expect(statuses.at(-1)).not.toBe("open");
      expect(textOf(await bench.run(inputOf(["go", "again"])))).toContain("three");
    }
  });

  test("while it waits for the next event ends at once", async () => {
    await using bench = new Bench({ script: () => ["Hi", agentStep.hang()] });
    const run = bench.agent.run(inputOf(["go"]))[Symbol.asyncIterator]();
    let next = await run.next();
    while (!next.done && next.value.type !== "TEXT_MESSAGE_CONTENT") next = await run.next();
    const waiting = run.next();
    await run.return?.();
    await waiting;
    await until(bench.chat, idle);
    expect(bench.mock.cancels).toHaveLength(1);
  });

  test("before it begins sends nothing", async () => {
    await using bench = new Bench();
    const events = await bench.run(inputOf(["go"]), { signal: AbortSignal.abort() });
    expect(told(events)).toEqual(["RUN_STARTED", "RUN_FINISHED cancelled"]);
    expect(bench.chat.getSnapshot().messages.length).toBe(0);
    await bench.agent
      .run(inputOf(["go"]))
      [Symbol.asyncIterator]()
      .return?.();
    expect(bench.chat.getSnapshot().messages.length).toBe(0);
  });

  test("while its prompt waits for another turn takes the prompt back, and leaves that turn alone", async () => {
    await using bench = new Bench({ script: () => ["Hi", agentStep.wait("gate"), "there"] });
    bench.chat.send("other");
    const stop = new AbortController();
    const run = bench.run(inputOf(["mine"]), { signal: stop.signal });
    await until(bench.chat, ({ queue }) => queue.length === 1);
    stop.abort();
    expect(told(await run).at(-1)).toBe("RUN_FINISHED cancelled");
    bench.mock.release("gate");
    await until(bench.chat, idle);
    expect(bench.mock.prompts.map(({ text }) => text)).toEqual(["other"]);
    expect(bench.mock.cancels).toEqual([]);
  });

  test("while the old answer is cancelled for a new one sends no new one", async () => {
    await using bench = new Bench({
      cancelDelay: 0,
      script: ({ text }) => (text === "slow" ? ["Hi", agentStep.hang()] : ["One."]),
    });
    await bench.run(inputOf(["a"]));
    bench.chat.send("slow");
    const stop = new AbortController();
    const run = bench.run(inputOf(["a"]), { signal: stop.signal });
    await settle();
    stop.abort();
    await run;
    await until(bench.chat, idle);
    expect(bench.chat.getSnapshot().messages.map(({ status }) => status)).not.toContain("open");
  });

  test("by its interrupts cancels nothing when the loop is left", async () => {
    await using bench = new Bench({ script: [[agentStep.tool({ name: "rm", approval: true })]] });
    const stop = new AbortController();
    for await (const event of bench.agent.run(inputOf(["go"]), { signal: stop.signal }))
      if (event.type === "RUN_FINISHED") break;
    stop.abort();
    expect(bench.chat.getSnapshot().pending).toHaveLength(1);
    expect(bench.mock.cancels).toEqual([]);
  });

  test("in the rest of a turn cancels that turn", async () => {
    await using bench = new Bench({
      script: () => [agentStep.tool({ name: "rm", approval: true }), agentStep.hang()],
    });
    const [interrupt] = interruptsOf(await bench.run(inputOf(["go"])));
    const stop = new AbortController();
    const entry = resumeOf(approve(interrupt?.id ?? ""));
    const rest = bench.run(inputOf(["go"], entry), { signal: stop.signal });
    await bench.mock.waitFor(({ decisions }) => decisions.length === 1);
    stop.abort();
    expect(told(await rest).at(-1)).toBe("RUN_FINISHED cancelled");
    await until(bench.chat, idle);
    expect(told(await bench.run(inputOf(["go"], entry)))).toEqual(["RUN_ERROR interrupt-over"]);
  });

  test.each(["signal", "return", "body"] as const)(
    "at any event, and of which nobody reads the rest, does not keep the next run waiting: by %s",
    async (how) => {
      const length = await lengthOf();
      for (let at = 1; at <= length; at++) {
        await using bench = new Bench({ script });
        const stop = new AbortController();
        const events = bench.agent.run(inputOf(["go"]), { signal: stop.signal });
        const run = events[Symbol.asyncIterator]();
        const reader = encodeSse({ [Symbol.asyncIterator]: () => run }).getReader();
        for (let read = 0; read < at; read++) await (how === "body" ? reader.read() : run.next());
        if (how === "signal") stop.abort();
        else await (how === "body" ? reader.cancel() : run.return?.());
        const next = await bench.run(inputOf(["go", "again"]));
        expect(textOf(next)).toContain("three four five");
        expect(told(next).at(-1)).toBe("RUN_FINISHED success");
      }
    },
  );

  test("and is read on while the next run waits for an approval leaves the interrupts of that run alone", async () => {
    await using bench = new Bench({
      script: ({ text }) => [text, agentStep.tool({ name: "rm", approval: true, output: "gone" })],
    });
    const [stop, inputs] = [new AbortController(), [inputOf(["go"]), inputOf(["go", "more"])] as const];
    const run = bench.agent.run(inputs[0], { signal: stop.signal })[Symbol.asyncIterator]();
    await run.next();
    stop.abort();
    const [interrupt] = interruptsOf(await bench.run(inputs[1]));
    const rest: AgUiEvent[] = [];
    for (let next = await run.next(); !next.done; next = await run.next()) rest.push(next.value);
    expect(told(rest)).toEqual(["RUN_FINISHED cancelled"]);
    const last = await bench.run({ ...inputs[1], ...resumeOf(approve(interrupt?.id ?? "")) });
    expect(told(last)).toContain("TOOL_CALL_RESULT gone");
  });

  test("leaves no listener at its signal", async () => {
    await using bench = new Bench();
    const listeners = new Set<unknown>();
    const signal = {
      aborted: false,
      addEventListener: (_: string, listener: unknown) => listeners.add(listener),
      removeEventListener: (_: string, listener: unknown) => listeners.delete(listener),
    } as unknown as AbortSignal;
    await bench.run(inputOf(["go"]), { signal });
    expect(listeners.size).toBe(0);
  });
});

describe("a run is refused", () => {
  test.each([
    ["no object", 7],
    ["null", null],
    ["no ids", { messages: [] }],
    ["no messages", { threadId: "t", runId: "r" }],
    [
      "messages of another form",
      { threadId: "t", runId: "r", messages: [{ role: "user", content: 1, id: "a" }] },
    ],
    ["a message without an id", { threadId: "t", runId: "r", messages: [{ role: "user", content: "a" }] }],
    ["a resume of another form", { ...inputOf(["a"]), resume: [{ interruptId: 1, status: "resolved" }] }],
    ["a resume that is no list", { ...inputOf(["a"]), resume: {} }],
    ["no message of the user", { ...inputOf([]), messages: [{ id: "a", role: "assistant", content: "x" }] }],
    ["a blank prompt", inputOf(["  "])],
  ])("with %s: RUN_ERROR invalid-input", async (_, input) => {
    await using bench = new Bench();
    expect(told(await bench.run(input as never))).toEqual(["RUN_ERROR invalid-input"]);
    expect(bench.chat.getSnapshot().messages.length).toBe(0);
  });

  test.each([
    { type: "image", source: { type: "url", value: "https://x/y.png" } },
    { type: "image", source: { type: "file", value: "file-1" } },
    { type: "audio", source: { type: "data", value: "AAAA", mimeType: "audio/mp3" } },
    { type: "binary" },
    null,
  ])("with content that no prompt can have: RUN_ERROR unsupported: %j", async (part) => {
    await using bench = new Bench();
    const content = [{ type: "text", text: "look" }, part];
    const events = await bench.run({
      ...inputOf([]),
      messages: [{ id: "m", role: "user", content }] as never,
    });
    expect(told(events)).toEqual(["RUN_ERROR unsupported"]);
  });

  test("with an image for a backend without images: RUN_ERROR unsupported", async () => {
    await using bench = new Bench({ capabilities: { images: false } });
    const image = { type: "image", source: { type: "url", value: "data:image/png;base64,AAAA" } };
    const content = [{ type: "text", text: "look" }, image];
    const events = await bench.run({
      ...inputOf([]),
      messages: [{ id: "m", role: "user", content }] as never,
    });
    expect(told(events)).toEqual(["RUN_ERROR unsupported"]);
  });

  test("of another thread, and beside another run: unknown-thread, busy", async () => {
    await using bench = new Bench({ script: () => ["Hi", agentStep.wait("gate")] });
    const first = bench.run(inputOf(["go"]));
    await until(bench.chat, ({ busy }) => busy);
    expect(told(await bench.run({ ...inputOf(["go"]), threadId: "other" }))).toEqual([
      "RUN_ERROR unknown-thread",
    ]);
    expect(told(await bench.run(inputOf(["go", "more"])))).toEqual(["RUN_ERROR busy"]);
    bench.mock.release("gate");
    expect(told(await first).at(-1)).toBe("RUN_FINISHED success");
    bench.mock.release("gate");
    expect(bench.mock.prompts).toHaveLength(1);
  });

  test.each([
    ["a new message", "more"],
    ["the same message", "go"],
  ])("beside a run that nobody reads: busy, until the turn of that run is over: %s", async (_, text) => {
    let asked = 0;
    await using bench = new Bench({
      script: ({ text: prompt }) => ["Hi ", agentStep.wait("gate"), `${prompt} ${++asked}`],
    });
    const run = bench.agent.run(inputOf(["go"]))[Symbol.asyncIterator]();
    const first: AgUiEvent[] = [];
    for (let next = await run.next(); !next.done; next = await run.next()) {
      first.push(next.value);
      if (next.value.type === "TEXT_MESSAGE_CONTENT") break;
    }
    const input = text === "go" ? inputOf(["go"]) : inputOf(["go", text]);
    expect(told(await bench.run(input))).toEqual(["RUN_ERROR busy"]);
    bench.mock.release("gate");
    await until(bench.chat, idle);
    const second = bench.run(input);
    await bench.mock.waitFor(({ prompts }) => prompts.length === 2);
    bench.mock.release("gate");
    expect(textOf(await second)).toBe(`Hi ${text} 2`);
    for (let next = await run.next(); !next.done; next = await run.next()) first.push(next.value);
    await judge(first);
    expect(textOf(first)).toBe("Hi go 1");
  });

  test("on a closed chat: RUN_ERROR closed", async () => {
    await using bench = new Bench();
    await bench.chat.close();
    expect(told(await bench.run(inputOf(["go"])))).toEqual(["RUN_ERROR closed"]);
  });

  test("when the chat is closed in the middle of it, it ends", async () => {
    await using bench = new Bench({ script: () => ["Hi", agentStep.hang()] });
    const run = bench.run(inputOf(["go"]));
    await until(bench.chat, ({ busy }) => busy);
    await bench.chat.close();
    expect(told(await run).at(-1)).toMatch(/^RUN_(?:FINISHED cancelled|ERROR)/);
  });
});

describe("a wrong argument", () => {
  test("is an InvalidInputError at once", () => {
    const chat = createChat(new MockAgent());
    const wrong = (call: () => unknown) =>
      expect(call).toThrow(expect.objectContaining({ code: "invalid-input" }));
    wrong(() => agUiAgent({} as never));
    wrong(() => agUiAgent(undefined as never));
    wrong(() => agUiAgent(chat).run(inputOf(["go"]), { sginal: undefined } as never));
    wrong(() => agUiAgent(chat).run(inputOf(["go"]), { signal: 1 } as never));
    wrong(() => toAgUi([] as never, RUN));
    wrong(() => toAgUi(null as never, RUN));
    for (const events of [undefined, null, 1, [], {}]) wrong(() => encodeSse(events as never));
    wrong(() => toAgUi(collectable(), undefined as never));
    wrong(() => toAgUi(collectable(), { threadId: "t" } as never));
    wrong(() => toAgUi(collectable(), { ...RUN, runid: "r" } as never));
  });
});

async function* collectable(): AsyncGenerator<never> {}

describe("a stream that is cut", () => {
  const events = new Script().session().turn("go");
  const agent = events.subagent("helper", "Helper", null);
  events.delta(events.start({ parent_id: agent }), "Hi");
  events.call("ls", {}, { parent: agent });

  test("at any event ends its run with everything closed", async () => {
    for (let length = 0; length <= events.events.length; length++) {
      const all = await collect(toAgUi(streamOf(events.events.slice(0, length)), RUN));
      await judge(all);
      if (length > 1) expect(told(all).at(-1)).toBe("RUN_ERROR incomplete");
    }
  });

  test.each([
    ["another session", () => new Script("ses_2").session()],
    ["the same session", () => new Script().session().turn("lost").skip(1)],
  ])("at any event and goes on with a turn of %s is two complete runs", async (_, script) => {
    const next = script().turn("next");
    next.message(["Two."]);
    const rest = next.turnEnded().events.slice(next.events.findLastIndex(isStart));
    for (let length = 2; length <= events.events.length; length++) {
      const all = await collect(toAgUi(streamOf([...events.events.slice(0, length), ...rest]), RUN));
      await judge(all);
      const ends = told(all).filter((line) => line.startsWith("RUN_"));
      expect(ends).toEqual(["RUN_STARTED", "RUN_ERROR incomplete", "RUN_STARTED", "RUN_FINISHED success"]);
      expect(ofType(all, "RUN_STARTED").map(({ runId }) => runId)).toEqual(["run", "run.2"]);
      const [message] = ofType(all, "TEXT_MESSAGE_START").slice(-1);
      expect(message?.messageId.split(":")[0]).toBe(rest[0]?.session_id);
      expect(textOf(all).endsWith("Two.")).toBe(true);
    }
  });

  test("by a turn of another session has no event of the run after it, and other events leave it alone", async () => {
    const first = new Script().session().turn("go");
    const other = new Script("ses_2").session();
    other.status("connection.lost");
    const early = first.events.splice(0);
    const between = other.events.splice(0);
    first.message(["One."]);
    const middle = first.events.splice(0);
    other.turn("next");
    const start = other.events.splice(0);
    first.message(["lost"]);
    first.turnEnded();
    other.message(["Two."]);
    other.turnEnded();
    const order = [...early, ...between, ...middle, ...start, ...first.events, ...other.events];
    const all = await collect(toAgUi(streamOf(order), RUN));
    await judge(all);
    expect(textOf(all)).toBe("One.Two.");
    expect(told(all).filter((line) => line.startsWith("RUN_"))).toEqual([
      "RUN_STARTED",
      "RUN_ERROR incomplete",
      "RUN_STARTED",
      "RUN_FINISHED success",
    ]);
  });

  test("by an error ends its run with that error", async () => {
    async function* failing() {
      yield* events.events;
      throw new Error("lost");
    }
    const all = await collect(toAgUi(failing(), RUN));
    expect(all.at(-1)).toEqual({ type: "RUN_ERROR", message: "lost", code: "unknown" });
  });

  const isStart = ({ type }: UniversalEvent) => type === "turn.started";

  async function* streamOf<T>(list: readonly T[]): AsyncGenerator<T> {
    yield* list;
  }
});
