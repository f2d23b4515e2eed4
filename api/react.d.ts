// agentwire/react

export declare function ChatProvider({ chat, children }: ChatProviderProps): react.ReactElement;

interface ChatProviderProps {
    readonly chat: Chat;
    readonly children?: react.ReactNode;
}

export declare function useAgentChat(chat?: Chat): ChatSnapshot;
export declare function useAgentChat<T>(chat: Chat | undefined, select: (snapshot: ChatSnapshot) => T, isEqual?: (before: T, now: T) => boolean): T;

export declare function useChat(chat?: Chat): Chat;

export declare function useConnection(chat?: Chat): ChatConnection;

export declare function useOwnChat(make: () => Chat): Chat;

export declare function usePending(chat?: Chat): readonly ChatPending[];

export declare function useSeconds(from: number | undefined, clock?: Pick<Clock, "wallTime" | "setTimeout">): number;
