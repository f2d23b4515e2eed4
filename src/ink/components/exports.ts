// The components and functions that import Ink and React. They are loaded only after both packages are found.

export type { PendingApproval } from "../dialogs/approval-dialog.ts";
export type { PendingQuestion } from "../dialogs/question-state.ts";
export type { StatusFacts } from "../parts/status-rows.ts";
export type { ExitReason } from "../screen/keyboard.ts";
export {
  COMMAND_OUTPUT_LIMIT,
  type CommandEnd,
  type RunCommand,
  type RunningCommand,
} from "../screen/local-run.ts";
export {
  defaultTheme,
  plainTheme,
  type Style,
  type Symbols,
  type Theme,
  type Tone,
  themeFor,
} from "../theme.ts";
export { Approval, type ApprovalProps } from "./approval.tsx";
export { Chat, type ChatProps } from "./chat.tsx";
export { Composer, type ComposerProps } from "./composer.tsx";
export { Message, type MessageProps } from "./message.tsx";
export { Question, type QuestionProps } from "./question.tsx";
export { Reasoning, type ReasoningProps } from "./reasoning.tsx";
export { type ChatEnd, type RenderChatOptions, renderChat } from "./render-chat.tsx";
export { Resume, type ResumeProps } from "./resume.tsx";
export { StatusLine, type StatusLineProps } from "./status-line.tsx";
export { ToolCall, type ToolCallProps } from "./tool-call.tsx";
export { Transcript, type TranscriptProps } from "./transcript.tsx";
export type { KeyProps } from "./use-keys.ts";
export type { Look } from "./use-look.ts";
