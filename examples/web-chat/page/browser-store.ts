import { type ChatStore, ChatStoreError } from "agentwire/chat";
import type { UniversalEvent } from "agentwire/universal";
import type { Archive, StoredChat } from "./archive.ts";
import { requested, settled, upgrade } from "./indexed-db.ts";
import { titleIn } from "./title.ts";

/** Chats that are kept: more than anybody looks through. The one that was used least recently goes first. */
export const MAX_CHATS = 50;
/** Characters of the events of one chat: some hundred long answers. A chat that is longer is kept no further. */
export const MAX_CHAT_LENGTH = 8_000_000;

interface KeptChat extends StoredChat {
  /** Characters of its events. */
  readonly length: number;
}

interface Row {
  readonly chat: string;
  readonly session: string;
  readonly sequence: number;
  readonly event: UniversalEvent;
}

/** Chats in the browser's own database, for this origin. */
export class BrowserStore implements ChatStore, Archive {
  readonly about = "Kept in this browser.";
  readonly #name: string;
  readonly #listeners = new Set<() => void>();
  #database: Promise<IDBDatabase> | undefined;

  /** @param name of the database */
  constructor(name = "agentwire-web-chat") {
    this.#name = name;
  }

  get store(): ChatStore {
    return this;
  }

  load(id: string): Promise<readonly UniversalEvent[]> {
    return this.#use("load", id, async (database) => {
      const events = database.transaction("events").objectStore("events");
      const rows: readonly Row[] = await requested(events.index("chat").getAll(id));
      return rows.map(({ event }) => event);
    });
  }

  async append(id: string, events: readonly UniversalEvent[]): Promise<void> {
    if (events.length === 0) return;
    const isNews = await this.#use("append", id, (database) => this.#append(database, id, events));
    if (isNews) this.#changed();
  }

  list(): Promise<readonly string[]> {
    return this.#use("list", undefined, async (database) => {
      const keys = await requested(database.transaction("chats").objectStore("chats").getAllKeys());
      return keys.map(String).sort();
    });
  }

  /** The chats whose ids begin with `prefix`, newest first. */
  chats(prefix: string): Promise<readonly StoredChat[]> {
    return this.#use("list", undefined, async (database) => {
      const found = await allChats(database.transaction("chats"));
      return found
        .filter(({ id }) => id.startsWith(prefix))
        .sort((one, other) => other.changedAt - one.changedAt);
    });
  }

  /** Removes the chats whose ids begin with `prefix`. */
  async removeAll(prefix: string): Promise<void> {
    await this.#use("append", undefined, async (database) => {
      const transaction = database.transaction(["chats", "events"], "readwrite");
      for (const { id } of await allChats(transaction)) if (id.startsWith(prefix)) remove(transaction, id);
      await settled(transaction);
    });
    this.#changed();
  }

  /** Calls `listener` when the list of chats has changed. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Whether the list of chats looks different now. */
  async #append(database: IDBDatabase, id: string, events: readonly UniversalEvent[]): Promise<boolean> {
    const transaction = database.transaction(["chats", "events"], "readwrite");
    const chats = transaction.objectStore("chats");
    const before: KeptChat | undefined = await requested(chats.get(id));
    const length = events.reduce((sum, event) => sum + JSON.stringify(event).length, before?.length ?? 0);
    if (length > MAX_CHAT_LENGTH) {
      transaction.abort();
      throw new ChatStoreError("the chat is too long to be kept any further", {
        operation: "append",
        id,
        reason: "full",
      });
    }
    const rows = transaction.objectStore("events");
    for (const event of events) addOnce(rows, id, event);
    const title = titleIn(events, before?.title);
    chats.put({ id, title, changedAt: Date.now(), length } satisfies KeptChat);
    if (!before) await dropOldest(transaction);
    await settled(transaction);
    return title !== before?.title;
  }

  /** A failed call leaves later calls a new try. */
  async #use<T>(
    operation: ChatStoreError["operation"],
    id: string | undefined,
    call: (database: IDBDatabase) => Promise<T>,
  ): Promise<T> {
    if (id === "") throw new ChatStoreError("the id of the chat is an empty string", { operation });
    try {
      this.#database ??= requested(openDatabase(this.#name));
      return await call(await this.#database);
    } catch (cause) {
      if (cause instanceof ChatStoreError) throw cause;
      this.#database = undefined;
      const reason = cause instanceof Error ? cause.name : undefined;
      throw new ChatStoreError("the browser does not keep chats", { operation, id, reason, cause });
    }
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

function openDatabase(name: string): IDBOpenDBRequest {
  return upgrade(indexedDB.open(name, 1), (database) => {
    database.createObjectStore("chats", { keyPath: "id" });
    const events = database.createObjectStore("events", { autoIncrement: true });
    events.createIndex("chat", "chat");
    events.createIndex("once", ["chat", "session", "sequence"], { unique: true });
  });
}

/** Adds the event, unless the chat has it: a writer that is not sure where it stopped appends some events twice. */
function addOnce(rows: IDBObjectStore, chat: string, event: UniversalEvent): void {
  const { session_id: session, sequence } = event;
  const request = rows.add({ chat, session, sequence, event } satisfies Row);
  request.onerror = (failure) => {
    if (request.error?.name !== "ConstraintError") return;
    failure.preventDefault(); // the transaction goes on
    failure.stopPropagation();
  };
}

function allChats(transaction: IDBTransaction): Promise<readonly StoredChat[]> {
  return requested(transaction.objectStore("chats").getAll());
}

async function dropOldest(transaction: IDBTransaction): Promise<void> {
  const kept = [...(await allChats(transaction))].sort((one, other) => other.changedAt - one.changedAt);
  for (const { id } of kept.slice(MAX_CHATS)) remove(transaction, id);
}

function remove(transaction: IDBTransaction, id: string): void {
  transaction.objectStore("chats").delete(id);
  const events = transaction.objectStore("events");
  const found = events.index("chat").openKeyCursor(id);
  found.onsuccess = () => {
    if (!found.result) return;
    events.delete(found.result.primaryKey);
    found.result.continue();
  };
}
