export type { PromptErrorFields, PromptResponseFields } from "./codebuff/frames.ts";
export type {
  MockCodebuffOptions,
  MockCodebuffSwitches,
  Oddities,
} from "./codebuff/options.ts";
export type {
  ConnectionClosed,
  MockConnection,
  PromptData,
  PromptMessage,
  ReceivedPrompt,
  RecordedFrame,
  Violation,
  ViolationKind,
} from "./codebuff/record.ts";
export { type Answer, type AnswerContext, type SseErrorFields, type Step, step } from "./codebuff/script.ts";
export { MockCodebuffServer, type UpgradeAttempt } from "./codebuff/server.ts";
export { ManualClock } from "./manual-clock.ts";
