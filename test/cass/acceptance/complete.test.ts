import type { MockCassSwitches } from "agentwire/testing";
import { expect, test, vi } from "vitest";
import { cassSettings } from "../../../src/testing/cass/profiles.ts";
import { countNames } from "../../helpers/suite-names.ts";
import { names, omissions } from "./omissions.ts";
import { PROFILES } from "./profiles.ts";

/** The titles of the suite; nothing of it runs here. */
const titles = vi.hoisted((): string[] => []);
vi.mock("./each.ts", async (original) => ({
  ...(await original<object>()),
  onEach: (title: string) => titles.push(title),
  forAll: (title: string) => titles.push(title),
}));

import "./captures.test.ts";
import "./closings.test.ts";
import "./correlation.test.ts";
import "./differences.test.ts";
import "./identity.test.ts";
import "./reconnect.test.ts";
import "./rows-a-b.test.ts";
import "./rows-c.test.ts";
import "./rows-d.test.ts";
import "./rows-e.test.ts";
import "./rows-f.test.ts";
import "./secrets.test.ts";
import "./states.test.ts";
import "./switches-connection.test.ts";
import "./switches-faults.test.ts";
import "./switches-turns.test.ts";
import "./validation.test.ts";

const numbered = (word: string, last: number): string[] =>
  Array.from({ length: last }, (_, index) => `${word}${index + 1}`);

const named = (word: string, ...rows: readonly string[]): string[] => rows.map((row) => `${word} ${row}`);

const ENDS = ["drop", "close1000", "zombie", 1011];
const DEATHS = ["connected", 0, 1, 2, "stored"].flatMap((at) => ENDS.map((by) => `${at} ${by}`));

/** The switches of the mock, with every value that there is; of those without an end, the usual one and another. */
const SWITCHES: Readonly<Record<string, readonly unknown[]>> = {
  connected: ["sent", "none"],
  connectedDelay: [0, 500],
  connectedUserId: ["actual", "foreign", "somebody", null],
  initializing: [false, true],
  sdkMode: [true, false],
  auth: ["checked", "falseSuccess", "silence", "error", "unknown"],
  badAuth: ["error", "oldIdentity"],
  badQueryToken: ["anonymous", "refused"],
  localhostBypass: [false, true],
  localhostUser: [null, "local-user"],
  adminTokens: [true, false],
  deletedUser: [false, true],
  rejectRefresh: [false, 401, 429],
  accessLifetime: [1_800, 30],
  refreshLifetime: [604_800, -1],
  withoutConversation: ["new", "none", "continuous", "continuousOrNew"],
  emptyMessage: ["model", "error"],
  introWithoutConversation: ["accepted", "error"],
  onboarding: ["answered", "unknown"],
  memories: ["usual", "none", "open"],
  memoryCount: [42, 7],
  statusTexts: ["usual", "others"],
  toolRounds: [0, 3],
  emptyText: [false, true],
  tagLeaks: [false, true],
  unexecutedToolUses: [false, true],
  audio: ["none", "inline", "huge", "malformed", "url", "legacy"],
  audioUrl: ["relative", "absolute", "foreign"],
  audioTiming: ["afterResponse", "late"],
  nonFinite: ["none", "NaN", "Infinity", "-Infinity"],
  conversationEcho: ["actual", "missing", "wrong", "null"],
  title: ["after", "before", "none"],
  systemFrames: ["after", "nextTurn", "none"],
  consolidateAfter: ["off", 2],
  consolidation: ["complete", "deferred", "failed"],
  errorThenResponse: [false, true],
  extraResponse: ["none", "duplicate", "unsolicited"],
  failure: ["drop", "close1000", "zombie", "error"],
  death: ["off", ...DEATHS],
  refuseUpgrade: [false, 403, "never-answered", "wrong-accept"],
  unreadFrame: ["queue", "1011"],
  chunking: ["whole", "fragmented", "splitUtf8", "coalesced"],
  extraFields: ["off", "injected"],
  unknownType: ["off", "injected"],
  nonJson: ["off", "injected"],
  jsonArray: ["off", "injected"],
  binaryFrame: ["off", "injected"],
  ping: ["pong", "bare", "ignored"],
  pongDelay: [0, 1_000],
  status: ["answered", "ignored", "unknown"],
  restLatency: [0, 50],
  restStatus: ["usual", 503],
  messagesRoute: [true, false],
  persistence: ["beforeResponse", "late", "never"],
  persistDelay: [900, 5_000],
  rateLimits: [true, false],
  pipelining: [false, true],
  resends: [false, true],
} satisfies { readonly [name in keyof Required<MockCassSwitches>]: readonly unknown[] };

/** The rows of the checklist. */
const CHECKLIST = Object.entries({ A: 3, B: 5, C: 5, D: 2, E: 5, F: 4 }).flatMap(([letter, last]) =>
  numbered(letter, last),
);

/** Everything that has to be tested by name, as the protocol's description counts it. */
const required: readonly string[] = [
  ...numbered("difference ", 14),
  ...Object.entries(SWITCHES).flatMap(([name, values]) => values.map((value) => `switch ${name}=${value}`)),
  ...CHECKLIST,
  ...named("3.3", "absent token", "invalid token", "no default user", "bad auth"),
  ...numbered("3.4 rule ", 7),
  ...numbered("5 rule ", 10),
  ...named(
    "7.1",
    "idle or backoff, connect",
    "connecting, open",
    "connecting, failure",
    "greeting, connected",
    "greeting, error first",
    "greeting, auth_error first",
    "greeting, silence",
    "authenticating, auth_success",
    "authenticating, anything else",
    "ready and busy",
    "any open state, close or terminate",
    "any, caller closes",
  ),
  ...named(
    "7.2",
    "connect",
    "greeting",
    "auth",
    "idle ping",
    "pong verdict",
    "turn inactivity",
    "stable period",
    "ping during a turn",
  ),
  ...named("7.3", "jitter", "counter", "stop", "wake", "unsent turns", "three deaths"),
  ...[1000, 1001, 1005, 1006, 1008, 1009, 1011, 1012, 1013, 4000].map((code) => `7.3 close ${code}`),
  ...numbered("7.4 step ", 5),
  ...named(
    "8",
    "still initializing",
    "exception",
    "frame too large",
    "no protocol pong",
    "restart",
    "wrong path",
    "ConnectError",
    "ServerInitializingError",
    "AuthError",
    "RequestRejectedError",
    "ConnectionLostError",
    "TurnTimeoutError",
    "PayloadTooLargeError",
    "InvalidArgumentError",
    "AbortedError",
    "ApiError",
    "ProtocolWarning",
  ),
  ...named("9", "message", "image", "frame", "onboarding", "queue", "injectable"),
  ...named("secrets,", "query", "message", "constructor"),
  ...named(
    "capture",
    "01-no-token",
    "02-valid-query-token",
    "07-auth-msg-valid",
    "10-auth-invalid-after-valid",
    "11-ping-status-unknown",
    "12-chat-anon-no-conv",
    "13-chat-auth-no-conv-continuous",
    "17-tool-loop",
    "40-sigterm-while-idle-and-while-chat-in-flight",
    "64-tools-three-rounds",
    "71-auth-same-token-twice",
    "73-leave-mid-turn-and-come-back",
    "76-second-frame-mid-turn-keepalive-ping-timeout",
    "80-all-metacognitive-tags",
  ),
];

countNames({ required, titles, profiles: PROFILES, omissions, names, url: import.meta.url });

test("`SWITCHES` lists every switch of the mock", () => {
  expect(Object.keys(SWITCHES).sort()).toEqual(Object.keys(cassSettings({})).sort());
});
