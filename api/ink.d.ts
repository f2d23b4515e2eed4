// agentwire/ink

export {
  CodeKind,
  CodePiece,
  Highlighter,
  Lowlight,
  Words,
} from "agentwire/react/ui";

declare function Approval({ pending, onDecide, ...props }: ApprovalProps): ReactElement;

export declare const Approval: typeof Approval;

export interface ApprovalProps extends Look, KeyProps {
    readonly pending: PendingApproval;
    readonly onDecide: (decision: Decision) => void;
    readonly maxRows?: number;
}

export declare const COMMAND_OUTPUT_LIMIT: number;

declare function Chat(props: ChatProps): ReactElement;

export declare const Chat: typeof Chat;

export type ChatEnd = ExitReason | "closed";

export interface ChatHeader {
    readonly backend?: string;
    readonly folder?: string;
}

export interface ChatProps extends CommandOptions {
    readonly chat?: Chat;
    readonly theme?: Theme;
    readonly highlight?: Highlighter;
    readonly placeholder?: string;
    readonly header?: ChatHeader;
    readonly words?: Partial<Words>;
    readonly runCommand?: RunCommand;
    readonly onExit?: (how: ExitReason) => void;
}

export type CommandEnd = {
    readonly type: "exited";
    readonly code: number;
} | {
    readonly type: "killed";
    readonly signal: string;
} | {
    readonly type: "failed";
    readonly reason: string;
};

export interface CommandOptions {
    readonly copy?: (text: string) => unknown;
    readonly writeFile?: (path: string, text: string, options: {
        readonly replaces: boolean;
    }) => Promise<"written" | "exists">;
    readonly undo?: () => Promise<UndoneFiles | undefined>;
    readonly chats?: () => Promise<readonly EarlierChat[]>;
    readonly history?: PromptHistory;
}

declare function Composer(props: ComposerProps): ReactElement;

export declare const Composer: typeof Composer;

export interface ComposerProps extends Look, KeyProps {
    readonly onSubmit: (text: string) => unknown;
    readonly isHidden?: boolean;
    readonly placeholder?: string;
    readonly maxRows?: number;
}

export interface EarlierChat {
    readonly id: string;
    readonly title: string;
    readonly usedAt?: number;
}

export type ExitReason = "quit" | "interrupted" | {
    readonly open: string | null;
};

export interface KeyProps {
    readonly isActive?: boolean;
    readonly onInterrupt?: () => void;
    readonly onEscape?: () => void;
}

export interface Look {
    readonly columns?: number;
    readonly theme?: Theme;
    readonly words?: Partial<Words>;
}

export declare const MAX_COPY_BYTES: number;

declare function Message({ message, foldsReasoning, showsPending, hasCommands, maxRows, highlight, ...look }: MessageProps): ReactElement;

export declare const Message: typeof Message;

export interface MessageProps extends Look {
    readonly message: ChatMessage;
    readonly foldsReasoning?: boolean;
    readonly highlight?: Highlighter;
    readonly showsPending?: boolean;
    readonly hasCommands?: boolean;
    readonly maxRows?: number;
}

export type PendingApproval = Extract<ChatPending, {
    readonly type: "approval";
}>;

export type PendingQuestion = Extract<ChatPending, {
    readonly type: "question";
}>;

export interface PromptHistory {
    readonly prompts: readonly string[];
    add(prompt: string): Promise<void>;
}

declare function Question({ pending, onAnswer, ...props }: QuestionProps): ReactElement;

export declare const Question: typeof Question;

export interface QuestionProps extends Look, Omit<KeyProps, "onEscape"> {
    readonly pending: PendingQuestion;
    readonly onAnswer: (answer: Answer) => void;
    readonly maxRows?: number;
}

declare function Reasoning({ part, folded, seconds, ...look }: ReasoningProps): ReactElement;

export declare const Reasoning: typeof Reasoning;

export interface ReasoningProps extends Look {
    readonly part: ChatReasoningPart;
    readonly folded?: boolean;
    readonly seconds?: number;
}

export interface RenderChatOptions extends Omit<ChatProps, "chat" | "onExit"> {
    readonly stdin?: NodeJS.ReadStream;
    readonly stdout?: NodeJS.WriteStream;
    readonly signal?: AbortSignal;
}

declare function Resume({ onResume, ...props }: ResumeProps): ReactElement;

export declare const Resume: typeof Resume;

export interface ResumeProps extends Look, KeyProps {
    readonly onResume: (how: ChatResume) => void;
    readonly maxRows?: number;
}

export type RunCommand = (command: string, onOutput: (text: string) => void) => RunningCommand;

export interface RunningCommand {
    readonly stop: () => void;
    readonly ended: Promise<CommandEnd>;
}

export interface StatusFacts extends Pick<ChatSnapshot, "connection" | "usage" | "cost"> {
    readonly busy: boolean;
    readonly recovering?: boolean;
    readonly models?: ChatSnapshot["models"];
    readonly modes?: ChatSnapshot["modes"];
    readonly context?: ChatSnapshot["context"];
    readonly seconds?: number | undefined;
    readonly queue: readonly Pick<QueuedPrompt, "held">[];
    readonly messages?: Pick<List<ChatMessage>, "length" | "at">;
    readonly problem?: ChatProblem | undefined;
    readonly note?: string | undefined;
    readonly hasCommands?: boolean;
}

declare function StatusLine({ since: given, columns, theme, words, ...facts }: StatusLineProps): ReactElement;

export declare const StatusLine: typeof StatusLine;

export interface StatusLineProps extends Look, Omit<StatusFacts, "seconds"> {
    readonly since?: number;
}

export interface Style {
    readonly color?: string;
    readonly backgroundColor?: string;
    readonly dimColor?: boolean;
    readonly bold?: boolean;
    readonly italic?: boolean;
    readonly underline?: boolean;
    readonly strikethrough?: boolean;
    readonly inverse?: boolean;
}

export interface Symbols {
    readonly prompt: string;
    readonly running: string;
    readonly done: string;
    readonly failed: string;
    readonly waiting: string;
    readonly bar: string;
    readonly chosen: string;
    readonly unchosen: string;
    readonly pointer: string;
    readonly separator: string;
    readonly bullet: string;
    readonly rule: string;
}

export interface Theme {
    readonly styles: Readonly<Record<Tone, Style>>;
    readonly symbols: Symbols;
    readonly words?: TerminalWords;
}

export type Tone = "plain" | "dim" | "user" | "accent" | "tool" | "ok" | "warn" | "error" | "strong" | "selected" | "heading" | "emphasis" | "strike" | "link" | "code" | "keyword" | "string" | "number" | "comment" | "name" | "type" | "cursor";

declare function ToolCall({ part, folded, ...look }: ToolCallProps): ReactElement;

export declare const ToolCall: typeof ToolCall;

export interface ToolCallProps extends Look {
    readonly part: ChatToolPart;
    readonly folded?: boolean;
}

declare function Transcript(props: TranscriptProps): ReactElement;

export declare const Transcript: typeof Transcript;

export interface TranscriptProps extends Look, Pick<ChatSnapshot, "messages" | "busy" | "queue" | "connection"> {
    readonly plan?: ChatSnapshot["plan"];
    readonly highlight?: Highlighter;
    readonly foldsReasoning?: boolean;
    readonly hasCommands?: boolean;
    readonly maxRows?: number;
    readonly children?: ReactNode;
}

export interface UndoneFiles {
    readonly reverted: readonly string[];
    readonly conflicts: readonly {
        readonly path: string;
        readonly reason: string;
    }[];
}

export declare const defaultTheme: Theme;

export declare const highlightWith: typeof highlightWith;

export declare const plainTheme: Theme;

declare function renderChat(chat: Chat, options?: RenderChatOptions): Promise<ChatEnd>;

export declare const renderChat: typeof renderChat;

declare function themeFor(env: Readonly<Record<string, string | undefined>>): Theme;

export declare const themeFor: typeof themeFor;
