// The entry `agentwire/server`: chats that outlive their pages, and the logs that keep them.
export {
  type AppendResult,
  type CommandKind,
  DamagedLogError,
  type EventLog,
  type Lease,
  type LogBatch,
  type LogCommand,
  type LogEntryName,
  type LogHead,
  type SendLimits,
  type SendResult,
  TrimmedError,
} from "./event-log.ts";
export type { RelayLimits } from "./limits.ts";
export { type MemoryLogOptions, memoryLog } from "./memory-log.ts";
export type {
  Authorize,
  RelayAction,
  RelayContext,
  RelayOptions,
  RelayQuestion,
  RelayRequest,
  RelayResponse,
  RelayUser,
} from "./options.ts";
export { createRelay, type Relay, type RelayCloseOptions } from "./relay.ts";
export type { RelayChatState, WaitingPrompt } from "./view/shown.ts";
export type { RelayWish, TurnTarget } from "./wire/command.ts";
