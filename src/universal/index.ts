export type { AgentSource, ReplayOptions, UniversalOptions, UniversalStream } from "./stream.ts";
