import type { TurnOutcome } from "agentwire";
import type { CodebuffPromptInput, CodebuffPromptOptions, CodebuffResult } from "agentwire/codebuff";
import { CodebuffClient, CodebuffTurnError } from "agentwire/codebuff";
import { type Answer, step } from "agentwire/testing";
import { expect, test } from "vitest";
import { countingController, drain, gate, once, type PairOptions, readyPair } from "../helpers/codebuff.ts";
import { FakeSocket } from "../helpers/fake-socket.ts";
import { heard, shown } from "../helpers/turns.ts";

type Ready = Awaited<ReturnType<typeof readyPair>>;

interface Settled {
  readonly values: readonly string[];
  readonly thrown: unknown;
  readonly outcome: TurnOutcome<CodebuffResult>;
}

/** Runs one prompt against `answer` while `act` does what ends it, and checks that nothing of it is left. */
async function settle(
  answer: Answer,
  act: (
    made: Ready & { readonly turn: ReturnType<Ready["client"]["prompt"]>; abort(reason: unknown): void },
  ) => Promise<void> | void = () => {},
  options: {
    readonly pair?: PairOptions;
    readonly prompt?: CodebuffPromptOptions & { timeout?: number; idleTimeout?: number };
    readonly input?: CodebuffPromptInput;
  } = {},
): Promise<Settled> {
  await using made = await readyPair({ ...options.pair, mock: { answer, ...options.pair?.mock } });
  const { controller, listeners } = countingController();
  const turn = made.client.prompt(options.input ?? "hello", { ...options.prompt, signal: controller.signal });
  const reading = drain(turn.textStream);
  await act({ ...made, turn, abort: (reason) => controller.abort(reason) });
  const { values, thrown } = await reading;
  const outcome = await turn.outcome;
  expect(listeners(), "listeners left on the signal").toBe(0);
  const result = await turn.result.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if (outcome.status === "completed") expect(result).toEqual({ value: outcome.result });
  else expect(result, "result is the throwing form of outcome").toHaveProperty("error");
  await made.client.close({ force: true });
  expect(made.clock.pending, "timers left after close").toBe(0);
  return { values, thrown, outcome };
}

test("success: the loop ends, the outcome is completed, the result holds the text and the server's fields", async () => {
  const { values, thrown, outcome } = await settle(() => ["Hello", ", ", "world é😀"]);
  expect(values).toEqual(["Hello", ", ", "world é😀"]);
  expect(thrown).toBeUndefined();
  expect(outcome).toMatchObject({
    status: "completed",
    result: { text: "Hello, world é😀", sessionState: {}, toolCalls: [], toolResults: [], output: null },
  });
});

test("success with an empty stream: no text, and completed all the same", async () => {
  const { values, outcome } = await settle(() => []);
  expect(values).toEqual([]);
  expect(outcome).toMatchObject({ status: "completed", result: { text: "" } });
});

test("refusal with the prompt's txid: fails at once with request-refused and the server's words", async () => {
  const { values, thrown, outcome } = await settle(
    ({ txid }) => [
      step.raw(
        JSON.stringify({ type: "ack", txid, success: false, error: "Message validation failed: model" }),
      ),
      step.silent(),
    ],
    () => {},
    { pair: { mock: { ackOrder: "late" } } },
  );
  expect(values).toEqual([]);
  expect(thrown).toMatchObject({
    code: "request-refused",
    txid: 1,
    serverMessage: "Message validation failed: model",
  });
  expect(outcome).toMatchObject({ status: "failed", error: thrown });
});

test("refusal without a txid, with one frame un-acked: it can only be about that one", async () => {
  const { thrown } = await settle(
    () => [step.nack("Internal error: something broke"), step.silent()],
    () => {},
    { pair: { mock: { ackOrder: "late" } } },
  );
  expect(thrown).toMatchObject({ code: "request-refused", serverMessage: "Internal error: something broke" });
});

test("refusal without a txid while the prompt runs: never fails it", async () => {
  const { values, outcome } = await settle(() => [
    "one",
    step.nack("Internal error: something else"),
    " two",
  ]);
  expect(values).toEqual(["one", " two"]);
  expect(outcome.status).toBe("completed");
});

test("silence for good: an answer to any later frame proves that the prompt is over", async () => {
  const { thrown, outcome } = await settle(
    () => ["one", step.silent()],
    async ({ client, clock, turn }) => {
      await shown(turn, "one");
      const acked = heard(client, '"ack"');
      await clock.advance(25_000); // the next ping
      await acked;
      await clock.advance(30_000); // no chunk follows
    },
    { pair: { mock: { unreadFrame: "queue" }, client: { maxConcurrentPrompts: 2 } } },
  );
  expect(thrown).toMatchObject({ code: "turn-failed", origin: "silent-end", partial: { text: "one" } });
  expect(outcome.status).toBe("failed");
});

test("an ack that never comes: request-timeout, and the server may have the prompt", async () => {
  const { thrown } = await settle(
    () => [],
    async ({ clock, server }) => {
      for (const connection of server.connections) connection.pause();
      await clock.advance(30_000);
      for (const connection of server.connections) connection.resume();
    },
    { pair: { client: { keepalive: false } } },
  );
  expect(thrown).toMatchObject({ code: "request-timeout", timeout: 30_000, txid: 1, delivery: "unknown" });
});

test("prompt-error before any chunk: throws once with the exact message", async () => {
  const { values, thrown, outcome } = await settle(() => [step.failBeforeStream("upstream exploded")]);
  expect(values).toEqual([]);
  expect(thrown).toBeInstanceOf(CodebuffTurnError);
  expect(thrown).toMatchObject({
    code: "turn-failed",
    origin: "action",
    kind: "prompt-error",
    serverMessage: "Failed to process prompt: Failed to stream response: upstream exploded",
    partial: { text: "" },
  });
  expect(outcome).toMatchObject({ status: "failed", error: thrown });
});

test("prompt-error in mid-stream: what had arrived is read first, and stays in `partial`", async () => {
  const { values, thrown, outcome } = await settle(() => ["Hello", ", ", step.failMidStream("stream broke")]);
  expect(values).toEqual(["Hello", ", "]);
  expect(thrown).toMatchObject({
    serverMessage: "Streaming error: stream broke",
    partial: { text: "Hello, " },
  });
  expect(outcome).toMatchObject({ status: "failed", partial: { text: "Hello, " } });
});

test("cancel: the loop ends without a throw, buffered events are dropped, the outcome says by whom", async () => {
  const hold = gate();
  const { thrown, outcome } = await settle(
    async function* () {
      yield "one";
      await hold.passed;
      yield "two";
    },
    async ({ turn }) => {
      await shown(turn, "one");
      await turn.cancel("enough");
      hold.open();
    },
  );
  expect(thrown).toBeUndefined();
  expect(outcome).toMatchObject({ status: "cancelled", by: "user", partial: { text: "one" } });
});

test("leaving the loop: cancels the turn", async () => {
  await using made = await readyPair();
  const hold = gate();
  made.server.answer = async function* () {
    yield "one";
    await hold.passed;
    yield "two";
  };
  const turn = made.client.prompt("hello");
  for await (const text of turn.textStream) {
    expect(text).toBe("one");
    break;
  }
  expect(await turn.outcome).toMatchObject({ status: "cancelled", by: "user", partial: { text: "one" } });
  hold.open();
});

test("leaving the loop after the turn has completed: changes nothing", async () => {
  await using made = await readyPair({ mock: { answer: () => ["a", "b"] } });
  const turn = made.client.prompt("hello");
  await turn.result;
  for await (const event of turn) {
    expect(event.type).toBe("response-chunk");
    break;
  }
  expect(turn.status).toBe("completed");
});

test("a signal that was aborted before: nothing is sent", async () => {
  await using made = await readyPair();
  const turn = made.client.prompt("hello", { signal: AbortSignal.abort("too late") });
  const { thrown } = await drain(turn);
  expect(thrown).toMatchObject({
    code: "turn-cancelled",
    by: "signal",
    cause: "too late",
    delivery: "not-sent",
    input: "hello",
  });
  expect(await turn.outcome).toMatchObject({ status: "cancelled", by: "signal" });
  expect(made.server.prompts).toEqual([]);
});

test("signal: what had arrived is read, then the loop throws turn-cancelled with the signal's reason as its cause", async () => {
  const hold = gate();
  const reason = new Error("the user left");
  const { values, thrown, outcome } = await settle(
    async function* () {
      yield "one";
      await hold.passed;
    },
    async ({ turn, abort }) => {
      await shown(turn, "one");
      abort(reason);
      hold.open();
    },
  );
  expect(values).toEqual(["one"]);
  expect(thrown).toMatchObject({
    code: "turn-cancelled",
    by: "signal",
    cause: reason,
    partial: { text: "one" },
  });
  expect(outcome).toMatchObject({ status: "cancelled", by: "signal" });
});

test("idle timeout: a prompt that goes silent fails with turn-timeout", async () => {
  const hold = gate();
  const { values, thrown, outcome } = await settle(
    async function* () {
      yield "one";
      await hold.passed;
    },
    async ({ turn, clock }) => {
      await shown(turn, "one");
      await clock.advance(4_999);
      expect(turn.status).toBe("streaming");
      await clock.advance(1);
      hold.open();
    },
    { prompt: { idleTimeout: 5_000 } },
  );
  expect(values).toEqual(["one"]);
  expect(thrown).toMatchObject({ code: "turn-timeout", kind: "idle", timeout: 5_000, delivery: "unknown" });
  expect(outcome).toMatchObject({ status: "failed", partial: { text: "one" } });
});

test.each([
  ["pings were answered meanwhile", "codebuff", true, "the link is alive: raise `idleTimeout`"],
  ["nothing at all came back", "codebuff", false, "the link may be dead; if the server is only slow, raise"],
  [
    "the server gets no pings meanwhile",
    "proxy",
    true,
    "the link may be dead; if the server is only slow, raise",
  ],
] as const)(
  "idle timeout: the error says what is known of the link: %s",
  async (_, profile, answers, words) => {
    const { thrown } = await settle(
      () => ["one", step.hang()],
      async ({ client, server, turn, clock }) => {
        await shown(turn, "one");
        if (!answers) for (const connection of server.connections) connection.pause();
        for (let waited = 0; waited < 125_000; waited += 25_000) {
          const ponged = profile === "codebuff" && answers ? heard(client, '"ack"') : undefined;
          await clock.advance(25_000);
          await ponged;
        }
        await clock.advance(20_000); // a browser may get the last chunk after the first step
        for (const connection of server.connections) connection.resume();
      },
      { pair: { mock: { profile }, client: { keepalive: answers ? {} : false, stallTimeout: 0 } } },
    );
    expect(thrown).toMatchObject({ code: "turn-timeout", message: expect.stringContaining(words) });
  },
);

test("total timeout: a prompt that goes on and on fails with turn-timeout", async () => {
  const hold = gate();
  const { thrown } = await settle(
    async function* () {
      yield "one";
      await hold.passed;
    },
    async ({ turn, clock }) => {
      await shown(turn, "one");
      await clock.advance(10_000);
      hold.open();
    },
    { prompt: { timeout: 10_000 } },
  );
  expect(thrown).toMatchObject({ code: "turn-timeout", kind: "total", timeout: 10_000 });
});

test("close without force: waits for the prompt, which completes", async () => {
  const hold = gate();
  const { values, outcome } = await settle(
    async function* () {
      yield "one";
      await hold.passed;
      yield " two";
    },
    async ({ turn, client, server }) => {
      await shown(turn, "one");
      const closed = client.close();
      expect(client.status).toBe("draining");
      expect(() => client.prompt("more")).toThrow(expect.objectContaining({ code: "closed" }));
      hold.open();
      await closed;
      expect(client.status).toBe("closed");
      expect(server.violations).toEqual([]);
    },
  );
  expect(values).toEqual(["one", " two"]);
  expect(outcome).toMatchObject({ status: "completed", result: { text: "one two" } });
});

test("close with force: the loop ends without a throw, the outcome says closed and delivery unknown", async () => {
  const hold = gate();
  const { thrown, outcome } = await settle(
    async function* () {
      yield "one";
      await hold.passed;
    },
    async ({ turn, client }) => {
      await shown(turn, "one");
      await client.close({ force: true });
      hold.open();
    },
  );
  expect(thrown).toBeUndefined();
  expect(outcome).toMatchObject({
    status: "failed",
    error: { code: "closed", delivery: "unknown" },
    partial: { text: "one" },
  });
});

test("close when the drain takes too long: warns, ends the turn, and closes", async () => {
  const hold = gate();
  const { outcome } = await settle(
    async function* () {
      yield "one";
      await hold.passed;
    },
    async ({ turn, client, clock }) => {
      await shown(turn, "one");
      const warnings: unknown[] = [];
      client.on("protocolWarning", (warning) => warnings.push(warning));
      const closed = client.close({ drainTimeout: 2_000 });
      await clock.advance(1_999);
      expect(client.status).toBe("draining");
      await clock.advance(1);
      await closed;
      expect(warnings).toMatchObject([{ kind: "drain-expired" }]);
      hold.open();
    },
  );
  expect(outcome).toMatchObject({ status: "failed", error: { code: "closed" } });
});

test("refusal of a prompt makes room for the next, and shows no credential", async () => {
  await using made = await readyPair({
    mock: {
      ackOrder: "late",
      answer: ({ txid, data }) =>
        data.prompt === "next"
          ? ["ok"]
          : [
              step.raw(JSON.stringify({ type: "ack", txid, success: false, error: "bad s3cret-t0ken" })),
              step.silent(),
            ],
    },
    client: { authToken: "s3cret-t0ken", maxConcurrentPrompts: 1 },
  });
  const [refused, next] = [made.client.prompt("refused"), made.client.prompt("next")];
  expect(await refused.outcome).toMatchObject({ error: { serverMessage: "bad [redacted]" } });
  expect((await next.result).text).toBe("ok");
});

test("idle timeout: a prompt that was taken in and gets no word fails, too", async () => {
  const { thrown } = await settle(
    () => [step.hang()],
    async ({ client, clock }) => {
      await once(client, "frame", ({ direction, text }) => direction === "in" && text.includes('"txid": 1'));
      await clock.advance(120_000);
    },
    { pair: { client: { keepalive: false } } },
  );
  expect(thrown).toMatchObject({ code: "turn-timeout", kind: "idle", timeout: 120_000 });
});

test("a signal that was aborted before: a later prompt is the only one that is sent", async () => {
  await using made = await readyPair();
  const aborted = made.client.prompt("aborted", { signal: AbortSignal.abort() });
  await made.client.prompt("later").result;
  expect((await aborted.outcome).status).toBe("cancelled");
  expect(made.server.prompts.map(({ data }) => data.prompt)).toEqual(["later"]);
});

test("a prompt is not sent in the place of one that its own signal has just ended", async () => {
  await using made = await readyPair({
    mock: { profile: "codebuff", answer: () => ["part", step.hang()] },
    client: { authToken: "token-1234", maxConcurrentPrompts: 1 },
  });
  const { client, server } = made;
  const controller = new AbortController();
  const turns = ["one", "two", "three"].map((text) => client.prompt(text, { signal: controller.signal }));
  await server.waitFor(() => server.prompts.length === 1);
  controller.abort();
  const outcomes = await Promise.all(turns.map(({ outcome }) => outcome));
  expect(outcomes.map(({ status }) => status)).toEqual(["cancelled", "cancelled", "cancelled"]);
  server.answer = () => ["answered"];
  await client.prompt("later").result;
  expect(server.prompts.map(({ data }) => data.prompt)).toEqual(["one", "later"]);
});

test.each([
  ["while it waited", (turn: { cancel(): unknown }, _abort: () => void) => turn.cancel()],
  ["by its signal while it waited", (_turn: unknown, abort: () => void) => abort()],
])("a prompt that was cancelled %s makes room for another", async (_title, end) => {
  const client = new CodebuffClient({
    url: "ws://127.0.0.1:9/ws",
    createWebSocket: () => new FakeSocket(), // never opens
    maxQueuedTurns: 1,
  });
  const controller = new AbortController();
  const first = client.prompt("one", { signal: controller.signal });
  expect(() => client.prompt("two")).toThrow(expect.objectContaining({ code: "queue-full" }));
  end(first, () => controller.abort());
  expect(await first.outcome).toMatchObject({ status: "cancelled" });
  expect(client.prompt("two").status).toBe("queued");
  await client.close();
});

test("a prompt whose signal was aborted before takes no room", async () => {
  const client = new CodebuffClient({
    url: "ws://127.0.0.1:9/ws",
    createWebSocket: () => new FakeSocket(),
    maxQueuedTurns: 1,
  });
  expect(await client.prompt("one", { signal: AbortSignal.abort() }).outcome).toMatchObject({
    status: "cancelled",
  });
  expect(client.prompt("two").status).toBe("queued");
  await client.close();
});
