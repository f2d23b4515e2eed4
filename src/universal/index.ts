// The entry `agentwire/universal`: events, checks, JSONL, the reducer, and the engine for custom backends.

export {
  type CheckTranscriptOptions,
  checkTranscript,
  TranscriptChecker,
  type TranscriptProblem,
} from "./check/check.ts";
export { isUniversalEvent } from "./check/shape.ts";
export { type CloseTranscriptOptions, closeTranscript } from "./close-transcript.ts";
export type { ToolFacts } from "./engine/calls.ts";
export type { ToolOutputContent } from "./engine/content.ts";
export type { NormaliserOptions } from "./engine/normaliser.ts";
export { Normaliser } from "./engine/normaliser.ts";
export type { Session, StatusDetails } from "./engine/session.ts";
export { type StatusWords, sayWord } from "./engine/status-words.ts";
export type * from "./events.ts";
export { UNIVERSAL_EVENT_TYPES, UNIVERSAL_SCHEMA } from "./events.ts";
export type { Fact } from "./facts.ts";
export {
  type JsonlProblem,
  JsonlReader,
  type JsonlReaderOptions,
  readJsonl,
  toJsonl,
} from "./jsonl/jsonl.ts";
export type { Mapping } from "./mapping.ts";
export {
  type AgentSource,
  type ReplayOptions,
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
  type PlanEntry,
  type Transcript,
  type TranscriptChoice,
  type TranscriptCommand,
  type TranscriptContext,
} from "./transcript/transcript.ts";
