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
  "the end of an unknown sub-agent does not end the turn": {
    setting,
    steps: [prompt, { do: "finished", agent: 1, tokens: 0, usage: false }, prompt],
  },
  "a turn that its approval listener cancels leaves nothing open": {
    setting: { ...setting, recovers: false },
    steps: [{ do: "when", moment: "turn approval", deed: "cancel first" }, prompt, asks],
  },
  "a turn whose approval listener closes the client leaves nothing open": {
    setting: { ...setting, approver: "callback" },
    steps: [{ do: "when", moment: "turn approval", deed: "close" }, prompt, asks],
  },
  "a prompt from an approval's abort listener waits for the Pong": {
    setting: { ...setting, approver: "callback" },
    steps: [prompt, asks, { do: "when", moment: "abort", deed: "prompt" }, { do: "cancel", turn: 0 }],
  },
  "a client that closes when its turn becomes `cancelling` settles the turn": {
    setting,
    steps: [prompt, { do: "when", moment: "turn status", deed: "close" }, { do: "cancel", turn: 0 }],
  },
  "a prompt from a listener of a stray message does not get that message": {
    setting,
    steps: [
      { do: "when", moment: "frame", deed: "prompt" },
      { do: "text", agent: 0 },
    ],
  },
  "an approval request that repeats after the Cancel is not decided again": {
    setting: { ...setting, approver: "nobody" },
    steps: [prompt, asks, { do: "when", moment: "message", deed: "cancel first" }, asks],
  },
  "an approval request of the next turn with an abandoned id is shown once": {
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
  "an id that repeats in the next round needs a new approval": {
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
  "two background calls with one id are decided in the order of their requests": {
    setting,
    steps: [prompt, request(2, 2), asks, asks, reply("approve", 1), reply("deny"), completed],
  },
  "a call that the server's filter allows keeps its output beside an open request with its id": {
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
  "an unreadable approval request is not denied before an older one with its id": {
    setting,
    steps: [prompt, request(2, 2), asks, { ...asks, message: "unreadable" }, reply("approve")],
  },
  "a queued turn whose timeout has passed is not sent, even if its status listener cancels another": {
    setting: { ...setting, instant: true },
    steps: [
      prompt,
      { do: "prompt", reader: "loop", signal: false, timeout: 5_000, held: false },
      { do: "when", moment: "turn status", deed: "cancel first" },
      { do: "advance", ms: 20_000 },
    ],
  },
  "a prompt from a listener of a fatal error is not sent in the ended session": {
    setting: { ...setting, reconnect: true },
    steps: [prompt, { do: "when", moment: "turn status", deed: "prompt" }, { do: "error", fatal: true }],
  },
  "a call that was requested after the Cancel belongs to the stopped turn": {
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
  "another agent's unreadable request is denied, and a request with the same id is approved": {
    setting: { ...setting, instant: true },
    steps: [
      { ...prompt, held: true },
      { ...asks, call: 0 },
      { do: "call", agent: 1, call: 0, message: "unreadable" },
    ],
  },
  "if two agents' requests share an id, the second is denied and asked again": {
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
