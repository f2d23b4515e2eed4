// The settings of each Cass server that the mock can play.
import type { NamesOf } from "../names.ts";
import { type Defaults, settingsFrom } from "../server/switches.ts";
import type { MockCassOptions } from "./options.ts";
import { ROUTES } from "./routes.ts";
import type { CassDeath, CassStatusTexts, MockCassSwitches } from "./switches.ts";

/** All switches, with their values. */
export type CassMockSettings = Required<MockCassSwitches>;

export type CassProfileName = NonNullable<MockCassOptions["profile"]>;

const PROFILES: readonly CassProfileName[] = ["documented", "v1", "v2", "relay"];

/** A list has one value per profile, in the order above. */
const DEFAULTS: Defaults<CassMockSettings> = {
  connected: "sent",
  connectedDelay: 0,
  connectedUserId: "actual",
  initializing: false,
  sdkMode: true,
  auth: ["checked", "checked", "checked", "unknown"],
  badAuth: ["error", "error", "oldIdentity", "error"],
  badQueryToken: ["refused", "anonymous", "anonymous", "anonymous"],
  localhostBypass: [false, true, true, false],
  localhostUser: null,
  adminTokens: [true, false, true, true],
  deletedUser: false,
  rejectRefresh: false,
  accessLifetime: 1_800,
  refreshLifetime: 604_800,
  withoutConversation: ["new", "none", "continuousOrNew", "continuous"],
  emptyMessage: ["error", "model", "model", "error"],
  introWithoutConversation: ["accepted", "error", "error", "error"],
  onboarding: ["answered", "answered", "answered", "unknown"],
  memories: "usual",
  memoryCount: 42,
  statusTexts: {},
  toolRounds: 0,
  emptyText: false,
  tagLeaks: false,
  unexecutedToolUses: false,
  audio: ["url", "inline", "inline", "none"],
  audioUrl: "relative",
  audioTiming: "afterResponse",
  nonFinite: "none",
  conversationEcho: "actual",
  title: ["after", "after", "after", "none"],
  systemFrames: ["after", "after", "after", "none"],
  consolidateAfter: "off",
  consolidation: "complete",
  errorThenResponse: false,
  extraResponse: "none",
  failure: ["error", "drop", "drop", "error"],
  death: "off",
  refuseUpgrade: false,
  chunking: "whole",
  unreadFrame: ["queue", "1011", "1011", "queue"],
  extraFields: "off",
  unknownType: "off",
  nonJson: "off",
  jsonArray: "off",
  binaryFrame: "off",
  ping: ["ignored", "pong", "pong", "bare"],
  pongDelay: 0,
  status: ["ignored", "answered", "answered", "unknown"],
  restLatency: 0,
  restStatus: {},
  messagesRoute: [true, false, true, true],
  persistence: "beforeResponse",
  persistDelay: 1_000,
  rateLimits: true,
  pipelining: false,
  resends: false,
};

const TEXTS: NamesOf<CassStatusTexts> = {
  retrieving: true,
  processing: true,
  generating: true,
  tools: true,
  intro: true,
  demo: true,
};

/** The names of all switches, to reject unknown ones. */
export const CASS_SWITCHES: NamesOf<MockCassSwitches> = {
  ...DEFAULTS,
  statusTexts: TEXTS,
  death: { at: true, by: true } satisfies NamesOf<CassDeath>,
  restStatus: Object.fromEntries(ROUTES.map((route) => [route, true])),
};

/** The names of all options except `port`, to reject unknown ones. */
export const CASS_OPTIONS: NamesOf<MockCassOptions> = {
  ...CASS_SWITCHES,
  profile: true,
  answer: true,
  perConnection: true,
  basePath: true,
  clock: true,
  epoch: true,
  utcOffset: true,
  id: true,
  secret: true,
  token: true,
  provider: true,
  providers: true,
  models: { anthropic: true, openai: true, local: true },
};

/** @throws InvalidMockInput for an unknown profile */
export function cassSettings(options: MockCassOptions): CassMockSettings {
  return settingsFrom(DEFAULTS, PROFILES, options.profile ?? "v2", options);
}
