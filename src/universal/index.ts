export type { Binding, Opened } from "./binding.ts";
export {
  type CheckTranscriptOptions,
  checkTranscript,
  TranscriptChecker,
  type TranscriptProblem,
} from "./check.ts";
export type * from "./events.ts";
export { UNIVERSAL_EVENT_TYPES, UNIVERSAL_SCHEMA } from "./events.ts";
export type { Fact, TurnEnd, UserInput } from "./facts.ts";
export { type JsonlContent, readJsonl, toJsonl } from "./jsonl.ts";
export { type JsonlEnd, type JsonlProblem, JsonlReader, type JsonlReaderOptions } from "./jsonl-reader.ts";
export type { Keyed } from "./keyed.ts";
export type { List } from "./list.ts";
export type { CallFacts, CompletedFacts, FailedFacts, Mapping } from "./mapping.ts";
export { Normaliser, type NormaliserOptions } from "./normaliser.ts";
export type { Invariant } from "./open.ts";
export { fold, reduce } from "./reduce.ts";
export { isUniversalEvent } from "./shape.ts";
export type { AgentSource, ReplayOptions, UniversalOptions, UniversalStream } from "./stream.ts";
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
} from "./transcript.ts";
