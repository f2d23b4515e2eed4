import type { MockCodeySwitches } from "agentwire/testing";
import { expect, test, vi } from "vitest";
import { codeySettings } from "../../../src/testing/codey/profiles.ts";
import { countNames } from "../../helpers/suite-names.ts";
import { PROFILES } from "./both.ts";
import { names, omissions } from "./omissions.ts";

/** The titles of the suite; nothing of it runs here. */
const titles = vi.hoisted((): string[] => []);
vi.mock("./both.ts", async (original) => ({
  ...(await original<object>()),
  onBoth: (title: string) => titles.push(title),
  forBoth: (title: string) => titles.push(title),
}));

import "./cancel.test.ts";
import "./validation.test.ts";
import "./silences.test.ts";
import "./repeated-ids.test.ts";
import "./resync.test.ts";
import "./connection-ends.test.ts";
import "./connection.test.ts";
import "./decisions.test.ts";
import "./differences.test.ts";
import "./documented.test.ts";
import "./errors.test.ts";
import "./life-cycle.test.ts";
import "./loss.test.ts";
import "./rows-1-5.test.ts";
import "./rows-11-15.test.ts";
import "./rows-16-20.test.ts";
import "./rows-6-10.test.ts";
import "./rules.test.ts";
import "./sequences.test.ts";
import "./switches-calls.test.ts";
import "./switches-connection.test.ts";
import "./switches-turns.test.ts";
import "./timers.test.ts";
import "./transcript.test.ts";

const numbered = (word: string, last: number): string[] =>
  Array.from({ length: last }, (_, index) => `${word}${index + 1}`);

/** The switches of the mock, with every value that there is. */
const SWITCHES: Readonly<Record<string, readonly unknown[]>> = {
  startedAfterApproval: [false, true],
  duplicateBackgroundStarted: [true, false],
  toolDeltas: ["none", "some"],
  backgroundFailure: ["completed", "error"],
  backgroundOrder: ["seeded", "calls", "reversed"],
  cancelReply: ["none", "both", "toolErrors", "finished"],
  cancelReplyTiming: ["beforePong", "afterPong"],
  stalePendingAfterCancel: [true, false],
  stateDetail: ["stub", "full"],
  history: ["empty", "filled", "mixedTimestamps"],
  errorFatal: [false, "scripted", true],
  errorEndsTurn: [true, false],
  retrying: ["flood", "counted"],
  invalidInput: ["drop", "error"],
  midTurnSend: ["restart", "queue"],
  unknownTool: ["silence", "toolError", "processDeath"],
  shellFilter: ["dead", "works"],
  closeReply: [false, true],
  sessionAfterDisconnect: ["leaks", "ends"],
  freezeAfterSessions: ["off", 2],
  frozen: ["off", "noUpgrade", "noConnected", "midSession"],
  afterOversize: ["deaf", "close1009"],
  chunking: ["whole", "fragmented", "splitUtf8", "huge"],
  lateBackground: [false, true],
  subAgent: [false, true],
  extraFields: ["off", "injected"],
  unknownType: ["off", "injected"],
  badJson: ["off", "injected"],
  binaryJson: ["off", "injected"],
  dropAt: ["off", 1000, 1001, 1006, 1011],
} satisfies { readonly [name in keyof Required<MockCodeySwitches>]: readonly unknown[] };

/** The cells of the life cycle of a call: its state, and what happens. */
const CELLS = [
  "unknown id",
  "requested",
  "awaiting",
  "approved",
  "denied",
  "running",
  "done",
  "failed",
  "abandoned",
].flatMap((row) =>
  ["A", "decision", "S", "D", "C", "E", "turn end"].map((column) => `4.4 ${row} + ${column}`),
);

/** Everything that has to be tested by name, as the protocol's description counts it. */
const required: readonly string[] = [
  ...numbered("D", 15),
  ...[
    "reply to Cancel",
    "Error that does not end the turn",
    "bad client message",
    "mid-turn SendMessage",
    "several approvals",
    "multi-agent, versions",
  ].map((row) => `1.2 ${row}`),
  ...[
    "foreground, client approves",
    "foreground, client denies",
    "foreground, filter allows",
    "any, filter denies",
    "foreground, fails before approval",
    "background, client approves",
    "background, client denies",
    "background, filter allows",
    "background, fails before approval",
    "cancelled at any point",
  ].map((row) => `4.2 ${row}`),
  ...CELLS,
  "4.4 ids that repeat",
  ...numbered("5.2 step ", 5),
  ...["5.2 result", "5.3 resync", "5.3 fatal", "5.3 late replies"],
  ...[
    "connecting, open",
    "handshaking, Connected",
    "handshaking, other",
    "idle, user send",
    "idle, stray",
    "turn, Finished",
    "turn, Error",
    "turn, cancel",
    "cancelling, messages",
    "cancelling, Pong",
    "cancelling, barrier timer",
    "any, fatal",
    "any, lost",
    "any, close()",
  ].map((row) => `6.1 ${row}`),
  ...[
    "connect",
    "ping interval",
    "pong deadline",
    "cancel barrier",
    "request",
    "turn idle",
    "approval",
    "close",
    "retry guard",
  ].map((row) => `6.2 ${row}`),
  ...["6.3 health", "6.3 closing"],
  ...["loss", "reconnection", "nothing is resent", "leaks", "frozen server"].map((row) => `6.4 ${row}`),
  ...["6.5 debug build", "6.5 release build"],
  ...[
    "ConnectFailed",
    "ConnectTimeout",
    "ConnectionLost",
    "TurnError",
    "ServerMisconfigured",
    "TurnCancelled",
    "ToolFailed",
    "ProtocolWarning",
    "InvalidInput",
    "TurnBusy",
  ].map((row) => `7 ${row}`),
  ...[
    "HTTP status",
    "Transport",
    "StreamEnded",
    "InvalidContentType",
    "other Stream error",
    "API error",
    "no pattern",
  ].map((row) => `7 pattern ${row}`),
  ...[
    "Denied by user",
    "Invalid params",
    "File not found",
    "Not a file",
    "Cannot access /secret",
    "Command timed out after 120 seconds",
    "Delegation not supported over WebSocket",
    "Agent context not initialized",
    "Approval cancelled",
    "Handler channel dropped",
  ].map((row) => `7 tool error ${row}`),
  ...["content", "frame size", "lone surrogates", "agent_id", "call_id", "approved", "state"].map(
    (row) => `8 validation ${row}`,
  ),
  ...numbered("8 MUST ", 7),
  ...numbered("8 SHOULD ", 5),
  ...Object.entries(SWITCHES).flatMap(([name, values]) => values.map((value) => `switch ${name}=${value}`)),
  "11",
  ...numbered("acceptance ", 20),
];

countNames({ required, titles, profiles: PROFILES, omissions, names, url: import.meta.url });

test("`SWITCHES` lists every switch of the mock", () => {
  expect(Object.keys(SWITCHES).sort()).toEqual(Object.keys(codeySettings({})).sort());
});
