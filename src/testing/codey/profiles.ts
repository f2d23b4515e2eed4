// The settings of the real server and of the documented server.
import type { NamesOf } from "../names.ts";
import { type Defaults, settingsFrom } from "../server/switches.ts";
import type { MockCodeyOptions, MockCodeySwitches } from "./options.ts";
import type { CodeyCallResult } from "./script.ts";

/** All switches, with their values. */
export type CodeyMockSettings = Required<MockCodeySwitches>;

export type CodeyProfileName = NonNullable<MockCodeyOptions["profile"]>;

const PROFILES: readonly CodeyProfileName[] = ["real", "documented"];

/** The first of two values is that of the real server, the second that of the document. */
const DEFAULTS: Defaults<CodeyMockSettings> = {
  startedAfterApproval: [false, true],
  duplicateBackgroundStarted: [true, false],
  toolDeltas: ["none", "some"],
  backgroundFailure: ["completed", "error"],
  backgroundOrder: ["seeded", "calls"],
  cancelReply: ["none", "both"],
  cancelReplyTiming: "beforePong",
  stalePendingAfterCancel: [true, false],
  stateDetail: ["stub", "full"],
  history: ["empty", "filled"],
  errorFatal: [false, "scripted"],
  errorEndsTurn: true,
  retrying: ["flood", "counted"],
  invalidInput: "drop",
  midTurnSend: ["restart", "queue"],
  unknownTool: ["silence", "toolError"],
  shellFilter: ["dead", "works"],
  closeReply: [false, true],
  sessionAfterDisconnect: ["leaks", "ends"],
  freezeAfterSessions: "off",
  frozen: "off",
  afterOversize: ["deaf", "close1009"],
  chunking: "whole",
  lateBackground: false,
  subAgent: false,
  extraFields: "off",
  unknownType: "off",
  badJson: "off",
  binaryJson: "off",
  dropAt: "off",
};

/** The names of all switches, to reject unknown ones. */
export const CODEY_SWITCHES: NamesOf<MockCodeySwitches> = {
  ...DEFAULTS,
  dropAt: { after: true, code: true },
};

/** The names of all options except `port`, to reject unknown ones. */
export const CODEY_OPTIONS: NamesOf<MockCodeyOptions> = {
  ...CODEY_SWITCHES,
  profile: true,
  clock: true,
  answer: true,
  seed: true,
  sessionId: true,
  callId: true,
  tools: true,
};

/** @throws InvalidMockInput for an unknown profile */
export function codeySettings(options: MockCodeyOptions): CodeyMockSettings {
  return settingsFrom(DEFAULTS, PROFILES, options.profile ?? "real", options);
}

const DELEGATION = "Delegation not supported over WebSocket";

/** The tools of the real server, with their default results. */
const REAL_TOOLS: ReadonlyMap<string, CodeyCallResult> = new Map<string, CodeyCallResult>([
  ["mcp_read_file", ""],
  ["mcp_shell", "(no output)"],
  ["mcp_fetch_url", ""],
  ["mcp_fetch_html", ""],
  ["mcp_web_search", ""],
  ["mcp_write_file", { invalid: DELEGATION }],
  ["mcp_edit_file", { invalid: DELEGATION }],
  ["mcp_open_file", { error: DELEGATION }],
  ["mcp_list_background_tasks", { error: DELEGATION }],
  ["mcp_get_background_task", { error: DELEGATION }],
  ["mcp_spawn_agent", { error: "Agent context not initialized" }],
]);

/** The document names two tools that the real server lacks. */
export function toolsOf(profile: CodeyProfileName): readonly string[] {
  return [...REAL_TOOLS.keys(), ...(profile === "real" ? [] : ["Read", "Bash"])];
}

/** According to the document, every tool works. */
export function usualResult(name: string, profile: CodeyProfileName): CodeyCallResult {
  return (profile === "real" && REAL_TOOLS.get(name)) || "";
}
