// agentwire/react/ui

export declare function Announcer(): ReactElement;

export declare function Approval({ request, titleId }: ApprovalProps): ReactElement;

interface ApprovalProps {
    readonly request: Extract<TranscriptRequest, {
        readonly type: "approval";
    }>;
    readonly titleId?: string;
}

interface BranchFacts {
    readonly at: number;
    readonly of: number;
    readonly isPrompt: boolean;
    readonly prompt: string;
}

export declare function Chat({ title, agent, suggestions, chats, ...root }: ChatProps): ReactElement;

interface ChatProps extends Omit<ChatRootProps, "children"> {
    readonly title?: string;
    readonly agent?: string;
    readonly suggestions?: readonly string[];
    readonly chats?: ChatsProps;
}

export declare function ChatRoot(props: ChatRootProps): ReactElement;

export interface ChatRootProps {
    readonly chat?: Chat;
    readonly words?: Partial<Words>;
    readonly highlight?: Highlighter;
    readonly slots?: ChatSlots;
    readonly theme?: "light" | "dark";
    readonly className?: string;
    readonly children?: ReactNode;
}

export interface ChatSlots {
    readonly Message?: ComponentType<{
        readonly message: ChatMessage;
        readonly children?: ReactNode;
    }>;
    readonly Face?: ComponentType<{
        readonly message?: ChatMessage;
    }>;
    readonly parts?: {
        readonly [Type in Exclude<ChatPart["type"], "status">]?: ComponentType<PartSlotProps<Type>>;
    };
    readonly facts?: (message: ChatMessage) => readonly string[];
}

export declare function Chats(props: ChatsProps & Partial<DrawerProps>): ReactElement;

export interface ChatsProps {
    readonly chats: readonly {
        readonly id: string;
        readonly title: string;
    }[];
    readonly current: string;
    readonly head?: ReactNode;
    readonly note?: string;
    readonly foot?: ReactNode;
    onChoice(id: string): void;
    onNew?(): void;
}

export declare function Choices(): ReactElement | null;

export type CodeKind = "plain" | "keyword" | "string" | "number" | "comment" | "name" | "type";

export interface CodePiece {
    readonly text: string;
    readonly kind: CodeKind;
}

export declare function Composer(props: ComposerProps): ReactElement;

interface ComposerProps {
    readonly agent?: string;
    readonly field?: RefObject<HTMLTextAreaElement | null>;
    readonly isBehind?: boolean;
    onSay?(input: string | PromptInput): boolean;
}

export declare function Connection(): ReactElement;

export declare function Diff({ path, diff, by, isAsked }: DiffProps): ReactElement;

export interface DiffProps extends Pick<ToolPreview, "path" | "diff">, Partial<Pick<ToolPreview, "by">> {
    readonly isAsked?: boolean;
}

interface DrawerProps extends ChatsProps {
    readonly isOpen: boolean;
    onClose(): void;
}

export declare function Grants(): ReactElement | null;

export type Highlighter = (code: string, language: string) => readonly CodePiece[] | undefined;

export interface Inset {
    readonly offset: number;
    readonly node: ReactElement;
}

export interface Lowlight {
    registered(language: string): boolean;
    highlight(language: string, code: string): {
        readonly children: readonly LowlightNode[];
    };
}

interface LowlightNode {
    readonly type: string;
    readonly value?: unknown;
    readonly properties?: {
        readonly className?: unknown;
    };
    readonly children?: readonly LowlightNode[];
}

export declare const Markdown: react.MemoExoticComponent<({ text, open, insets, }: MarkdownProps) => ReactElement>;

export interface MarkdownProps {
    readonly text: string;
    readonly open?: boolean;
    readonly insets?: readonly Inset[];
}

export declare const Message: react.MemoExoticComponent<({ message, }: MessageProps) => ReactElement>;

interface MessageProps {
    readonly message: ChatMessage;
}

export declare function Notices(): ReactElement;

export interface PageWords extends ToolWords {
    readonly transcript: string;
    readonly welcome: string;
    readonly you: string;
    readonly answer: string;
    readonly sent: string;
    readonly begins: string;
    readonly recovering: string;
    readonly reasoning: string;
    readonly elapsed: (seconds: number) => string;
    readonly jump: string;
    readonly steps: (count: number) => string;
    readonly sources: string;
    readonly copy: string;
    readonly copied: string;
    readonly notCopied: string;
    readonly notSent: string;
    readonly cancelled: string;
    readonly cancelledHere: string;
    readonly sendPrompt: string;
    readonly tryAgain: string;
    readonly sendAgain: string;
    readonly edit: string;
    readonly editPrompt: string;
    readonly saveEdit: string;
    readonly back: string;
    readonly anotherAnswer: string;
    readonly branchNote: string;
    readonly branch: (at: number, of: number) => string;
    readonly branchBefore: string;
    readonly branchNext: string;
    readonly toolState: Readonly<Record<ToolCallState, string>>;
    readonly deniedBy: Readonly<Record<"policy" | "cancelled" | "disconnected" | "timeout", string>>;
    readonly agentState: Readonly<Record<"running" | "done" | "failed", string>>;
    readonly fileAction: Readonly<Record<"read" | "write" | "patch", string>>;
    readonly input: string;
    readonly output: string;
    readonly toolError: string;
    readonly data: string;
    readonly lines: (label: string, count: number) => string;
    readonly moreLines: (count: number) => string;
    readonly moreCharacters: (count: number) => string;
    readonly image: (alt: string) => string;
    readonly imageOfAgent: string;
    readonly taskDone: string;
    readonly taskOpen: string;
    readonly statedByAgent: string;
    readonly notAnswered: string;
    readonly waitsForAnswer: string;
    readonly allow: readonly [
        before: string,
        after: string
    ];
    readonly noInput: string;
    readonly askedBySubagent: (agent: string) => string;
    readonly always: (grant: string) => string;
    readonly allowOnce: string;
    readonly allowInTurn: string;
    readonly alwaysAllow: string;
    readonly reject: string;
    readonly rejectWithReason: string;
    readonly whyNot: string;
    readonly everyCall: string;
    readonly everyCallOf: (tool: string) => string;
    readonly allowEveryCall: string;
    readonly moreRequests: (count: number) => string;
    readonly asks: (count: number) => string;
    readonly ownWords: string;
    readonly needsAnswer: string;
    readonly giveAnswer: string;
    readonly doNotAnswer: string;
    readonly grants: (count: number) => string;
    readonly grant: (tool: string, grant: string, scope: Exclude<GrantScope, "once">) => string;
    readonly takeBack: string;
    readonly message: string;
    readonly emptyField: (agent: string | undefined) => string;
    readonly addImage: string;
    readonly takeOut: (image: string) => string;
    readonly noImages: string;
    readonly noImage: (file: string, count: number, mebibytes: number) => string;
    readonly send: string;
    readonly cancel: string;
    readonly hint: string;
    readonly queue: string;
    readonly waits: string;
    readonly held: string;
    readonly sendNow: string;
    readonly moveUp: string;
    readonly images: (count: number) => string;
    readonly mode: string;
    readonly model: string;
    readonly plan: (done: number, of: number) => string;
    readonly planState: Readonly<Record<"pending" | "in_progress" | "completed", string>>;
    readonly context: (used: string, size: string | undefined, percent: number | undefined) => string;
    readonly tokens: (read: string | undefined, written: string) => string;
    readonly connection: Readonly<Record<"idle" | "connecting" | "handshaking" | "ready" | "reconnecting" | "draining" | "closed", string>>;
    readonly attempt: (attempt: number, seconds: number) => string;
    readonly tryNow: string;
    readonly forgotten: string;
    readonly forgottenDetail: string;
    readonly withTranscript: string;
    readonly withoutContext: string;
    readonly dismiss: string;
    readonly connectionNotice: string;
    readonly forgottenNotice: string;
    readonly problemNotice: string;
    readonly chats: string;
    readonly chatList: string;
    readonly newChat: string;
    readonly openChats: string;
    readonly closeChats: string;
    readonly hearsApproval: (tool: string) => string;
    readonly hearsQuestion: string;
    readonly hearsLoss: string;
    readonly hearsAnswer: string;
    readonly hearsCode: string;
}

export interface PartSlotProps<Type extends ChatPart["type"]> {
    readonly part: Extract<ChatPart, {
        readonly type: Type;
    }>;
    readonly children?: ReactNode;
}

export declare function Plan(): ReactElement | null;

export declare function Question({ request, titleId }: QuestionProps): ReactElement;

interface QuestionProps {
    readonly request: Extract<TranscriptRequest, {
        readonly type: "question";
    }>;
    readonly titleId?: string;
}

export declare function Queue(): ReactElement | null;

export declare function RequestPanel({ composer }: RequestPanelProps): ReactElement | null;

export interface RequestPanelProps {
    readonly composer?: RefObject<HTMLTextAreaElement | null>;
}

type TerminalWords = typeof terminalWords;

export declare function Tool({ part }: ToolProps): ReactElement;

export interface ToolProps {
    readonly part: ChatToolPart;
}

type ToolWords = typeof toolWords;

export declare function Transcript({ welcome }: TranscriptProps): ReactElement;

interface TranscriptProps {
    readonly welcome?: ReactNode;
}

export interface Words extends TerminalWords, PageWords {
}

export declare function highlightWith(lowlight: Lowlight): Highlighter;

export declare const pageWords: PageWords;

declare const terminalWords: {
    emptyComposer: string;
    noKeys: string;
    branchShown: (facts: {
        readonly at: number;
        readonly of: number;
    }) => string;
    branchChanged: string;
    exportUser: string;
    exportAgent: string;
    planTitle: string;
    planDone: (done: number, of: number) => string;
    planBefore: (count: number) => string;
    planAfter: (count: number) => string;
    hiddenLines: (count: number) => string;
    unchangedLines: (count: number) => string;
    rowsBefore: (count: number) => string;
    textDiffers: string;
    fileShows: string;
    fileDone: (action: "read" | "write" | "patch") => string;
    dataNameless: string;
    dataWith: (names: string) => string;
    promptWith: (files: number) => string;
    promptWaits: string;
    promptTakenBack: string;
    promptTakenBackRetry: string;
    endCancelled: string;
    endCancelledRetry: string;
    endRetry: string;
    thinking: (seconds: number | undefined) => string;
    thought: (seconds: number | undefined) => string;
    toolNameless: string;
    toolInputAbove: string;
    shownBelow: (field: string) => string;
    toolWith: (kinds: string) => string;
    toolRequested: string;
    toolAwaiting: string;
    toolApproved: string;
    toolRuns: string;
    toolDone: string;
    toolFailed: string;
    toolDenied: string;
    toolDeniedByPolicy: string;
    toolNotRun: (reason: string) => string;
    toolAbandoned: string;
    agentNameless: string;
    agentWorks: string;
    agentDone: string;
    agentFailed: string;
    agentSteps: (count: number) => string;
    questionWaits: string;
    questionUnanswered: string;
    foldedInput: (tool: string) => string;
    foldedOutput: (tool: string) => string;
    foldedChange: (path: string, isClaim: boolean) => string;
    foldedDiff: (path: string) => string;
    foldedPrompt: string;
    foldedReasoning: string;
    foldedAgent: (name: string) => string;
    foldedCommand: string;
    foldedData: string;
    foldedError: string;
    usageIn: (tokens: string) => string;
    usageOut: (tokens: string) => string;
    usageContext: (tokens: string) => string;
    cost: (amount: string, currency: string) => string;
    tenths: (seconds: string) => string;
    seconds: (seconds: number) => string;
    minutes: (minutes: number, seconds: number) => string;
    hours: (hours: number, minutes: number) => string;
    modeIs: (name: string) => string;
    modelIs: (name: string) => string;
    statusWorking: string;
    statusQueued: (count: number) => string;
    statusContext: (percent: number, of: string | undefined) => string;
    statusForgotten: string;
    statusNotConnected: string;
    statusReady: string;
    statusConnecting: string;
    statusConnected: string;
    statusReconnecting: string;
    statusClosing: string;
    statusLost: string;
    statusAttemptIn: (attempt: number, seconds: number) => string;
    statusAttempt: (attempt: number) => string;
    statusRecovering: string;
    statusClosed: (why: string) => string;
    waitingMore: (count: number) => string;
    waitingFile: string;
    menuNone: string;
    menuMore: (count: number) => string;
    searchLine: (query: string, isFound: boolean) => string;
    purposeEdit: string;
    purposeQueued: string;
    branchLine: ({ at, of, isPrompt, prompt }: BranchFacts) => string;
    queueEdit: string;
    queueBack: string;
    queueNow: string;
    queueUp: string;
    queueDown: string;
    noteAllCancelled: string;
    noteCancelled: string;
    noteCopied: (length: number) => string;
    noteCopiedByTerminal: (length: number) => string;
    noteExists: (file: string, word: string) => string;
    noteExported: (file: string) => string;
    noteFailed: (reason: string) => string;
    noteFilesStay: string;
    noteImageComes: string;
    noteLeaves: string;
    noteMoved: (at: number, of: number) => string;
    noteNoBranches: string;
    noteNoSuchBranch: (name: string) => string;
    noteNoSuchChat: (id: string) => string;
    noteNoOtherChat: string;
    noteNoSuchFile: (path: string) => string;
    noteNoSuchMode: (name: string) => string;
    noteNoSuchModel: (name: string) => string;
    noteNoSuchPrompt: (number: string) => string;
    noteNotOffered: (command: string) => string;
    noteNothingFolded: string;
    noteNothingHeld: string;
    noteNothingRuns: string;
    noteNothingToCopy: string;
    noteNothingToDismiss: string;
    noteNothingToEdit: string;
    noteNothingToExport: string;
    noteNothingToRegenerate: string;
    noteNothingToRetry: string;
    noteNothingToSend: string;
    noteNothingWaits: string;
    noteQueueUsage: (actions: readonly string[]) => string;
    noteReasoningFolded: string;
    noteReasoningShown: string;
    noteResumeFirst: string;
    noteSentMeanwhile: string;
    noteTakenBack: string;
    noteTooLongToCopy: ({ bytes, limit }: {
        readonly bytes: number;
        readonly limit: number;
    }) => string;
    noteUndoBusy: string;
    noteNothingToUndo: string;
    noteUndone: (paths: readonly string[]) => string;
    undoConflict: (path: string, reason: string) => string;
    noteUnknownCommand: (name: string) => string;
    localNotOffered: string;
    localRunsAlready: string;
    localStopping: string;
    localIsStopping: string;
    localRuns: string;
    localStopped: string;
    dialogSettling: string;
    dialogAside: string;
    dialogWaitsApproval: string;
    dialogWaitsQuestion: string;
    approvalAsks: (tool: string) => string;
    approvalNoInput: string;
    approvalAbove: (tool: string) => string;
    approvalFurther: (count: number) => string;
    approvalReason: string;
    approvalMissing: (rows: number) => string;
    approvalAskedBy: string;
    approvalAlways: string;
    thisCommand: string;
    thisInput: string;
    approvalEvery: string;
    approvalEveryEnd: string;
    previewHead: string;
    previewClaim: string;
    choiceOnce: string;
    choiceTurn: string;
    choiceAlways: string;
    choiceReject: string;
    choiceReason: string;
    choiceReasonShort: string;
    choiceEvery: string;
    choiceBack: string;
    questionOf: (at: number, of: number) => string;
    questionAbove: string;
    questionPlaceholder: string;
    questionNothingWritten: string;
    questionNothingTicked: string;
    questionAlone: string;
    questionEnter: string;
    questionTick: string;
    questionChoose: string;
    questionBack: string;
    questionBefore: string;
    questionNone: string;
    questionNoneAtAll: string;
    resumeAsks: string;
    resumeChoices: string;
    resumeShort: string;
    helpCommands: string;
    helpAgentCommands: string;
    helpBegins: string;
    helpKeys: string;
    helpEditing: string;
    helpMenu: string;
    helpSearch: string;
    helpApproval: string;
    helpSlash: string;
    helpAt: string;
    helpBang: string;
    argumentBranch: string;
    argumentChat: string;
    argumentFile: string;
    argumentMode: string;
    argumentModel: string;
    argumentPrompt: string;
    argumentQueue: string;
    helpHelp: string;
    helpEdit: string;
    helpRegenerate: string;
    helpBranch: string;
    helpRetry: string;
    helpQueue: string;
    helpSend: string;
    helpMode: string;
    helpModel: string;
    helpUndo: string;
    helpCopy: string;
    helpExport: string;
    helpChats: string;
    helpNew: string;
    helpDismiss: string;
    helpQuit: string;
    helpEscape: string;
    helpInterrupt: string;
    helpLeave: string;
    helpSearchBegin: string;
    helpReasoning: string;
    helpUnfold: string;
    helpEnter: string;
    helpNewline: string;
    helpUp: string;
    helpDown: string;
    helpLeft: string;
    helpRight: string;
    helpWordLeft: string;
    helpWordRight: string;
    helpHome: string;
    helpEnd: string;
    helpBackspace: string;
    helpDelete: string;
    helpDeleteWord: string;
    helpDeleteToStart: string;
    helpDeleteToEnd: string;
    helpYank: string;
    helpTab: string;
    helpMenuTab: string;
    helpMenuUp: string;
    helpMenuDown: string;
    helpMenuEnter: string;
    helpMenuEscape: string;
    helpSearchOlder: string;
    helpSearchNewer: string;
    helpSearchTake: string;
    helpSearchLeave: string;
    helpSearchShorten: string;
    toolExit: (exit: number | string) => string;
};

declare const toolWords: {
    toolExit: (exit: number | string) => string;
};
