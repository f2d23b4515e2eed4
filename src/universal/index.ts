export type { Binding, Opened } from "./binding.ts";
export type * from "./events.ts";
export { UNIVERSAL_EVENT_TYPES, UNIVERSAL_SCHEMA } from "./events.ts";
export type { Fact, TurnEnd, UserInput } from "./facts.ts";
export type { List } from "./list.ts";
export type { CallFacts, CompletedFacts, FailedFacts, Mapping } from "./mapping.ts";
export { Normaliser, type NormaliserOptions } from "./normaliser.ts";
export type { AgentSource, ReplayOptions, UniversalOptions, UniversalStream } from "./stream.ts";
