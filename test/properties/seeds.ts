import type { Scenario, Setting } from "./support/scenario.ts";

const setting: Setting = {
  profile: "auto",
  peer: "proxy",
  instant: "no",
  browser: false,
  token: "none",
  atOnce: 1,
  settleWindow: 0,
  reconnect: "usual",
  keepalive: false,
  maxBufferedBytes: 300,
  maxQueuedTurns: 3,
  random: 0,
  warm: false,
  recovers: false,
};

/**
 * Lives of a client that once went wrong, in the library or in a copy of it that was broken on purpose, by what is
 * promised; each is played again in every run. What a failing property prints as its counterexample goes here.
 */
export const SEEDS: Readonly<Record<string, Scenario>> = {
  "a final message for a queued prompt does not end it if a listener has it sent meanwhile": {
    setting: { ...setting, profile: "codebuff" },
    steps: [
      { do: "when", moment: "orphan", deed: "cancel first" },
      { do: "when", moment: "status", deed: "prompt" },
      { do: "prompt", reader: "loop", signal: false, timeout: 0, nested: true },
      { do: "prompt", reader: "loop", signal: false, timeout: 0, nested: true },
      { do: "goesWell" },
      { do: "end", turn: 1, naming: "exact", form: "response" },
    ],
  },
  "a prompt without an ack in time is cancelled once, even if a listener cancels it too": {
    setting: { ...setting, profile: "codebuff", token: "text" },
    steps: [
      { do: "unsubscribe", topics: ["b"] },
      { do: "goesWell" },
      { do: "prompt", reader: "loop", signal: false, timeout: 0, nested: true },
      { do: "when", moment: "frame", deed: "cancel first" },
      { do: "advance", ms: 30_000 },
    ],
  },
  "an init whose token arrives after a reconnect request goes to the next connection": {
    setting: { ...setting, token: "asked", warm: true },
    steps: [
      { do: "say", conversation: 0, reader: "loop", signal: false },
      { do: "when", moment: "frame", deed: "init" },
      { do: "reconnectRequest" },
    ],
  },
  "a listener that closes the client on the ack of its identification leaves no timer": {
    setting: { ...setting, profile: "proxy", instant: "acks", settleWindow: 50 },
    steps: [
      { do: "prompt", reader: "loop", signal: false, timeout: 0, nested: true },
      { do: "when", moment: "message", deed: "force close" },
      { do: "opens" },
      { do: "ends", socket: 0, code: 1000, error: false },
    ],
  },
  "an init whose ack ends the drain fails at once, and leaves no timer": {
    setting: { ...setting, profile: "proxy" },
    steps: [
      { do: "prompt", reader: "loop", signal: false, timeout: 0, nested: true },
      { do: "goesWell" },
      { do: "init" },
      { do: "close", force: false, drainTimeout: 10_000 },
      { do: "ack", frame: 0, form: "yes", error: 0 },
    ],
  },
  "a prompt that has just ended is not sent, whatever a status listener does": {
    setting: { ...setting, peer: "codebuff" },
    steps: [
      { do: "say", conversation: 0, reader: "loop", signal: false },
      { do: "goesWell" },
      { do: "when", moment: "turn status", deed: "force close" },
      { do: "when", moment: "turn status", deed: "cancel first" },
      { do: "prompt", reader: "loop", signal: false, timeout: 0, nested: true },
    ],
  },
  "a turn that a warning listener cancels ignores the chunk of that warning": {
    setting,
    steps: [
      { do: "when", moment: "protocolWarning", deed: "cancel first" },
      { do: "prompt", reader: "loop", signal: false, timeout: 0, nested: true },
      { do: "goesWell" },
      { do: "chunk", turn: 0, naming: "exact", form: "repr" },
    ],
  },
  "a handler that ends after its timeout sends no answer": {
    setting: { ...setting, warm: true },
    steps: [
      { do: "ask", turn: 0, naming: "exact", form: "read-files", handler: "slow", timeout: null },
      { do: "advance", ms: 30_000 },
      { do: "handlersAnswer" },
    ],
  },
  "a cancel answers the request of a running tool at once": {
    setting,
    steps: [
      { do: "prompt", reader: "loop", signal: false, timeout: 0, nested: false },
      { do: "goesWell" },
      { do: "ask", turn: 0, naming: "exact", form: "tool", handler: "slow", timeout: null },
      { do: "cancel", turn: 0 },
    ],
  },
  "if a socket refuses the first of two prompts, the second is not written to it": {
    setting: { ...setting, profile: "codebuff", atOnce: undefined },
    steps: [
      { do: "prompt", reader: "loop", signal: false, timeout: 0, nested: true },
      { do: "prompt", reader: "loop", signal: false, timeout: 0, nested: true },
      { do: "refusesFrame" },
      { do: "goesWell" },
    ],
  },
  "a message that arrives during a write is emitted once, after the write": {
    setting: { ...setting, profile: "codebuff", instant: "answers" },
    steps: [{ do: "say", conversation: 0, reader: "loop", signal: false }, { do: "goesWell" }],
  },
  "an unreadable frame does not count as a sign of life": {
    setting: { ...setting, profile: "proxy", keepalive: true },
    steps: [
      { do: "say", conversation: 0, reader: "loop", signal: false },
      { do: "goesWell" },
      { do: "advance", ms: 1 },
      { do: "binary", kind: 0 },
      { do: "advance", ms: 130_000 },
    ],
  },
  "a lost prompt that continues in the next session delays no other prompt": {
    setting: { ...setting, profile: "proxy", instant: "acks", atOnce: undefined },
    steps: [
      { do: "say", conversation: 0, reader: "loop", signal: false },
      { do: "when", moment: "reconnected", deed: "prompt" },
      { do: "goesWell" },
      { do: "ask", turn: 0, naming: "exact", form: "tool", handler: "quick", timeout: null },
      { do: "ends", socket: 0, code: 1000, error: false },
      { do: "goesWell" },
      { do: "say", conversation: 0, reader: "loop", signal: false },
      { do: "subscribe", topics: ["b"] },
      { do: "prompt", reader: "loop", signal: false, timeout: 0, nested: true },
      { do: "chunk", turn: 3, naming: "exact", form: "text" },
    ],
  },
};
