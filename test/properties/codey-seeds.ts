import type { CodeyScenario, CodeySetting, CodeyStep } from "./support/codey/scenario.ts";

const setting: CodeySetting = {
  instant: false,
  browser: false,
  reconnect: false,
  keepalive: false,
  approver: "manual",
  rule: "none",
  approvalTimeout: 0,
  idleTimeout: 0,
  maxBufferedBytes: 300,
  maxQueuedTurns: 3,
  random: 0,
  warm: true,
  recovers: true,
};

const prompt: CodeyStep = { do: "prompt", reader: "loop", signal: false, timeout: 0, held: false };
const asks: CodeyStep = { do: "call", agent: 0, call: 2, message: "asks" };
const completed: CodeyStep = { ...asks, message: "completed" };
const request = (...calls: readonly number[]): CodeyStep => ({ do: "request", agent: 0, calls });
const reply = (given: "approve" | "deny", which = 0): CodeyStep => ({ do: "reply", request: which, given });

/**
 * Lives of a client that once went wrong, in the library or in a copy of it that was broken on purpose, by what is
 * promised; each is played again in every run. What a failing property prints as its counterexample goes here.
 */
export const CODEY_SEEDS: Readonly<Record<string, CodeyScenario>> = {
  "the end of a sub-agent that nobody has heard of does not end the turn": {
    setting,
    steps: [prompt, { do: "finished", agent: 1, tokens: 0, usage: false }, prompt],
  },
  "a turn that is cancelled by who is told of its approval leaves nothing open": {
    setting: { ...setting, recovers: false },
    steps: [{ do: "when", moment: "turn approval", deed: "cancel first" }, prompt, asks],
  },
  "a turn whose client is closed by who is told of its approval leaves nothing open": {
    setting: { ...setting, approver: "callback" },
    steps: [{ do: "when", moment: "turn approval", deed: "close" }, prompt, asks],
  },
  "a prompt from the signal of an approval waits for the Pong": {
    setting: { ...setting, approver: "callback" },
    steps: [prompt, asks, { do: "when", moment: "abort", deed: "prompt" }, { do: "cancel", turn: 0 }],
  },
  "a client that is closed while its turn turns to cancelling settles it": {
    setting,
    steps: [prompt, { do: "when", moment: "turn status", deed: "close" }, { do: "cancel", turn: 0 }],
  },
  "a prompt from who sees a stray message come does not get it": {
    setting,
    steps: [
      { do: "when", moment: "frame", deed: "prompt" },
      { do: "text", agent: 0 },
    ],
  },
  "a question that is repeated behind the Cancel is not decided again": {
    setting: { ...setting, approver: "nobody" },
    steps: [prompt, asks, { do: "when", moment: "message", deed: "cancel first" }, asks],
  },
  "a question of the next turn under an abandoned id is asked, once": {
    setting: { ...setting, approver: "callback" },
    steps: [
      prompt,
      { do: "request", agent: 0, calls: [2] },
      { do: "cancel", turn: 0 },
      { do: "pong" },
      prompt,
      asks,
      asks,
    ],
  },
  "an id that comes again in the next round is asked about again": {
    setting,
    steps: [
      prompt,
      request(2),
      asks,
      reply("approve"),
      completed,
      request(2),
      asks,
      reply("deny"),
      { ...asks, message: "toolError" },
    ],
  },
  "two background calls of one id are decided in the order of their questions": {
    setting,
    steps: [prompt, request(2, 2), asks, asks, reply("approve", 1), reply("deny"), completed],
  },
  "a call that the server's filter allows keeps its output beside an open question of its id": {
    setting,
    steps: [
      prompt,
      request(2, 2),
      asks,
      { ...asks, message: "started" },
      completed,
      reply("approve"),
      completed,
    ],
  },
  "a question that cannot be read is not denied before an older one of its id": {
    setting,
    steps: [prompt, request(2, 2), asks, { ...asks, message: "unreadable" }, reply("approve")],
  },
  "a turn whose time is over while it waits is not sent by who is told of that": {
    setting: { ...setting, instant: true },
    steps: [
      prompt,
      { do: "prompt", reader: "loop", signal: false, timeout: 5_000, held: false },
      { do: "when", moment: "turn status", deed: "cancel first" },
      { do: "advance", ms: 20_000 },
    ],
  },
  "a fatal error: a prompt from who hears of it is not sent on the session that is over": {
    setting: { ...setting, reconnect: true },
    steps: [prompt, { do: "when", moment: "turn status", deed: "prompt" }, { do: "error", fatal: true }],
  },
  "a call that was requested behind the Cancel stays with the turn that was stopped": {
    setting: { ...setting, recovers: false },
    steps: [
      { ...prompt, held: true },
      { do: "error", fatal: false },
      { ...prompt, held: true },
      request(0),
      { do: "serves" },
      { do: "call", agent: 0, call: 0, message: "delta" },
      { do: "serves" },
    ],
  },
  "a question of another agent that cannot be read is denied, and the one of the same id is approved": {
    setting: { ...setting, instant: true },
    steps: [
      { ...prompt, held: true },
      { ...asks, call: 0 },
      { do: "call", agent: 1, call: 0, message: "unreadable" },
    ],
  },
  "of two agents' questions of the same id the second is denied, and asked anew": {
    setting: { ...setting, approver: "callback", instant: true, warm: false, recovers: false },
    steps: [
      { ...prompt, held: true },
      { do: "serves" },
      { do: "serves" },
      { do: "call", agent: 1, call: 0, message: "asks" },
      { ...asks, call: 0 },
      { do: "reply", request: 9, given: "deny" },
      { ...asks, call: 0 },
    ],
  },
};
