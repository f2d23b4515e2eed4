// The entry `agentwire/acp`: the client of any ACP agent, presets of the usual ones, the source for chats.
export * from "../core/index.ts";
export type { AcpAgent } from "./agent.ts";
export type { AcpContentBlock, AcpToolContent, AcpUnknownBlock } from "./blocks.ts";
export { AcpClient, type AcpStoredSession } from "./client.ts";
export type { AcpConversation, AcpConversationState } from "./conversation.ts";
export type { AcpFiles } from "./door.ts";
export { AcpAuthError, type AcpAuthMethod, AcpLostError, AcpTurnError } from "./errors.ts";
export type { AcpClientEvents } from "./events.ts";
export type { AcpPromptInput } from "./input.ts";
export type {
  AcpChoice,
  AcpChoices,
  AcpCommand,
  AcpConfigOption,
  AcpPlanEntry,
  AcpToolCall,
  AcpToolKind,
  AcpToolStatus,
} from "./messages.ts";
export type { AcpMcpServer, AcpOptions, AcpStream } from "./options.ts";
export type { AcpPreset, AcpPresetFacts, AcpPresetOptions } from "./presets.ts";
export type { AcpSessionState, SessionPart as AcpSessionPart } from "./session.ts";
export type { AcpEvent, AcpResult, AcpStopReason } from "./turn.ts";
export { acp, toUniversal } from "./universal.ts";
export type { AcpUsage } from "./usage.ts";
