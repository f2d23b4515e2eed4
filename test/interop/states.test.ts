import type { RunState } from "agentwire/codebuff-run";
import { beforeAll, describe, expect, test } from "vitest";
import { at, type Job, type Played, playWithOwn, playWithSdk, START_LIMIT } from "./both.ts";
import { reconciled } from "./differences.ts";
import { ALWAYS, calls, LISTED, LS, says, testerWith, usage, WEATHER } from "./job.ts";
import { outlineOf } from "./outline.ts";

// Each client makes a state, and both clients go on from it.

const scenario = {
  prompts: ["first"],
  agents: testerWith("run_terminal_command", "get_weather"),
  tools: ["get_weather"],
  overrides: { run_terminal_command: [LISTED] },
} as const;

const BASES: readonly Job[] = [
  {
    name: "a run with text, thoughts and tools",
    scenario,
    server: () => ({
      answer: [{ reasoning: "hm", text: "I look.", toolCalls: [LS, WEATHER], usage }, says("Mild.")],
    }),
  },
  {
    name: "a run with bad calls",
    scenario,
    server: () => ({ answer: [calls({ name: "no_such_tool" }, WEATHER), says("Mild.")] }),
  },
  {
    name: "a cancelled run",
    scenario: { ...scenario, cancel: "at the first text" },
    server: () => ({ answer: [{ text: ["one ", "two"], gapMs: 30, usage }] }),
  },
  {
    name: "a run that failed in its second step",
    scenario,
    server: () => ({ answer: [calls(WEATHER), { refused: {} }] }),
  },
  {
    name: "a run at its limit of steps",
    scenario: { ...scenario, maxAgentSteps: 1 },
    server: () => ({ answer: [calls(WEATHER), says("Mild.")] }),
  },
];

/** The last state that a run has left. */
function stateOf({ heard }: Played): RunState {
  const states = heard.flatMap((each) => (each.said === "result" ? [each.result] : []));
  return states.at(-1) as unknown as RunState;
}

/** A state: what it is of, and who has made it. */
const STATES = BASES.flatMap(({ name }, place) => [
  { title: `${name}, of the original client`, by: "sdk", place } as const,
  { title: `${name}, of this library`, by: "own", place } as const,
]);

let made: { readonly sdk: readonly Played[]; readonly own: readonly Played[] };
let sdkGoesOn: readonly Played[];
let ownGoesOn: readonly Played[];

beforeAll(async () => {
  made = { sdk: await playWithSdk(BASES), own: await playWithOwn(BASES) };
  const jobs = STATES.map(
    ({ title: name, by, place }): Job => ({
      name,
      scenario: { ...scenario, prompts: ["second"], previousRun: stateOf(at(made[by], place)) },
      server: () => ({ answer: [calls(WEATHER), says("All of it.")] }),
    }),
  );
  sdkGoesOn = await playWithSdk(jobs);
  ownGoesOn = await playWithOwn(jobs);
}, 2 * START_LIMIT);

describe("from the same state, both clients send, report and save the same", () => {
  test.each(STATES.map((state, place) => ({ ...state, on: place })))("$title", ({ on }) => {
    const sdk = at(sdkGoesOn, on);
    const own = at(ownGoesOn, on);
    const plain = reconciled(sdk.account, own.account, [...ALWAYS, "custom-tool-defaults"]);
    expect(plain.own).toEqual(plain.sdk);
    expect(own.violations).toEqual([]);
  });
});

describe("a run continues after all messages of its state", () => {
  test.each(STATES.map((state, place) => ({ ...state, on: place })))("$title", ({ by, place, on }) => {
    const { length } = historyOf(stateOf(at(made[by], place)));
    for (const played of [at(sdkGoesOn, on), at(ownGoesOn, on)]) {
      const { items, ends } = outlineOf(played.account);
      expect(items).toBe(
        `start at ${length}; call get_weather; result get_weather; "All of it."; text "All of it."; finish: 10 credits`,
      );
      expect(ends).toBe('lastMessage: assistant "All of it."');
      expect(historyOf(stateOf(played)).slice(0, length)).toEqual(historyOf(stateOf(at(made[by], place))));
    }
  });
});

test("a failed run's state has its steps, and with this library a message about the failure", () => {
  const place = BASES.findIndex(({ name }) => name === "a run that failed in its second step");
  const roles = (played: Played) => historyOf(stateOf(played)).map(({ role }) => role);
  expect(roles(at(made.own, place))).toEqual(["user", "user", "assistant", "tool", "user"]);
  expect(roles(at(made.sdk, place))).toEqual(["user", "user", "assistant", "tool"]);
});

function historyOf({ sessionState }: RunState) {
  return sessionState?.mainAgentState.messageHistory ?? [];
}
