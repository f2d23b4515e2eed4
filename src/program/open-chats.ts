// Opens the chats of a call: one, and those that `/new` and `/chats` of the screen go on with.
import { type Chat, createChat } from "../chat/index.ts";
import type { EarlierChat, PromptHistory } from "../ink/index.ts";
import type { AgentSource } from "../universal/index.ts";
import { earlierChats, type KeptChat, keptChat } from "./chats.ts";
import { promptHistory } from "./prompt-history.ts";

export interface OpenedChat {
  readonly chat: Chat;
  /** Closes the chat, and notes where it goes on. Does so once, however often it is called. */
  readonly leave: () => Promise<void>;
}

export interface OpenedChats {
  readonly first: OpenedChat;
  /** The chats of the folder. Absent where chats are not kept there. */
  readonly kept?: {
    /** The newest chats with the backend. */
    readonly list: () => Promise<readonly EarlierChat[]>;
    /** @param name null: a new chat */
    readonly open: (name: string | null) => Promise<OpenedChat>;
    /** The prompts of the folder. */
    readonly history: () => Promise<PromptHistory>;
  };
}

export interface ChatsToOpen {
  /** The name of the backend. */
  readonly backend: string;
  readonly source: () => AgentSource;
  /** Where the agent works. @default the working directory */
  readonly folder?: string | undefined;
  /** Where the first chat is kept; absent: nowhere in the folder. */
  readonly session: KeptChat | undefined;
  /** Called with each chat before anything is sent. */
  readonly onChat?: (chat: Chat) => void;
}

export function openChats({ backend, source, folder = ".", session, onChat }: ChatsToOpen): OpenedChats {
  const open = (kept: KeptChat | undefined): OpenedChat => {
    const chat = createChat(source(), kept?.options);
    onChat?.(chat);
    let left: Promise<void> | undefined;
    const end = async (): Promise<void> => {
      await chat.close();
      await kept?.save(chat);
    };
    return {
      chat,
      leave: () => {
        left ??= end();
        return left;
      },
    };
  };
  return {
    first: open(session),
    ...(session && {
      kept: {
        list: () => earlierChats(backend),
        open: async (name) => open(await keptChat(backend, name ?? undefined)),
        history: () => promptHistory(backend, folder),
      },
    }),
  };
}
