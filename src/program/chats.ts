// The folder of chats: what was said, and where each backend's conversation goes on.
import { readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Chat, type ChatOptions, type ChatStore, inert, type SavedChat } from "../chat/index.ts";
import { directoryStore } from "../chat/node.ts";
import type { EarlierChat } from "../ink/index.ts";
import { fold, type UniversalEvent } from "../universal/index.ts";
import { EXIT } from "./exit-codes.ts";
import { ProgramFailure, wrongCall } from "./failure.ts";

/** Letters that mean the same in the file names of every system. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const STATE = ".state.json";
/** Chats that `/chats` lists: more than a person looks through. */
const MAX_LISTED = 50;
/** Characters of a title. */
const MAX_TITLE = 60;

/** The folder of the program: `AGENTWIRE_HOME`, or `.agentwire` in the user's home. */
export function programFolder(): string {
  return process.env["AGENTWIRE_HOME"] || join(homedir(), ".agentwire");
}

export function chatsFolder(): string {
  return join(programFolder(), "chats");
}

/** A chat in the folder. */
export interface KeptChat {
  /** The name for `--session`. */
  readonly name: string;
  readonly options: Pick<ChatOptions, "store" | "id" | "from">;
  /** Notes where the backend's conversation goes on. A store has the messages alone. */
  readonly save: (chat: Chat) => Promise<void>;
}

/**
 * The chat of that name, or a new one.
 * @throws Failure for a name that cannot be one of a file
 */
export async function keptChat(backend: string, name = newName()): Promise<KeptChat> {
  if (!NAME.test(name))
    throw wrongCall(
      `The name of a session cannot be ${JSON.stringify(name)}.`,
      "Pass up to 64 small letters, digits, - and _.",
    );
  const folder = chatsFolder();
  const id = `${backend}.${name}`;
  const store = directoryStore(folder);
  const file = join(folder, `${id}${STATE}`);
  const from = await savedIn(file, store, id);
  return {
    name,
    options: { store, id, ...(from && { from }) },
    save: async (chat) => {
      const { saved, messages } = chat.getSnapshot();
      if (messages.length === 0) return;
      const half = `${file}.${process.pid}`;
      await writeFile(half, JSON.stringify(saved), { mode: 0o600 });
      await rename(half, file);
    },
  };
}

/** The name of the chat that was used last. @param begin begins one that is kept @throws Failure if there is none */
export async function lastChat(backend: string, begin: string): Promise<string> {
  const [last] = await namesByUse(backend);
  if (last) return last.name;
  throw new ProgramFailure(
    EXIT.wrongCall,
    `There is no chat with ${backend} in ${chatsFolder()}.`,
    `Begin one: ${begin}.`,
  );
}

/** The chats with a backend, for `/chats`: the one that was used last at first, by their names. */
export async function earlierChats(backend: string): Promise<readonly EarlierChat[]> {
  const store = directoryStore(chatsFolder());
  const used = (await namesByUse(backend)).slice(0, MAX_LISTED);
  return Promise.all(
    used.map(async ({ name: id, at: usedAt }) => {
      const title = titleIn(await store.load(`${backend}.${id}`)) ?? id;
      return { id, title, usedAt };
    }),
  );
}

/** Names of chats, by the time when they were left. */
async function namesByUse(
  backend: string,
): Promise<readonly { readonly name: string; readonly at: number }[]> {
  const folder = chatsFolder();
  const prefix = `${backend}.`;
  const files = (await filesIn(folder)).filter((file) => file.startsWith(prefix) && file.endsWith(STATE));
  const used = await Promise.all(
    files.map(async (file) => ({
      name: file.slice(prefix.length, -STATE.length),
      at: (await stat(join(folder, file))).mtimeMs,
    })),
  );
  return used.sort((a, b) => b.at - a.at);
}

/** The start of the first prompt. */
function titleIn(events: readonly UniversalEvent[]): string | undefined {
  for (const event of events) {
    if (event.type !== "item.completed" || event.data.item.role !== "user") continue;
    for (const part of event.data.item.content)
      if (part.type === "text") return inert(part.text, { keepNewlines: false }).trim().slice(0, MAX_TITLE);
  }
  return undefined;
}

/** By the time of its begin, so that names sort by it. */
function newName(): string {
  const time = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
  return `${time}-${Math.random().toString(36).slice(2, 6).padEnd(4, "0")}`;
}

async function filesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Undefined where the store knows messages that the state does not: the program was killed before it noted them. */
async function savedIn(file: string, store: ChatStore, id: string): Promise<SavedChat | undefined> {
  let saved: SavedChat;
  try {
    saved = JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
  const last = fold(await store.load(id)).messages.at(-1);
  return last === undefined || saved.messages?.some((message) => message.id === last.id) ? saved : undefined;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
