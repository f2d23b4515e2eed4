// The components and functions that import Ink and React. They are loaded only after both packages are found.

export {
  type CodeKind,
  type CodePiece,
  type Highlighter,
  highlightWith,
  type Lowlight,
} from "../../screens/highlight.ts";
export type { Words } from "../../screens/words.ts";
export type { PendingApproval } from "../dialogs/approval-dialog.ts";
export type { PendingQuestion } from "../dialogs/question-dialog.ts";
export type { StatusFacts } from "../parts/status-rows.ts";
export type { CommandOptions, EarlierChat, ExitReason, PromptHistory, UndoneFiles } from "../screen/desk.ts";
export { MAX_COPY_BYTES } from "../screen/export-commands.ts";
export type { ChatHeader } from "../screen/header.ts";
export {
  COMMAND_OUTPUT_LIMIT,
  type CommandEnd,
  type RunCommand,
  type RunningCommand,
} from "../screen/local-commands.ts";
export {
  defaultTheme,
  plainTheme,
  type Style,
  type Symbols,
  type Theme,
  type Tone,
  themeFor,
} from "../theme.ts";
export { Chat, type ChatProps } from "./chat.tsx";
export { Composer, type ComposerProps } from "./composer.tsx";
export {
  Approval,
  type ApprovalProps,
  Question,
  type QuestionProps,
  Resume,
  type ResumeProps,
} from "./dialogs.tsx";
export type { KeyProps, Look } from "./hooks.ts";
export {
  Message,
  type MessageProps,
  Reasoning,
  type ReasoningProps,
  ToolCall,
  type ToolCallProps,
} from "./message.tsx";
export { type ChatEnd, type RenderChatOptions, renderChat } from "./render-chat.tsx";
export { StatusLine, type StatusLineProps } from "./status-line.tsx";
export { Transcript, type TranscriptProps } from "./transcript.tsx";
