// What docs/ui.md shows besides its first program. Each function holds one region and gives it what it takes for granted.
import type { AgentSource } from "agentwire";
import { type Chat, type ChatPending, createChat, inert, reveal } from "agentwire/chat";
import { directoryStore } from "agentwire/chat/node";

/** What an app has to ask its user with. */
export interface Dialogs {
  confirm(title: string, text: string): Promise<boolean>;
  choose(question: string, labels: readonly string[]): Promise<string | undefined>;
}

export async function settle(chat: Chat, request: ChatPending, dialogs: Dialogs): Promise<void> {
  // #region ui-pending
  if (request.type === "approval") {
    const { id, tool, input, preview = [] } = request;
    const texts = [JSON.stringify(input, null, 2), ...preview.map(({ diff }) => diff)];
    const isAllowed = await dialogs.confirm(`Allow ${reveal(tool)}?`, texts.map(reveal).join("\n"));
    chat.decide(id, isAllowed ? "once" : { decision: "reject", reason: "not like this" });
  } else {
    const answers: string[] = [];
    for (const { question, options } of request.questions) {
      const labels = options.map(({ label }) => label);
      answers.push((await dialogs.choose(inert(question), labels)) ?? "");
    }
    chat.answer(request.id, answers.includes("") ? null : answers); // null: the user does not want to answer
  }
  // #endregion
}

export function saving(source: AgentSource, storage: Pick<Storage, "getItem" | "setItem">): Chat {
  // #region ui-saved
  const before = storage.getItem("chat");
  const chat = createChat(source, before === null ? {} : { from: JSON.parse(before) });
  addEventListener("pagehide", () => storage.setItem("chat", JSON.stringify(chat.getSnapshot().saved)));
  // #endregion
  return chat;
}

/** What a page has. */
interface Storage {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
}
declare function addEventListener(name: string, listener: () => void): void;

export async function storing(source: AgentSource, folder: string): Promise<Chat> {
  // #region ui-store
  const store = directoryStore(folder);
  console.log(await store.list());
  const chat = createChat(source, { store, id: "today" }); // shows what is stored, and keeps what follows
  // #endregion
  return chat;
}
