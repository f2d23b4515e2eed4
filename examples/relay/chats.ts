import type { EventLog } from "agentwire/server";
import type { UniversalEvent } from "agentwire/universal";
import type { StoredChat } from "../web-chat/page/archive.ts";
import { titleIn } from "../web-chat/page/title.ts";

/** More than anybody looks through. */
const MAX_LISTED = 50;
/** Events from the beginning of a chat that are searched for a title. */
const BEGINNING = 20;

/** The chats of the log, newest first. A relay has no such route: an app decides who sees which chats. */
export async function listChats(log: EventLog): Promise<readonly StoredChat[]> {
  const ids = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await log.list(cursor === undefined ? {} : { cursor });
    for (const id of page.ids) ids.add(id);
    cursor = page.cursor;
  } while (cursor !== undefined);
  const all = await Promise.all([...ids].map((id) => entryOf(log, id)));
  const chats = all.filter((chat) => chat !== undefined);
  return chats.sort((one, other) => other.changedAt - one.changedAt).slice(0, MAX_LISTED);
}

/** Undefined for a chat without events. */
async function entryOf(log: EventLog, id: string): Promise<StoredChat | undefined> {
  const { head = 0, first = 1 } = (await log.head(id)) ?? {};
  if (head < first) return undefined;
  const beginning = await eventsOf(log, id, first - 1, BEGINNING);
  const last = (await eventsOf(log, id, head - 1, 1)).at(-1);
  return { id, title: titleIn(beginning, undefined), changedAt: Date.parse(last?.time ?? "") };
}

async function eventsOf(
  log: EventLog,
  id: string,
  after: number,
  limit: number,
): Promise<readonly UniversalEvent[]> {
  return (await log.page(id, after, limit)).flatMap(({ events }) => events);
}
