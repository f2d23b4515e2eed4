// The folder of chats: what was said, and where each backend's conversation goes on.
import { readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Chat, ChatOptions, ChatStore, SavedChat } from "../chat/index.ts";
import { directoryStore } from "../chat/node.ts";
import { fold } from "../universal/index.ts";
import { EXIT } from "./exit-codes.ts";
import { ProgramFailure, wrongCall } from "./failure.ts";

/** Letters that mean the same in the file names of every system. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const STATE = ".state.json";

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

/** The name of the chat that was used last. @throws Failure if there is none */
export async function lastChat(backend: string): Promise<string> {
  const folder = chatsFolder();
  const prefix = `${backend}.`;
  let last: { readonly name: string; readonly at: number } | undefined;
  for (const file of await filesIn(folder)) {
    if (!file.startsWith(prefix) || !file.endsWith(STATE)) continue;
    const at = (await stat(join(folder, file))).mtimeMs;
    if (last === undefined || at > last.at) last = { name: file.slice(prefix.length, -STATE.length), at };
  }
  if (last) return last.name;
  throw new ProgramFailure(
    EXIT.wrongCall,
    `There is no chat with ${backend} in ${folder}.`,
    `Begin one: agentwire chat ${backend}.`,
  );
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
