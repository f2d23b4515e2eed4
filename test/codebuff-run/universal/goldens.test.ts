import type { AnyTurn, CancelTimer } from "agentwire";
import { type CodebuffRunEvent, type CodebuffRunOptions, toUniversal } from "agentwire/codebuff-run";
import {
  type BackendEndpoint,
  type BackendFaultOptions,
  ManualClock,
  type MockCodebuffBackendOptions,
} from "agentwire/testing";
import type { UniversalEvent, UniversalOptions } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { CodebuffRunMapping } from "../../../src/codebuff-run/universal.ts";
import { expectGolden } from "../../universal/golden.ts";
import { GOLDEN_TIME, goldenOptions } from "../../universal/golden-options.ts";
import { expectInvariants, playFacts } from "../../universal/invariants.ts";
import { SCRIPTS } from "./scripts.ts";
import { collected, Names, type RunWorld, runWorld } from "./world.ts";

const golden = (name: string) => `codebuff-run/${name}`;

/** Compares the events with the golden file, under the names of ids, and with the message of an error replaced. */
function expectFile(
  name: string,
  events: readonly UniversalEvent[],
  names: Readonly<Record<string, string>>,
) {
  const told = events.flatMap((event) =>
    event.type === "error" && isFatal(event) ? [event.data.message] : [],
  );
  const words = Object.fromEntries(told.map((message) => [JSON.stringify(message).slice(1, -1), "MESSAGE"]));
  expectInvariants(events);
  expectGolden(golden(name), events.map(withoutOutput), { ...words, ...names });
}

/** What a run has produced is a matter of the run: a golden file says that it is told. */
function withoutOutput(event: UniversalEvent): UniversalEvent {
  if (event.type !== "turn.ended" || event.data.metadata["output"] === undefined) return event;
  const metadata = { ...event.data.metadata, output: "OUTPUT" };
  return { ...event, data: { ...event.data, metadata } };
}

function isFatal({ data }: Extract<UniversalEvent, { readonly type: "error" }>): boolean {
  return data.code !== "codebuff.error";
}

describe("a one-off prompt", () => {
  test.each(SCRIPTS)("$title", async ({ file, backend, options, input = "hi", maxAgentSteps }) => {
    await using at = await runWorld(backend, options);
    const names = new Names(at.client);
    const turn = at.client.prompt(input, maxAgentSteps === undefined ? {} : { maxAgentSteps });
    const events = await collected(toUniversal(turn, goldenOptions()));
    expectFile(file, events, names.of(at.backend));
    expect(at.backend.violations).toEqual([]);
  });

  test("with `eagerStart` reports the turn when it is sent, and `start` as a status", async () => {
    await using at = await runWorld({ answer: ["Hi"] });
    const names = new Names(at.client);
    const stream = toUniversal(at.client.prompt("hi"), goldenOptions({ eagerStart: true }));
    expect(stream.count).toBe(4);
    expectFile("eager-start", await collected(stream), names.of(at.backend));
  });

  test("that continues a run says so at its start", async () => {
    await using at = await runWorld({
      answer: ({ call, request }) => (request.messages.length > call ? "two" : "one"),
    });
    const names = new Names(at.client);
    const { state } = await at.client.prompt("hi").result;
    const turn = at.client.prompt("more", { previousRun: state });
    expectFile("previous-run", await collected(toUniversal(turn, goldenOptions())), names.of(at.backend));
  });
});

/** Goes on at once where the client waits before another try; all its other timers stand. */
class HastyClock extends ManualClock {
  override setTimeout(callback: () => void, delay: number): CancelTimer {
    if (![1_100, 2_200, 4_400].includes(delay)) return super.setTimeout(callback, delay);
    queueMicrotask(callback);
    return () => {};
  }
}

const FAILURES: readonly (readonly [
  string,
  BackendEndpoint,
  BackendFaultOptions | MockCodebuffBackendOptions,
])[] = [
  ["refused-before-the-start", "me", { status: 401, body: { error: "Invalid API key or user not found" } }],
  ["unreachable-before-the-start", "me", { reset: true }],
  ["http-401", "chat", { status: 401, body: { message: "Unauthorized" } }],
  ["http-402", "chat", { status: 402, body: { message: "Out of credits.\n\n    at stack (trace)" } }],
  ["http-403", "chat", { status: 403, body: { error: "account_suspended", message: "Suspended." } }],
  ["http-429", "chat", { status: 429, body: { error: "rate_limit_exceeded", message: "Weekly limit." } }],
  ["http-500", "chat", { status: 500 }],
  ["network", "chat", { reset: true }],
];

describe("a failure emits an error and ends the turn and the session, even after `finish`:", () => {
  test.each(FAILURES)("%s", async (file, endpoint, fault) => {
    await using at = await runWorld({}, { clock: new HastyClock({ epoch: GOLDEN_TIME }) });
    at.backend.fault(endpoint, fault as BackendFaultOptions);
    const names = new Names(at.client);
    const turn = at.client.prompt("hi");
    const heard: string[] = [];
    turn.on("event", ({ type }) => heard.push(type));
    const events = await collected(toUniversal(turn, goldenOptions()));
    expectFile(file, events, names.of(at.backend));
    expect(heard.at(-1)).toBe(endpoint === "me" ? undefined : "finish");
    const error = events.find((event) => event.type === "error");
    expect(error?.data.message).not.toContain("stack");
  });
});

interface Cut {
  readonly file: string;
  readonly when: string;
  readonly options: CodebuffRunOptions;
  readonly until: (turn: AnyTurn) => Promise<unknown>;
}

const heard = (turn: AnyTurn, name: string): Promise<void> =>
  new Promise((resolve) => {
    turn.on("event", ({ type }) => {
      if (type === name) resolve();
    });
  });

const HELD: MockCodebuffBackendOptions = { answer: () => ({ text: ["part", new Promise(() => {})] }) };
const CALLED: MockCodebuffBackendOptions = {
  answer: [{ text: "I look.", toolCalls: [{ name: "glob", arguments: { pattern: "*.ts" } }] }],
};

const CUTS: readonly (Cut & { readonly backend: MockCodebuffBackendOptions })[] = [
  {
    file: "cancel",
    when: "in the answer",
    backend: HELD,
    options: {},
    until: (turn) => heard(turn, "chunk"),
  },
  {
    file: "cancel-in-a-tool",
    when: "while a tool runs",
    backend: CALLED,
    options: {
      overrideTools: {
        glob: (_, { signal, onProgress }) => {
          onProgress("some");
          return new Promise((_resolve, reject) =>
            signal.addEventListener("abort", () => reject(signal.reason)),
          );
        },
      },
    },
    until: (turn) => heard(turn, "tool_progress"),
  },
  {
    file: "cancel-while-asked",
    when: "while the user is asked",
    backend: CALLED,
    options: { overrideTools: { glob: () => [] }, onToolApproval: "manual" },
    until: (turn) => new Promise((resolve) => turn.on("approval", resolve)),
  },
];

describe("a cancel", () => {
  test.each(CUTS)(
    "$when is reported at once, and ends the session",
    async ({ file, backend, options, until }) => {
      await using at = await runWorld(backend, options);
      const names = new Names(at.client);
      const turn = at.client.prompt("hi");
      const stream = toUniversal(turn, goldenOptions());
      await until(turn);
      const cancelled = turn.cancel();
      expect(stream.ended).toBe(true);
      await cancelled;
      expectFile(file, await collected(stream), names.of(at.backend));
    },
  );

  test("before `start` ends a session without any output", async () => {
    await using at = await runWorld();
    const names = new Names(at.client);
    const turn = at.client.prompt("hi");
    const stream = toUniversal(turn, goldenOptions());
    expect(stream.count).toBe(0);
    await turn.cancel();
    expectFile("cancel-before-the-start", await collected(stream), names.of(at.backend));
  });

  test("by the client's `close()` also ends the session", async () => {
    await using at = await runWorld(HELD);
    const names = new Names(at.client);
    const turn = at.client.prompt("hi");
    const stream = toUniversal(turn, goldenOptions());
    await heard(turn, "chunk");
    await at.client.close();
    expectFile("close", await collected(stream), names.of(at.backend));
  });

  test("by a time limit is a failure", async () => {
    await using at = await runWorld(HELD);
    const names = new Names(at.client);
    const turn = at.client.prompt("hi", { timeout: 60_000 });
    const stream = toUniversal(turn, goldenOptions());
    await heard(turn, "chunk");
    at.clock.advance(60_000);
    await turn.outcome;
    expectFile("timeout", await collected(stream), names.of(at.backend));
  });
});

describe("a conversation", () => {
  const talk = async (at: RunWorld, prompts: readonly string[], options?: UniversalOptions) => {
    const names = new Names(at.client);
    const chat = at.client.conversation();
    const stream = toUniversal(chat, goldenOptions(options));
    for (const prompt of prompts) await chat.prompt(prompt).outcome;
    await at.client.close();
    return { events: await collected(stream), names: names.of(at.backend) };
  };

  test("is one session until the client closes, with the id of the last run", async () => {
    const answers = ["one", "two"];
    await using at = await runWorld({ answer: () => answers.shift() ?? "" });
    const { events, names } = await talk(at, ["hi", "hi"]);
    expectFile("conversation", events, names);
  });

  test("fails only the turn whose run fails", async () => {
    await using at = await runWorld({ balance: 0 });
    const { events, names } = await talk(at, ["hi"]);
    expectFile("failed-in-a-conversation", events, names);
  });
});

describe("an event that only other builds of Codebuff send is translated too:", () => {
  const sub = (type: "subagent_start" | "subagent_finish", agentId: string, more: object = {}) =>
    ({
      type,
      agentId,
      agentType: agentId === "a1" && !("thinker" in more) ? "picker" : "thinker",
      displayName: agentId === "a1" && !("thinker" in more) ? "Picker" : "Thinker",
      onlyChild: true,
      parentAgentId: "main-agent",
      ...more,
    }) as const;
  const text = (agentId: string, chunk: string) =>
    ({ type: "subagent_chunk", agentId, agentType: "x", chunk }) as const;
  const chunk = (piece: string) => ({ type: "chunk", chunk: piece }) as const;
  const call = (toolCallId: string, agentId: string, parentAgentId: string) =>
    ({ type: "tool_call", toolCallId, toolName: "glob", input: {}, agentId, parentAgentId }) as const;
  const result = (toolCallId: string, value: unknown) =>
    ({ type: "tool_result", toolCallId, toolName: "glob", output: [{ type: "json", value }] }) as const;

  const CASES: Readonly<Record<string, readonly CodebuffRunEvent[]>> = {
    "whole-texts": [
      chunk("Hel"),
      chunk("lo"),
      { type: "text", text: "Hello" },
      chunk(" you"),
      { type: "text", text: " you all" },
      { type: "text", text: "Other" },
    ],
    "parallel-subagents": [
      sub("subagent_start", "a1", { prompt: "find" }),
      sub("subagent_start", "a2"),
      text("a1", "one "),
      text("a2", "two "),
      text("a1", "more"),
      chunk("root"),
      { type: "text", text: "one more", agentId: "a1" },
      text("a2", "too"),
      sub("subagent_finish", "a1", { prompt: "find" }),
      sub("subagent_finish", "a2"),
    ],
    "nested-subagents": [
      sub("subagent_start", "a1"),
      sub("subagent_start", "a2", { parentAgentId: "a1" }),
      call("c1", "a2", "a1"),
      result("c1", []),
      call("c2", "a9", "a1"),
      result("c2", []),
      sub("subagent_finish", "a2", { parentAgentId: "a1" }),
    ],
    "subagent-finish-without-start": [sub("subagent_finish", "a1")],
    "reasoning-of-a-run": [
      { type: "reasoning_chunk", agentId: "run-1", ancestorRunIds: [], chunk: "think " },
      sub("subagent_start", "a1", { agentType: "thinker", displayName: "Thinker" }),
      { type: "reasoning_chunk", agentId: "run-2", ancestorRunIds: ["run-1"], chunk: "sub" },
      { type: "reasoning_delta", text: "sub", runId: "run-2", ancestorRunIds: ["run-1"] },
      { type: "reasoning_chunk", agentId: "a1", ancestorRunIds: ["run-1"], chunk: "marine" },
      sub("subagent_finish", "a1", { agentType: "thinker", displayName: "Thinker" }),
    ],
    download: [
      { type: "download", version: "1.0.9", status: "complete" },
      { type: "download", version: "2.0.0", status: "failed" },
    ],
    "result-without-call": [result("c1", "x"), result("c1", "y")],
  };

  test.each(Object.entries(CASES))("%s", (file, events) => {
    const told = playFacts(
      () => new CodebuffRunMapping(false),
      [
        { type: "sent", turnId: "turn_1", input: { text: "hi" } },
        ...[{ type: "start", messageHistoryLength: 0 } as const, ...events].map(
          (event) => ({ type: "event", turnId: "turn_1", event }) as const,
        ),
        { type: "ended", turnId: "turn_1", end: { status: "completed", result: {} as never } },
        { type: "closed" },
      ],
      { wallTime: () => GOLDEN_TIME },
    );
    expectFile(file, told, {});
  });
});
