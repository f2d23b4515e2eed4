import {
  acpStep,
  acpTool,
  type MockAcpCall,
  type MockAcpOptions,
  type MockAcpProfile,
  type MockAcpStep,
} from "agentwire/testing";
import { Dice } from "../../../soak/dice.ts";
import type { Reader, StopPlan } from "../../../soak/plan.ts";

/** Numbers of turns that a chapter may use. */
export const TURNS_OF_CHAPTER = 16;

/** What the user says to one request. */
export type Verdict = "once" | "always" | "turn" | "reject" | "throw" | "never" | "late" | "cancel" | "twice";

export interface AcpTurnPlan {
  readonly number: number;
  readonly steps: readonly MockAcpStep[];
  readonly reader: Reader;
  readonly stop: StopPlan | undefined;
  /** -1: a session of its own, else the number of a conversation. */
  readonly channel: number;
  readonly gap: "settle" | "none";
  /** What the user does before it. */
  readonly before: "nothing" | "load" | "reopen" | "mode" | "sessions" | "connect" | "cancelAll";
  /** The end of the script is an answer. */
  readonly isAnswered: boolean;
}

/** One agent and one client, or one chat, from the first turn to the end. */
export interface AcpChapterPlan {
  readonly number: number;
  readonly mock: MockAcpOptions;
  readonly through: "client" | "chat";
  readonly approvals: "callback" | "manual" | "rules" | "nobody";
  readonly always: "gate" | "agent";
  readonly mode: "ask" | false;
  readonly door: "none" | "write" | "read" | "terminal";
  readonly turns: readonly AcpTurnPlan[];
  readonly ending: "settled" | "early" | "force";
  /** Nothing but the user keeps a turn from its end. */
  readonly isCalm: boolean;
}

const PROFILES: Readonly<Record<MockAcpProfile, number>> = {
  ...{ documented: 2, gemini: 1, claude: 1, codex: 1, copilot: 1, kimi: 1, opencode: 1, qwen: 1 },
};

/** The values of each switch. Those of processes and of 33 MiB are left to other suites. */
const SWITCHES: Readonly<Record<string, readonly unknown[]>> = {
  callFirst: ["toolCall", "permission"],
  rawInput: ["full", "none", "emptyThenFull", "inContent"],
  modelError: ["rpcError", "textEndTurn", "silentEndTurn", "textAndError", "httpCode", "hang"],
  secondPrompt: ["queue", "cancelFirst", "interleave", "error", "silence", "together", "failFirst"],
  cancel: ["ends", "needsAnswers", "slow", "completes"],
  cancelRequest: ["honoured", "ignored", "sends"],
  afterReject: ["continues", "endTurn", "cancelled"],
  openCallsAtCancel: ["failed", "completed", "left"],
  clientFs: ["readWrite", "writeUnoffered", "none", "strictNotFound"],
  terminals: ["off", "client", "own"],
  load: ["replay", "silent", "error"], // not `late`: nobody can tell such a replay from the answer to a prompt
  options: ["oneEach", "twoAlways", "twoOnce", "noAlways", "oddIds", "unknownKind", "empty"],
  askOrder: ["serial", "parallel", "reversed"],
  stdinEnd: ["exits", "ignores", "finishesTurn"],
  models: ["configOptions", "legacy", "both", "none"],
  firstMode: ["default", "auto"],
  messageIds: [true, false],
  emptyChunks: [true, false],
  thoughts: [true, false],
  echoPrompt: [true, false],
  stray: ["beforeInit", "midTurn", "halfLine", "splitUtf8", "crlf", "bom"],
  unknown: ["update", "notification", "request", "stopReason", "field"],
  startDelay: [5, 20_000],
  chunking: [1, 7, 1_000],
  huge: [100_000],
  modeChange: ["agentDriven"],
  usage: ["perTurn", "cumulative", "meta", "none"],
};

/** Switches that keep turns from their end. */
const ROUGH: readonly ((dice: Dice) => MockAcpOptions)[] = [
  () => ({ cancel: "ignored" }),
  (dice) => ({ dieAt: { after: dice.int(0, 60), exit: 1 } }),
  (dice) => ({ dieAt: { after: dice.int(0, 60), signal: "SIGKILL" } }),
  (dice) => ({ dieAt: { after: dice.int(0, 60), closeStdout: true } }),
  () => ({ auth: "atPrompt" }),
  () => ({ auth: "atNew" }),
  () => ({ startDelay: 90_000 }),
];

const WORDS = ["naïve", "漢字", "👩‍🚀", "plain", "Zürich", "¿qué?", "кот", "data:", "{}", "\\n", "\u2028"];

/**
 * The plan of one chapter: the same seed gives the same one.
 * @param root the folder of the agent
 */
export function acpChapterPlan(seed: number, number: number, root: string): AcpChapterPlan {
  const dice = new Dice(seed, "acp", "chapter", number);
  const switches: Record<string, unknown> = {};
  for (const [name, values] of Object.entries(SWITCHES)) {
    const value = values[dice.int(0, values.length - 1)];
    if (dice.chance(0.12)) switches[name] = value;
  }
  const isCalm = dice.chance(0.4);
  const rough = ROUGH[dice.int(0, ROUGH.length - 1)];
  const mock = {
    profile: dice.pick(PROFILES),
    ...switches,
    ...(isCalm || !dice.chance(0.6) ? {} : rough?.(dice)),
  };
  const count = dice.int(3, TURNS_OF_CHAPTER);
  return {
    number,
    mock,
    through: dice.pick({ client: 3, chat: 1 }),
    approvals: dice.pick({ callback: 4, manual: 3, rules: 1, nobody: 1 }),
    always: dice.pick({ gate: 3, agent: 1 }),
    mode: dice.chance(0.8) ? "ask" : false,
    door: dice.pick({ none: 3, write: 2, read: 2, terminal: 1 }),
    turns: Array.from({ length: count }, (_, index) =>
      turnPlan(dice, root, number * TURNS_OF_CHAPTER + index, isCalm),
    ),
    ending: dice.pick({ settled: 5, early: 2, force: 1 }),
    isCalm,
  };
}

function turnPlan(dice: Dice, root: string, number: number, isCalm: boolean): AcpTurnPlan {
  const steps = Array.from({ length: dice.int(0, 6) }, (_, at) =>
    stepPlan(dice, root, number, at, isCalm ? CALM_STEPS : STEP_WEIGHTS),
  );
  const last = isCalm
    ? "answer"
    : dice.pick({ answer: 20, fail: 2, error: 1, stop: 2, hang: 2, hangingCall: 1, die: 0.7, throws: 0.5 });
  const reader = dice.pick({ loop: 5, text: 2, late: 1, abandon: 1, none: 2 });
  const stops = reader !== "abandon" && dice.chance(0.25);
  return {
    number,
    steps: [...steps, ...lastSteps(last, number)],
    reader,
    stop: stops
      ? {
          by: dice.pick({ cancel: 3, signal: 2, timeout: 1 }),
          afterEvents: dice.int(0, 6),
          afterMs: dice.int(1, 500),
        }
      : undefined,
    channel: dice.int(-1, 2),
    gap: dice.pick({ settle: 3, none: 2 }),
    before: dice.pick({ nothing: 20, load: 1, reopen: 1, mode: 1, sessions: 1, connect: 1, cancelAll: 1 }),
    isAnswered: last === "answer" || last === "stop",
  };
}

function lastSteps(last: string, number: number): readonly MockAcpStep[] {
  switch (last) {
    case "answer":
      return [` ⟨${number}.end⟩`];
    case "fail":
      return [acpStep.fail(503, "The model is overloaded")];
    case "error":
      return [acpStep.error(-32603, "Internal error", { details: "nothing" })];
    case "stop":
      return [acpStep.stop(["max_tokens", "refusal", "max_turn_requests", "cancelled"][number % 4] ?? "")];
    case "hang":
      return [acpStep.hang()];
    case "hangingCall":
      return [acpStep.calls(acpTool.shell("sleep 600", "", { hangs: true, ...named(number, 9) }))];
    case "die":
      return [acpStep.die({ exit: 3 })];
    default:
      return [acpStep.error(-32700, "Broken")];
  }
}

/** Names a call in what every agent shows of it. */
function named(turn: number, call: number): { toolCallId: string } {
  return { toolCallId: `run__${turn}.${call}` };
}

const STEP_WEIGHTS = {
  ...{
    text: 8,
    thought: 2,
    calls: 4,
    plan: 1,
    question: 1,
    link: 0.5,
    image: 0.5,
    delay: 1,
    write: 0.5,
    read: 0.5,
  },
  ...{
    context: 0.5,
    title: 0.5,
    commands: 0.5,
    notice: 0.5,
    compaction: 0.3,
    mode: 0.2,
    usage: 0.3,
    unknown: 0.2,
  },
};

/** An agent that keeps leaving its mode has its turn ended. */
const CALM_STEPS = { ...STEP_WEIGHTS, mode: 0 };

function stepPlan(
  dice: Dice,
  root: string,
  turn: number,
  at: number,
  weights: typeof STEP_WEIGHTS,
): MockAcpStep {
  const path = `${root}/${turn}.${at}.txt`;
  switch (dice.pick(weights)) {
    case "text":
      return text(dice, turn, at);
    case "thought":
      return acpStep.thought(`thinking of ${turn}.${at}`);
    case "calls":
      return acpStep.calls(
        ...Array.from({ length: dice.int(1, 3) }, (_, call) => callPlan(dice, root, turn, at * 10 + call)),
      );
    case "plan":
      return acpStep.plan({ content: "look" }, { content: "write", status: "in_progress" });
    case "question":
      return acpStep.ask(`Which one, ${turn}.${at}?`, {
        requestedSchema: { type: "object", properties: { which: { type: "string", enum: ["a", "b"] } } },
      });
    case "link":
      return acpStep.chunk({ type: "resource_link", name: "a", uri: "file:///a" });
    case "image":
      return acpStep.chunk({ type: "image", data: "aGk=", mimeType: "image/png" });
    case "delay":
      return acpStep.delay(dice.int(1, 400));
    case "write":
      return acpStep.write(path, `of ${turn}`);
    case "read":
      return acpStep.read(path);
    case "context":
      return acpStep.context(dice.int(1, 1_000), 1_000, { amount: turn / 100, currency: "USD" });
    case "title":
      return acpStep.title(`Turn ${turn}`);
    case "commands":
      return acpStep.commands("init", "help");
    case "notice":
      return acpStep.notice("Slow today");
    case "compaction":
      return acpStep.compaction("completed", "shorter");
    case "mode":
      return acpStep.mode("auto");
    case "usage":
      return acpStep.usage({ inputTokens: dice.int(1, 100) });
    case "unknown":
      return acpStep.update({ sessionUpdate: "of_tomorrow", text: "?" });
  }
}

function text(dice: Dice, turn: number, at: number): string {
  const count = dice.chance(0.02) ? dice.int(2_000, 9_000) : dice.int(1, 8);
  return `⟨${turn}.${at}⟩ ${Array.from({ length: count }, () => WORDS[dice.int(0, WORDS.length - 1)]).join(" ")} `;
}

function callPlan(dice: Dice, root: string, turn: number, call: number): MockAcpCall {
  const more: Partial<MockAcpCall> = {
    ...named(turn, call),
    ...(dice.chance(0.2) ? { delay: dice.int(1, 600) } : {}),
    ...(dice.chance(0.2) ? { pieces: ["one\n", "two\n"] } : {}),
    ...(dice.chance(0.1) ? { error: "it failed" } : {}),
    ...(dice.chance(0.2) ? { permission: true } : {}),
  };
  // The shell commands are few, so that grants find their like.
  switch (dice.pick({ shell: 5, edit: 3, read: 1, other: 1 })) {
    case "shell":
      return acpTool.shell(dice.pick({ "echo one": 1, "echo two": 1, true: 1 }), "done\n", more);
    case "edit":
      return acpTool.edit(
        `${root}/${turn}.${call}.txt`,
        "new\n",
        dice.chance(0.3) ? "old\n" : undefined,
        more,
      );
    case "read":
      return acpTool.read(`${root}/${turn}.${call}.txt`, "what it says", more);
    case "other":
      return { title: `Do ${turn}.${call}`, kind: "fetch", rawInput: { url: "http://localhost/" }, ...more };
  }
}

/** What the user says to the n-th request about a call. */
export function verdictOn(seed: number, chapter: number, request: number): Verdict {
  const dice = new Dice(seed, "acp", "verdict", chapter, request);
  return dice.pick({
    ...{ once: 8, always: 2, turn: 1, reject: 4, throw: 1, never: 1, late: 2, cancel: 0.5, twice: 1 },
  });
}
