import type { TurnOutcome } from "agentwire";
import type { CodebuffPromptInput, CodebuffPromptOptions, CodebuffResult } from "agentwire/codebuff";
import { CodebuffClient } from "agentwire/codebuff";
import { type Answer, step } from "agentwire/testing";
import { expect, test } from "vitest";
import { countingController, drain, once, type PairOptions, readyPair } from "../helpers/codebuff.ts";
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
  "the error of an idle timeout says whether the link is alive: %s",
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

test("a refused prompt lets the next one go out, and its error shows no credential", async () => {
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

test("an acknowledged prompt without any chunk fails after `idleTimeout`", async () => {
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

test("a signal that aborts a running prompt lets no prompt of the same signal go out", async () => {
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
])("a prompt that was cancelled %s frees its place in the queue", async (_title, end) => {
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

test("a prompt with an aborted signal takes no place in the queue", async () => {
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
