// The entry `agentwire/codebuff-cli`: its client, credentials, stored chats, its source for chats.
export type { PrintModeEvent, ToolOutput } from "../codebuff-events/print-mode.ts";
export * from "../core/index.ts";
export { CodebuffCli } from "./client.ts";
export type { CodebuffCliConversation, CodebuffCliConversationState } from "./conversation.ts";
export {
  CodebuffCredentials,
  type CredentialFinding,
  type CredentialOptions,
  type CredentialPlace,
  type CredentialReport,
  type CredentialWarning,
  findCodebuffCredentials,
  resolveCodebuffCredentials,
} from "./credentials.ts";
export { CodebuffCliError, type CodebuffCliFailureKind, type CodebuffCliStderr } from "./errors.ts";
export type { CodebuffCliClientEvents } from "./events.ts";
export { type CodebuffCliChat, listCodebuffChats } from "./folder.ts";
export type { CodebuffCliPromptInput } from "./input.ts";
export type {
  CodebuffCliChunk,
  CodebuffCliEvent,
  CodebuffCliFinish,
  CodebuffCliText,
  CodebuffCliToolResult,
  CodebuffCliUnknown,
} from "./messages.ts";
export type {
  CodebuffCliMode,
  CodebuffCliOptions,
  CodebuffCliProfile,
  CodebuffCliPromptOptions,
} from "./options.ts";
export type { CodebuffCliProbe } from "./probe.ts";
export type { CodebuffCliResult } from "./turn.ts";
export { codebuffCli, toUniversal } from "./universal.ts";
