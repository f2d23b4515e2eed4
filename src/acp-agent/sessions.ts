// The sessions in the store: each chat that a client has opened begins with an event that names its folder.
import type { ListSessionsResponse, SessionInfo } from "@agentclientprotocol/sdk";
import type { ChatStore } from "../chat/store/store.ts";
import { fieldsOf } from "../core/checks.ts";
import type { Clock } from "../core/clock.ts";
import { randomId } from "../core/random-id.ts";
import type { UniversalEvent } from "../universal/events.ts";

/** The protocol in the first event. Chats skip this session, because nothing is said in it. */
const PROTOCOL = "acp-agent";

/** Sessions on one page of the list. Each is loaded, for its folder and its title. */
const PAGE = 50;

/** Characters of a title that is the beginning of the first prompt. */
const MAX_TITLE = 80;

/** A new id. Sorted, ids are in the order of their time. */
export function newSessionId(clock: Pick<Clock, "wallTime">): string {
  return randomId(clock.wallTime().toString(36).padStart(9, "0"));
}

/** The first event of a new session. Without it, a session that had no prompt could not be loaded or listed. */
export function openingEvent(cwd: string, clock: Pick<Clock, "wallTime">): UniversalEvent {
  return {
    event_id: "evt_1",
    sequence: 1,
    time: new Date(clock.wallTime()).toISOString(),
    session_id: randomId("opening"),
    native_session_id: null,
    synthetic: true,
    source: "daemon",
    type: "session.started",
    data: { metadata: { protocol: PROTOCOL, cwd } },
    raw: null,
  };
}

/** The newest sessions first. Chats of other programs in the same store have no folder, and are left out. */
export async function listSessions(
  store: ChatStore,
  { cwd, cursor }: { readonly cwd?: string | null | undefined; readonly cursor?: string | null | undefined },
): Promise<ListSessionsResponse> {
  const ids = [...(await store.list())].sort().reverse();
  const left = cursor ? ids.filter((id) => id < cursor) : ids;
  const sessions: SessionInfo[] = [];
  for (const [at, id] of left.entries()) {
    if (sessions.length === PAGE) return { sessions, nextCursor: left[at - 1] ?? id };
    const info = infoOf(id, await store.load(id));
    if (info && (!cwd || info.cwd === cwd)) sessions.push(info);
  }
  return { sessions };
}

function infoOf(sessionId: string, events: readonly UniversalEvent[]): SessionInfo | undefined {
  let cwd: string | undefined;
  let title: string | undefined;
  let prompt: string | undefined;
  for (const event of events) {
    if (event.type === "session.started") cwd ??= folderIn(event.data.metadata);
    if (event.type !== "item.completed") continue;
    const [part] = event.data.item.content;
    if (part?.type === "status" && part.label === "title") title = part.detail ?? title;
    if (event.data.item.role === "user" && part?.type === "text") prompt ??= part.text;
  }
  if (cwd === undefined) return undefined;
  const words = title ?? prompt?.trim().replace(/\s+/g, " ").slice(0, MAX_TITLE);
  const updatedAt = events.at(-1)?.time;
  return { sessionId, cwd, ...(words ? { title: words } : {}), ...(updatedAt ? { updatedAt } : {}) };
}

function folderIn(metadata: unknown): string | undefined {
  const { protocol, cwd } = fieldsOf(metadata);
  return protocol === PROTOCOL && typeof cwd === "string" ? cwd : undefined;
}
