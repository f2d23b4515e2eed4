// The entry `agentwire/react/ui`: a chat as a page, and its parts. The styles are `agentwire/react/ui.css`.
export {
  type CodeKind,
  type CodePiece,
  type Highlighter,
  highlightWith,
  type Lowlight,
} from "../../screens/highlight.ts";
export { type PageWords, pageWords } from "../../screens/words-page.ts";
export { Announcer } from "./announcer.tsx";
export { Approval, type ApprovalProps } from "./approval.tsx";
export { Chat, type ChatProps } from "./chat.tsx";
export { Chats, type ChatsProps } from "./chats.tsx";
export { Choices } from "./choices.tsx";
export { Composer, type ComposerProps } from "./composer.tsx";
export { Connection } from "./connection.tsx";
export { Diff, type DiffProps } from "./diff.tsx";
export { Grants } from "./grants.tsx";
export type { Inset } from "./markdown/insets.tsx";
export { Markdown, type MarkdownProps } from "./markdown/markdown.tsx";
export { Message, type MessageProps } from "./message.tsx";
export { Notices } from "./notices.tsx";
export { Plan } from "./plan.tsx";
export { Question, type QuestionProps } from "./question.tsx";
export { Queue } from "./queue.tsx";
export { Requests, type RequestsProps } from "./requests.tsx";
export { ChatRoot, type ChatRootProps } from "./root.tsx";
export type { ChatSlots, PartSlotProps } from "./slots.ts";
export { Tool, type ToolProps } from "./tool.tsx";
export { Transcript, type TranscriptProps } from "./transcript.tsx";
