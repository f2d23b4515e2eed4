import type { RunState } from "agentwire/codebuff-run";
import { describe, expect, test } from "vitest";
import { MOMENTS, type Moment } from "./moments.ts";
import { agentWith, json, type RunTurn, runWorld, type World } from "./world.ts";

// A run can be stopped anywhere. What was under way is aborted, the record on the backend is closed once, and the state that is
// left can be gone on from.

/** What must hold for a run that was stopped, whatever stopped it. */
async function expectStopped(at: World, { finish, left }: Moment, turn: RunTurn): Promise<void> {
  const finishes = () => at.backend.requests({ endpoint: "agent-runs", action: "FINISH" });
  if (finish !== "none")
    await at.backend.waitFor(() => at.backend.runs().every((run) => run.status !== "running"));
  await at.client.close();
  expect(finishes()).toHaveLength(finish === "none" ? 0 : at.backend.runs().length);
  for (const { body } of finishes()) expect(body).toMatchObject({ status: finish });
  if (left) {
    const request = await at.backend.waitFor(() => at.backend.requests({ state: "disconnected" })[0]);
    expect(request?.action ?? request?.endpoint).toBe(left);
  }
  expect(at.client.pending).toEqual([]);
  expect(turn.pending).toEqual([]);
  for (const { state } of turn.toolCalls) expect(["done", "failed", "denied", "abandoned"]).toContain(state);
}

/** A second run goes on from what a stop has left. */
async function expectUsable(at: World, state: unknown): Promise<void> {
  if (state === undefined) return;
  at.backend.reset();
  at.backend.answer = () => "Again";
  const next = at.another();
  const text = JSON.parse(JSON.stringify(state));
  const turn = next.conversation({ from: text }).prompt("go on");
  expect((await turn.result).text).toBe("Again");
}

describe.each(MOMENTS)("a run that is stopped $name", (moment) => {
  const started = async () => {
    const { switches, options, ready } = moment.begin();
    const at = await runWorld(switches, options);
    const stop = new AbortController();
    const told: string[] = [];
    const turn = at.client.prompt("hi", { signal: stop.signal, timeout: 77 });
    turn.on("event", ({ type }) => told.push(type));
    at.client.on("step", () => told.push("step"));
    await ready(at, turn);
    return { at, turn, told, stop };
  };

  test("by `cancel()` settles at once, emits nothing more and leaves a usable state", async () => {
    const { at, turn, told } = await started();
    await using _ = at;
    const outcome = turn.cancel();
    const before = told.length;
    expect(await outcome).toMatchObject({ status: "cancelled", by: "user" });
    await expectStopped(at, moment, turn);
    expect(told.length).toBe(before);
    const { partial } = (await turn.outcome) as { partial: { state?: unknown } };
    await expectUsable(at, partial.state);
  });

  test("by its signal", async () => {
    const { at, turn, stop } = await started();
    await using _ = at;
    stop.abort(new Error("mine"));
    await expect(turn.result).rejects.toMatchObject({
      code: "turn-cancelled",
      by: "signal",
      cause: { message: "mine" },
    });
    await expectStopped(at, moment, turn);
  });

  test("by its time limit", async () => {
    const { at, turn } = await started();
    await using _ = at;
    await at.pass(77);
    await expect(turn.result).rejects.toMatchObject({ code: "turn-timeout", kind: "total" });
    await expectStopped(at, moment, turn);
  });

  test("by `close()` of its client", async () => {
    const { at, turn } = await started();
    await using _ = at;
    const closed = at.client.close();
    await expect(turn.result).rejects.toMatchObject({ code: "closed", delivery: "unknown" });
    await closed;
    expect(at.client.status).toBe("closed");
    await expectStopped(at, moment, turn);
  });
});

test("a cancel during the first of two tool calls keeps its result and drops the second call", async () => {
  const calls = ["one", "two"].map((pattern) => ({ name: "glob", arguments: { pattern } }));
  const ran: unknown[] = [];
  let turn: RunTurn | undefined;
  const glob = ({ input }: { input: { readonly pattern?: unknown } }) => {
    ran.push(input.pattern);
    void turn?.cancel();
    return json([]);
  };
  await using at = await runWorld(
    { answer: [{ text: "So", toolCalls: calls }] },
    { agent: agentWith("glob"), overrideTools: { glob } },
  );
  turn = at.client.prompt("hi");
  const outcome = await turn.outcome;
  expect(ran).toEqual(["one"]);
  const { state } = (outcome as { partial: { state?: RunState } }).partial;
  const history = state?.sessionState?.mainAgentState.messageHistory ?? [];
  expect(history.map(({ role, content }) => `${role} ${content[0]?.type}`)).toEqual([
    "user text",
    "assistant text",
    "assistant tool-call",
    "tool json",
    "user text",
  ]);
  expect(history.at(-1)?.content).toEqual([
    { type: "text", text: "<system>The user has interrupted the run.</system>" },
  ]);
  expect(state).toMatchObject({
    stopReason: "cancelled",
    output: { type: "error", message: "Run cancelled by user" },
    failure: { kind: "aborted", message: "Run cancelled by user", retryable: false },
  });
});

test.each(["requested", "approved", "running"])(
  "a cancel while a tool call is in the state %s prevents the tool from running",
  async (state) => {
    let ran = 0;
    const glob = () => {
      ran++;
      return new Promise<never>(() => {});
    };
    const toolCalls = [{ name: "glob", arguments: { pattern: "*" } }];
    await using at = await runWorld(
      { answer: [{ toolCalls }] },
      { agent: agentWith("glob"), overrideTools: { glob } },
    );
    const turn = at.client.prompt("hi");
    turn.on("toolCall", (call) => {
      if (call.state === state) void turn.cancel();
    });
    expect(await turn.outcome).toMatchObject({ status: "cancelled" });
    expect(ran).toBe(0);
  },
);

describe("a tool that ignores the stop of its run", () => {
  const stuck = async () => {
    let reached = (): void => {};
    const here = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const glob = () => {
      reached();
      return new Promise<never>(() => {});
    };
    const at = await runWorld(
      { answer: [{ toolCalls: [{ name: "glob", arguments: { pattern: "*" } }] }] },
      { agent: agentWith("glob"), overrideTools: { glob } },
    );
    const turn = at.client.prompt("hi");
    await here;
    return { at, turn };
  };

  test("gets 2 s to end, while the backend gets FINISH at once", async () => {
    const { at, turn } = await stuck();
    await using _ = at;
    const outcome = turn.cancel();
    await at.backend.waitFor(() => at.backend.runs()[0]?.finish);
    expect(turn.status).toBe("cancelling");
    await at.pass(2_000);
    expect(await outcome).toMatchObject({ status: "cancelled" });
  });

  test("gets no time to end if the user cancels again", async () => {
    const { at, turn } = await stuck();
    await using _ = at;
    void turn.cancel();
    expect(await turn.cancel()).toMatchObject({ status: "cancelled" });
  });

  test("does not hold up `close({ force: true })`", async () => {
    const { at } = await stuck();
    await using _ = at;
    await at.client.close({ force: true });
    expect(at.client.status).toBe("closed");
  });
});

describe("a backend that does not answer FINISH", () => {
  test("gets 5 s to answer, then the client warns", async () => {
    await using at = await runWorld();
    at.backend.fault("agent-runs", { hang: true, when: "FINISH" });
    const turn = at.client.prompt("hi");
    await at.backend.waitFor(() => at.calls().includes("FINISH")); // the count of tokens has 5 s too
    await at.pass(5_000);
    expect(await turn.result).toMatchObject({ text: "Hello!" });
    expect(at.warnings).toMatchObject([{ kind: "not-reported", turnId: turn.id }]);
  });

  test("gets 1 s to answer after a cancelled turn, which has settled already", async () => {
    await using at = await runWorld();
    at.backend.fault("agent-runs", { hang: true, when: "FINISH" });
    const turn = at.client.prompt("hi");
    await at.backend.waitFor(() => at.calls().includes("FINISH"));
    expect(await turn.cancel()).toMatchObject({ status: "cancelled" });
    const closed = at.client.close();
    await at.pass(1_000);
    await closed;
  });
});

test("the key check that two runs wait for continues when one of them is cancelled", async () => {
  await using at = await runWorld();
  const lift = at.backend.fault("me", { status: 503 });
  const [first, second] = [at.client.prompt("a"), at.client.prompt("b")];
  await at.clock.armed(1_000);
  lift();
  await first.cancel();
  await at.pass(1_000);
  expect((await second.result).text).toBe("Hello!");
  expect(at.backend.requests({ endpoint: "me" })).toHaveLength(2);
});

test("`checkConnection()` becomes false at once when the client closes", async () => {
  await using at = await runWorld();
  at.backend.fault("healthz", { hang: true });
  const isWell = at.client.checkConnection();
  await at.backend.waitFor(() => at.calls().includes("healthz"));
  await at.client.close();
  expect(await isWell).toBe(false);
});

test("a run with an already aborted signal calls nothing", async () => {
  await using at = await runWorld();
  const turn = at.client.prompt("hi", { signal: AbortSignal.abort() });
  await expect(turn.result).rejects.toMatchObject({ code: "turn-cancelled", delivery: "not-sent" });
  expect(at.calls()).toEqual([]);
});
