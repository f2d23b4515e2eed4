import type { CassScenario, CassSetting, CassStep } from "./support/cass/scenario.ts";

const setting: CassSetting = {
  auth: "query",
  token: "text",
  allowAnonymous: false,
  requireConnected: true,
  maxTurnsInFlight: 1,
  cancel: "wait",
  recover: false,
  rest: "good",
  announces: true,
  answersAsked: true,
  reads: true,
  instant: false,
  browser: false,
  reconnect: true,
  keepalive: false,
  idleTimeout: 0,
  maxBufferedBytes: 300,
  maxQueuedTurns: 3,
  random: 0,
  warm: true,
  recovers: true,
};

const prompt = { do: "prompt", kind: "chat", reader: "loop", signal: false, timeout: 0 } as const;
const same = { ...prompt, kind: "same" } as const;
const cut: CassStep = { do: "ends", socket: 0, code: 1006 };

/**
 * Lives of a client that once went wrong, in the library or in a copy of it that was broken on purpose, by what is
 * promised; each is played again in every run. What a failing property prints as its counterexample goes here.
 */
export const CASS_SEEDS: Readonly<Record<string, CassScenario>> = {
  "after a token is refused before the greeting, nothing is sent until the next token": {
    setting: { ...setting, auth: "message", token: "function", warm: false },
    steps: [prompt, { do: "opens" }, { do: "greets", how: "auth_error" }],
  },
  "a lost turn does not get the reply of an earlier, answered turn with the same text": {
    setting: { ...setting, maxTurnsInFlight: 2, recover: true },
    steps: [prompt, { do: "answers" }, same, same, { do: "answers" }, cut, { do: "advance", ms: 5_000 }],
  },
  "a client that is refused and then closed stops searching for replies": {
    setting: { ...setting, recover: true, rest: "silent", recovers: false },
    steps: [prompt, cut, { do: "opens" }, { do: "greets", how: "auth_error" }],
  },
  "a socket that ends in an `open` listener gets no token": {
    setting: { ...setting, auth: "message", requireConnected: false },
    steps: [cut, { do: "when", moment: "status", deed: "cut" }, { do: "connect" }, { do: "opens" }],
  },
  "a status request during a turn is written after the turn's reply and before the next turn": {
    setting: { ...setting, reads: false },
    steps: [
      prompt,
      prompt,
      { do: "getStatus" },
      { do: "advance", ms: 60_000 },
      { do: "answers" },
      { do: "answers" },
    ],
  },
  "wrong options about the server lose turns, and nothing else": {
    setting: { ...setting, maxTurnsInFlight: 2, reads: false, recover: true },
    steps: [prompt, { do: "answers" }, prompt, prompt, { do: "begins" }, { do: "advance", ms: 60_000 }],
  },
  "a connection that is lost in a `ready` listener is restored, and waiting callers are notified": {
    setting: {
      ...setting,
      allowAnonymous: true,
      requireConnected: false,
      cancel: "reconnect",
      instant: true,
      announces: false,
      recovers: false,
    },
    steps: [
      prompt,
      { do: "when", moment: "reconnected", deed: "prompt" },
      { do: "cancel", turn: 0 },
      { do: "advance", ms: 10_000 },
      { do: "when", moment: "turn status", deed: "status" },
      { do: "when", moment: "frame", deed: "cut" },
      { do: "opens" },
    ],
  },
  "an unreadable response without a turn costs no turn its reply": {
    setting,
    steps: [prompt, { do: "answers" }, prompt, { do: "noise", what: "unreadable", n: 0 }, prompt],
  },
  "a turn that waited for its image does not fail as not sent if the socket refuses the frame": {
    setting: { ...setting, instant: true, reconnect: false, recovers: false },
    steps: [{ ...prompt, kind: "image" }, { do: "refusesFrame" }, { do: "blob", which: 0, reads: true }],
  },
  "a turn that waits in a conversation fails when its client gives up, even if the client is closed": {
    setting: {
      ...setting,
      instant: true,
      announces: false,
      recover: true,
      rest: "down",
      reconnect: false,
      recovers: false,
    },
    steps: [
      { ...prompt, kind: "held" },
      { ...prompt, kind: "held" },
      { do: "ends", socket: 0, code: 1000 },
    ],
  },
  "if a socket refuses the first of two turns, the second is not written to it": {
    setting: { ...setting, maxTurnsInFlight: 100, instant: true, reconnect: false, announces: false },
    steps: [{ do: "getStatus" }, { do: "opens" }, prompt, prompt, { do: "refusesFrame" }, prompt],
  },
};
