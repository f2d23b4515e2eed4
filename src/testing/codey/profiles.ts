// The settings of the real server and of its documented one.
import { changed, profileOf } from "../server/switches.ts";
import type { MockCodeyOptions, MockCodeySwitches } from "./options.ts";

/** All switches, decided. */
export type Settings = Required<MockCodeySwitches>;

export type ProfileName = NonNullable<MockCodeyOptions["profile"]>;

/** What no server does unless a test wants it, and what both have in common. */
const COMMON = {
  cancelReplyTiming: "beforePong",
  errorEndsTurn: true,
  invalidInput: "drop",
  freezeAfterSessions: "off",
  frozen: "off",
  chunking: "whole",
  lateBackground: false,
  subAgent: false,
  extraFields: "off",
  unknownType: "off",
  badJson: "off",
  binaryJson: "off",
  dropAt: "off",
} as const satisfies MockCodeySwitches;

/** The one place that knows what each server is like. A new switch is a line above, or one in each. */
const PROFILES: { readonly [name in ProfileName]: Settings } = {
  real: {
    ...COMMON,
    startedAfterApproval: false,
    duplicateBackgroundStarted: true,
    toolDeltas: "none",
    backgroundFailure: "completed",
    backgroundOrder: "seeded",
    cancelReply: "none",
    stalePendingAfterCancel: true,
    stateDetail: "stub",
    history: "empty",
    errorFatal: false,
    retrying: "flood",
    midTurnSend: "restart",
    unknownTool: "silence",
    shellFilter: "dead",
    closeReply: false,
    sessionAfterDisconnect: "leaks",
    afterOversize: "deaf",
  },
  documented: {
    ...COMMON,
    startedAfterApproval: true,
    duplicateBackgroundStarted: false,
    toolDeltas: "some",
    backgroundFailure: "error",
    backgroundOrder: "calls",
    cancelReply: "both",
    stalePendingAfterCancel: false,
    stateDetail: "full",
    history: "filled",
    errorFatal: "scripted",
    retrying: "counted",
    midTurnSend: "queue",
    unknownTool: "toolError",
    shellFilter: "works",
    closeReply: true,
    sessionAfterDisconnect: "ends",
    afterOversize: "close1009",
  },
};

/** @throws InvalidMockInput for a profile that there is not */
export function settingsOf(options: MockCodeyOptions): Settings {
  return changed(profileOf(PROFILES, options.profile ?? "real"), options);
}
