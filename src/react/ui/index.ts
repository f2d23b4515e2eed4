// The entry `agentwire/react/ui`: a chat as a page, and its parts. The styles are `agentwire/react/ui.css`.
export {
  type CodeKind,
  type CodePiece,
  type Highlighter,
  highlightWith,
  type Lowlight,
} from "../../screens/highlight.ts";
export type { Words } from "../../screens/words.ts";
export { type PageWords, pageWords } from "../../screens/words-page.ts";
export { Announcer } from "./announcer.tsx";
export { ApprovalView as Approval } from "./approval.tsx";
export { Chat } from "./chat.tsx";
export { Chats, type ChatsProps } from "./chats.tsx";
export { Choices } from "./choices.tsx";
export { ComposerView as Composer } from "./composer.tsx";
export { ConnectionState as Connection } from "./connection.tsx";
export { Diff, type DiffProps } from "./diff.tsx";
export { GrantList as Grants } from "./grants.tsx";
export type { Inset } from "./markdown/insets.tsx";
export { Markdown, type MarkdownProps } from "./markdown/markdown.tsx";
export { MessageView as Message } from "./message.tsx";
export { NoticeList as Notices } from "./notices.tsx";
export { PlanView as Plan } from "./plan.tsx";
export { Question } from "./question.tsx";
export { QueueView as Queue } from "./queue.tsx";
export { RequestPanel, type RequestPanelProps } from "./request-panel.tsx";
export { ChatRoot, type ChatRootProps } from "./root.tsx";
export type { ChatSlots, PartSlotProps } from "./slots.ts";
export { type ToolProps, ToolView as Tool } from "./tool.tsx";
export { Transcript } from "./transcript.tsx";
