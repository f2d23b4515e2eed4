// The entry `agentwire/universal`: events, checks, JSONL, the reducer, and the engine for custom backends.

export type { AnyEvent, TurnResult } from "../core/index.ts";
export {
  type CheckTranscriptOptions,
  checkTranscript,
  TranscriptChecker,
  type TranscriptProblem,
} from "./check/check.ts";
export type { Invariant } from "./check/session-check.ts";
export { isUniversalEvent } from "./check/shape.ts";
export { type CloseTranscriptOptions, closeTranscript } from "./close-transcript.ts";
export type { CallEnd, CallReport, ToolFacts } from "./engine/calls.ts";
export type { ToolOutputContent } from "./engine/content.ts";
export type { AgentKey, Stated, SubagentStart } from "./engine/items.ts";
export type { NormaliserOptions } from "./engine/normaliser.ts";
export { Normaliser } from "./engine/normaliser.ts";
export type { Session, StatusDetails, TurnClose } from "./engine/session.ts";
export { type StatusWords, sayWord } from "./engine/status-words.ts";
export type * from "./events.ts";
export { UNIVERSAL_EVENT_TYPES, UNIVERSAL_SCHEMA } from "./events.ts";
export type { Fact, TurnEnd, UserInput } from "./facts.ts";
export {
  type JsonlContent,
  type JsonlEnd,
  type JsonlProblem,
  JsonlReader,
  type JsonlReaderOptions,
  readJsonl,
  toJsonl,
} from "./jsonl/jsonl.ts";
export type { CallFacts, CompletedFacts, FailedFacts, Mapping, SessionFacts } from "./mapping.ts";
export {
  type AgentSource,
  type EventListener,
  type ReplayOptions,
  type ResetListener,
  type SourceSetup,
  sourceOf,
  type Telling,
  type UniversalOptions,
  type UniversalStream,
} from "./stream.ts";
export type { Dictionary } from "./transcript/dictionary.ts";
export type { List } from "./transcript/list.ts";
export type * from "./transcript/message.ts";
export { type DescribeErrorData, fold, reduce } from "./transcript/reduce.ts";
export type { ChatTotals } from "./transcript/totals.ts";
export {
  emptyTranscript,
  type OpenTurn,
  type PlanEntry,
  type Transcript,
  type TranscriptChoice,
  type TranscriptCommand,
  type TranscriptContext,
  type TranscriptRequest,
  type TranscriptSession,
  type TranscriptSessionFacts,
} from "./transcript/transcript.ts";
