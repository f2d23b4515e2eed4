// The settings of each profile, and the checks of options.
import { guessAt, InvalidMockInput, type NamesOf } from "../names.ts";
import { type Defaults, settingsFrom } from "../server/switches.ts";
import type { MockAcpOptions, MockAcpProfile, MockAcpSwitches } from "./options.ts";

/** All switches, with their values. */
export type AcpMockSettings = Required<MockAcpSwitches>;

export const ACP_PROFILES: readonly MockAcpProfile[] = [
  ...(["documented", "gemini", "claude", "codex", "copilot", "kimi", "opencode", "qwen"] as const),
];

/** The values of a list are those of the profiles, in the order of {@link ACP_PROFILES}. */
const DEFAULTS: Defaults<AcpMockSettings> = {
  callFirst: row("toolCall", { gemini: "permission" }),
  rawInput: row("full", {
    ...{ gemini: "none", claude: "emptyThenFull", kimi: "inContent" },
    ...{ opencode: "emptyThenFull", qwen: "emptyThenFull" },
  }),
  modelError: row("rpcError", {
    ...{ gemini: "httpCode", claude: "textAndError", codex: "textEndTurn", copilot: "textEndTurn" },
    ...{ kimi: "silentEndTurn" },
  }),
  secondPrompt: row("queue", {
    ...{ gemini: "cancelFirst", copilot: "cancelFirst", kimi: "interleave" },
    ...{ opencode: "together", qwen: "failFirst" },
  }),
  cancel: row("ends", { gemini: "needsAnswers", kimi: "needsAnswers", opencode: "slow" }),
  cancelRequest: row("honoured", {
    ...{ claude: "sends", codex: "sends" },
    ...{ gemini: "ignored", copilot: "ignored", kimi: "ignored", opencode: "ignored", qwen: "ignored" },
  }),
  afterReject: row("continues", {
    ...{ codex: "cancelled", copilot: "endTurn", kimi: "endTurn", opencode: "endTurn", qwen: "endTurn" },
  }),
  openCallsAtCancel: row("failed", {
    ...{ gemini: "completed", opencode: "completed", copilot: "left", kimi: "left" },
  }),
  clientFs: row("readWrite", {
    ...{ gemini: "strictNotFound", claude: "none", codex: "none", copilot: "none" },
    ...{ opencode: "writeUnoffered" },
  }),
  terminals: row("off", { codex: "own", kimi: "client" }),
  load: row("replay", { gemini: "error", kimi: "silent" }),
  options: row("oneEach", { qwen: "twoAlways" }),
  askOrder: row("serial", { copilot: "reversed" }),
  stdinEnd: row("exits", {
    ...{ gemini: "finishesTurn", claude: "leavesChild" },
    ...{ codex: "commandInOwnGroup", copilot: "commandInOwnGroup", opencode: "commandInOwnGroup" },
  }),
  sigterm: row("ends", { opencode: "leavesCommand" }),
  models: row("configOptions", { gemini: "legacy", codex: "both", kimi: "legacy", qwen: "both" }),
  firstMode: row("default", { claude: "auto", codex: "auto", qwen: "auto" }),
  auth: "none",
  messageIds: row(false, { claude: true, codex: true, opencode: true }),
  emptyChunks: false,
  thoughts: true,
  echoPrompt: false,
  stray: "off",
  unknown: row("off", { qwen: "request" }),
  protocolVersion: 1,
  dieAt: "off",
  startDelay: 0,
  chunking: "whole",
  huge: false,
  modeChange: "off",
  usage: row("perTurn", { gemini: "meta", copilot: "cumulative", kimi: "none", qwen: "meta" }),
};

/** One value for each profile. */
function row<Value extends string | boolean>(
  usual: Value,
  others: { readonly [profile in MockAcpProfile]?: Value },
): readonly Value[] {
  return ACP_PROFILES.map((profile) => others[profile] ?? usual);
}

/** The values of each switch: words, or the name of a check in {@link CHECKS}. */
export const ACP_VALUES: { readonly [Name in keyof AcpMockSettings]: string } = {
  callFirst: "toolCall permission",
  rawInput: "full none emptyThenFull inContent",
  modelError: "rpcError textEndTurn silentEndTurn textAndError httpCode hang",
  secondPrompt: "queue cancelFirst interleave error silence together failFirst",
  cancel: "ends needsAnswers ignored slow completes",
  cancelRequest: "honoured ignored sends",
  afterReject: "continues endTurn cancelled",
  openCallsAtCancel: "failed completed left",
  clientFs: "readWrite writeUnoffered none strictNotFound",
  terminals: "off client own",
  load: "replay silent error late",
  options: "oneEach twoAlways twoOnce noAlways oddIds unknownKind empty",
  askOrder: "serial parallel reversed",
  stdinEnd: "exits ignores finishesTurn leavesChild commandInOwnGroup",
  sigterm: "ends leavesCommand ignored",
  models: "configOptions legacy both none",
  firstMode: "default auto",
  auth: "none atNew atPrompt refuses",
  ...{ messageIds: "=boolean", emptyChunks: "=boolean", thoughts: "=boolean", echoPrompt: "=boolean" },
  stray: "off beforeInit midTurn halfLine splitUtf8 crlf bom",
  unknown: "off update notification request stopReason field",
  protocolVersion: "=version",
  dieAt: "off =death",
  startDelay: "=amount",
  chunking: "whole =size",
  huge: "=boolean =size",
  modeChange: "off agentDriven",
  usage: "perTurn cumulative meta none",
};

const CHECKS: Readonly<Record<string, (value: unknown) => boolean>> = {
  "=boolean": (value) => typeof value === "boolean",
  "=amount": (value) => Number.isFinite(value) && Number(value) >= 0,
  "=size": (value) => Number.isInteger(value) && Number(value) > 0,
  "=version": (value) => [0, 1, 2, "1"].includes(value as 1),
  "=death": (value) => typeof value === "object" && value !== null && Object.keys(value).length === 2,
};

/** The names of all switches, to reject unknown ones. */
export const ACP_SWITCHES: NamesOf<MockAcpSwitches> = {
  ...DEFAULTS,
  dieAt: { after: true, exit: true, signal: true, closeStdout: true },
};

/** The names of all options, to reject unknown ones. */
export const ACP_OPTIONS: NamesOf<MockAcpOptions> = {
  ...ACP_SWITCHES,
  ...{ profile: true, answer: true, clock: true, sessionId: true, capabilities: true },
};

/** @throws InvalidMockInput for an unknown profile */
export function acpSettings(options: MockAcpOptions): AcpMockSettings {
  return settingsFrom(DEFAULTS, ACP_PROFILES, options.profile ?? "documented", options);
}

/** @throws InvalidMockInput for a value that a switch does not have */
export function checkAcpValues(switches: object): void {
  for (const [name, types] of Object.entries(ACP_VALUES)) {
    const value: unknown = Reflect.get(switches, name);
    const words = types.split(" ");
    if (value === undefined || words.some((word) => CHECKS[word]?.(value) ?? word === value)) continue;
    throw new InvalidMockInput(`switch \`${name}\` has no such value.`, guessAt(String(value), words));
  }
}
