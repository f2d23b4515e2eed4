export type { Binding, Opened } from "./binding.ts";
export {
  type CheckTranscriptOptions,
  checkTranscript,
  TranscriptChecker,
  type TranscriptProblem,
} from "./check/check.ts";
export type { Invariant } from "./check/open.ts";
export { isUniversalEvent } from "./check/shape.ts";
export { Normaliser } from "./engine/normaliser.ts";
export type { NormaliserOptions } from "./engine/normaliser-options.ts";
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
export type { CallFacts, CompletedFacts, FailedFacts, Mapping } from "./mapping.ts";
export type { Keyed } from "./reduce/keyed.ts";
export type { List } from "./reduce/list.ts";
export { fold, reduce } from "./reduce/reduce.ts";
export {
  childrenOf,
  type EndedTurn,
  emptyTranscript,
  itemOf,
  type OpenTurn,
  type TranscriptConnection,
  type TranscriptGap,
  type TranscriptItem,
  type TranscriptRequest,
  type TranscriptSession,
  type TranscriptState,
} from "./reduce/transcript.ts";
export type { AgentSource, ReplayOptions, UniversalOptions, UniversalStream } from "./stream.ts";
