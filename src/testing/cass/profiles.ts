// The settings of each real Cass server that the mock can play.
import { changed, profileOf } from "../server/switches.ts";
import type { MockCassOptions } from "./options.ts";
import type { MockCassSwitches } from "./switches.ts";

/** All switches, decided. */
export type Settings = Required<MockCassSwitches>;

export type ProfileName = NonNullable<MockCassOptions["profile"]>;

/** What no server does unless a test wants it, and what all have in common. */
const COMMON = {
  connected: "sent",
  connectedDelay: 0,
  connectedUserId: "actual",
  initializing: false,
  sdkMode: true,
  auth: "checked",
  localhostUser: null,
  deletedUser: false,
  rejectRefresh: false,
  accessLifetime: 1_800,
  refreshLifetime: 604_800,
  onboarding: "answered",
  memories: "usual",
  memoryCount: 42,
  statusTexts: {},
  toolRounds: 0,
  emptyText: false,
  tagLeaks: false,
  unexecutedToolUses: false,
  audioUrl: "relative",
  audioTiming: "afterResponse",
  nonFinite: "none",
  conversationEcho: "actual",
  title: "after",
  systemFrames: "after",
  consolidateAfter: "off",
  consolidation: "complete",
  errorThenResponse: false,
  extraResponse: "none",
  death: "off",
  refuseUpgrade: false,
  chunking: "whole",
  extraFields: "off",
  unknownType: "off",
  nonJson: "off",
  jsonArray: "off",
  binaryFrame: "off",
  pongDelay: 0,
  restLatency: 0,
  restStatus: {},
  persistence: "beforeResponse",
  persistDelay: 1_000,
  rateLimits: true,
  pipelining: false,
  resends: false,
} as const satisfies MockCassSwitches;

const V1: Settings = {
  ...COMMON,
  badAuth: "error",
  badQueryToken: "anonymous",
  localhostBypass: true,
  adminTokens: false,
  withoutConversation: "none",
  emptyMessage: "model",
  introWithoutConversation: "error",
  audio: "inline",
  unreadFrame: "1011",
  failure: "drop",
  ping: "pong",
  status: "answered",
  messagesRoute: false,
};

/** The one place that knows what each server is like. A new switch is a line of `COMMON`, or one in each. */
const PROFILES: { readonly [name in ProfileName]: Settings } = {
  documented: {
    ...COMMON,
    badAuth: "error",
    badQueryToken: "refused",
    localhostBypass: false,
    adminTokens: true,
    withoutConversation: "new",
    emptyMessage: "error",
    introWithoutConversation: "accepted",
    audio: "url",
    unreadFrame: "queue",
    failure: "error",
    ping: "ignored",
    status: "ignored",
    messagesRoute: true,
  },
  v1: V1,
  v2: {
    ...V1,
    badAuth: "oldIdentity",
    adminTokens: true,
    withoutConversation: "continuousOrNew",
    messagesRoute: true,
  },
  relay: {
    ...COMMON,
    auth: "unknown",
    badAuth: "error",
    badQueryToken: "anonymous",
    localhostBypass: false,
    adminTokens: true,
    withoutConversation: "continuous",
    emptyMessage: "error",
    introWithoutConversation: "error",
    onboarding: "unknown",
    audio: "none",
    title: "none",
    systemFrames: "none",
    unreadFrame: "queue",
    failure: "error",
    ping: "bare",
    status: "unknown",
    messagesRoute: true,
  },
};

/** @throws InvalidMockInput for a profile that there is not */
export function settingsOf(options: MockCassOptions): Settings {
  return changed(profileOf(PROFILES, options.profile ?? "v2"), options);
}
