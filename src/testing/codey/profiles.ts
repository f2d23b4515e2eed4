import { changed, profileOf } from "../server/switches.ts";
import type { MockCodeyOptions, MockCodeySwitches } from "./options.ts";

/** All switches, decided. */
export type Settings = Required<MockCodeySwitches>;

export type ProfileName = NonNullable<MockCodeyOptions["profile"]>;

/** The one place that knows what each server is like. A new switch is a line in both. */
const PROFILES: { readonly [name in ProfileName]: Settings } = {
  real: {
    startedAfterApproval: false,
    duplicateBackgroundStarted: true,
    toolDeltas: "none",
    backgroundFailure: "completed",
    backgroundOrder: "seeded",
    cancelReply: "none",
    cancelReplyTiming: "beforePong",
    stalePendingAfterCancel: true,
    stateDetail: "stub",
    history: "empty",
    errorFatal: false,
    errorEndsTurn: true,
    retrying: "flood",
    invalidInput: "drop",
    midTurnSend: "restart",
    unknownTool: "silence",
    shellFilter: "dead",
    closeReply: false,
    sessionAfterDisconnect: "leaks",
    freezeAfterSessions: "off",
    frozen: "off",
    afterOversize: "deaf",
    chunking: "whole",
    lateBackground: false,
    subAgent: false,
    extraFields: "off",
    unknownType: "off",
    badJson: "off",
    binaryJson: "off",
    dropAt: "off",
  },
  documented: {
    startedAfterApproval: true,
    duplicateBackgroundStarted: false,
    toolDeltas: "some",
    backgroundFailure: "error",
    backgroundOrder: "calls",
    cancelReply: "both",
    cancelReplyTiming: "beforePong",
    stalePendingAfterCancel: false,
    stateDetail: "full",
    history: "filled",
    errorFatal: "scripted",
    errorEndsTurn: true,
    retrying: "counted",
    invalidInput: "drop",
    midTurnSend: "queue",
    unknownTool: "toolError",
    shellFilter: "works",
    closeReply: true,
    sessionAfterDisconnect: "ends",
    freezeAfterSessions: "off",
    frozen: "off",
    afterOversize: "close1009",
    chunking: "whole",
    lateBackground: false,
    subAgent: false,
    extraFields: "off",
    unknownType: "off",
    badJson: "off",
    binaryJson: "off",
    dropAt: "off",
  },
};

/** @throws InvalidMockInput for a profile that there is not */
export function settingsOf(options: MockCodeyOptions): Settings {
  return changed(profileOf(PROFILES, options.profile ?? "real"), options);
}
