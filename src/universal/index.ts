export {
  type CheckTranscriptOptions,
  checkTranscript,
  TranscriptChecker,
  type TranscriptProblem,
} from "./check/check.ts";
export type { Invariant } from "./check/open.ts";
export { isUniversalEvent } from "./check/shape.ts";
export { type CloseTranscriptOptions, closeTranscript } from "./close-transcript.ts";
export type { AgentKey, SubagentStart } from "./engine/agents.ts";
export type { CallEnd, CallReport, ToolFacts } from "./engine/calls.ts";
export type { ToolOutputContent } from "./engine/content.ts";
export type { Stated } from "./engine/envelope.ts";
export { Normaliser } from "./engine/normaliser.ts";
export type { NormaliserOptions } from "./engine/normaliser-options.ts";
export type { Session } from "./engine/session.ts";
export type { StatusDetails, TurnClose } from "./engine/session-details.ts";
export { type StatusWords, sayWord } from "./engine/status-words.ts";
export type * from "./events.ts";
export { UNIVERSAL_EVENT_TYPES, UNIVERSAL_SCHEMA } from "./events.ts";
export type { Fact, TurnEnd, UserInput } from "./facts.ts";
export { type JsonlContent, readJsonl, toJsonl } from "./jsonl/jsonl.ts";
export {
  type JsonlEnd,
  type JsonlProblem,
  JsonlReader,
  type JsonlReaderOptions,
} from "./jsonl/jsonl-reader.ts";
export type { CallFacts, CompletedFacts, FailedFacts, Mapping, SessionFacts } from "./mapping.ts";
export type { AgentSource, ReplayOptions, UniversalOptions, UniversalStream } from "./stream.ts";
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
