// What the log of a chat holds: its messages, and what is still open. Also makes snapshots.

import { readSaved, type SavedChat, savedOf } from "../../chat/saving/saved.ts";
import { isObject } from "../../core/checks.ts";
import { isUniversalEvent } from "../../universal/check/shape.ts";
import type { Json, UniversalEvent } from "../../universal/events.ts";
import { fold } from "../../universal/transcript/reduce.ts";
import { emptyTranscript, type Transcript } from "../../universal/transcript/transcript.ts";
import type { EventLog } from "../event-log.ts";

/** A chat as its log has it, up to a position. */
export interface ChatHistory {
  readonly position: number;
  readonly transcript: Transcript;
  /** The events of the sessions that have not ended. Of those before the snapshot, the last one. */
  readonly open: ReadonlyMap<string, readonly UniversalEvent[]>;
  /** The keys of the prompts that began turns since the snapshot, and of the last one that was taken before it. */
  readonly prompts: ReadonlySet<string>;
  /** The position of the snapshot. 0: there is none. */
  readonly since: number;
  /** The last turn that completed. */
  readonly completed: string | undefined;
}

/** The entry `snapshot` of a log. */
export interface Snapshot {
  readonly position: number;
  readonly saved: SavedChat;
  readonly open: readonly UniversalEvent[];
  readonly prompt: string | null;
  readonly completed: string | null;
}

const PAGE = 1_000;

/** Reads the log from its last snapshot to its end. @throws what the log throws */
export async function readHistory(log: EventLog, id: string): Promise<ChatHistory> {
  const snapshot = readSnapshot(await log.get(id, "snapshot"));
  let position = snapshot?.position ?? 0;
  let transcript: Transcript = snapshot ? restored(snapshot.saved) : emptyTranscript;
  const open = new Map<string, UniversalEvent[]>(
    (snapshot?.open ?? []).map((event) => [event.session_id, [event]]),
  );
  const prompts = new Set<string>();
  if (typeof snapshot?.prompt === "string") prompts.add(snapshot.prompt);
  let completed = snapshot?.completed ?? undefined;
  for (;;) {
    const batches = await log.page(id, position, PAGE);
    if (batches.length === 0) {
      const since = snapshot?.position ?? 0;
      return { position, transcript, open, prompts, completed, since };
    }
    for (const { last, events } of batches) {
      transcript = fold(events, transcript);
      position = last;
      for (const event of events) {
        follow(open, event);
        const { type, data } = event;
        if (type === "turn.started" && data.metadata?.prompt_id !== undefined)
          prompts.add(data.metadata.prompt_id);
        if (type === "turn.ended" && data.metadata.status === "completed") completed = turnName(event);
      }
    }
  }
}

/** Names a turn of any session. */
export function turnName({ session_id, data }: Extract<UniversalEvent, { type: "turn.ended" }>): string {
  return `${session_id}/${data.turn_id}`;
}

/** The chat for `createChat(source, { from })`, without the state of the backend's conversation. */
export function savedFrom({ transcript }: ChatHistory, source: string): SavedChat {
  return savedOf({ source, ...transcript, state: undefined }, []);
}

/**
 * Between turns: a snapshot has no open message. Undefined while a turn runs.
 * @param taken the key of the last prompt that was taken, whose turn is over
 */
export function snapshotOf(
  history: ChatHistory,
  source: string,
  taken: string | undefined,
): Snapshot | undefined {
  if (history.transcript.turn) return undefined;
  const open = [...history.open.values()].flatMap((events) => events.slice(-1));
  return {
    position: history.position,
    saved: savedFrom(history, source),
    open,
    prompt: taken ?? null,
    completed: history.completed ?? null,
  };
}

/** Undefined for a value that this version did not write. The whole log is then read. */
export function readSnapshot(value: Json | undefined): Snapshot | undefined {
  if (!isObject(value)) return undefined;
  const { position, saved, open, prompt, completed } = value;
  if (typeof position !== "number" || !Array.isArray(open) || !open.every(isUniversalEvent)) return undefined;
  const isName = (name: unknown): name is string | null => name === null || typeof name === "string";
  if (!isName(prompt) || !isName(completed)) return undefined;
  try {
    readSaved(saved);
  } catch {
    return undefined;
  }
  return { position, saved: saved as SavedChat, open, prompt, completed }; // `readSaved` has checked it
}

function restored(saved: SavedChat): Transcript {
  const { messages, branches, usage, cost } = readSaved(saved);
  return { ...emptyTranscript, messages, branches, usage, cost };
}

function follow(open: Map<string, UniversalEvent[]>, event: UniversalEvent): void {
  const { session_id: id, type } = event;
  const known = open.get(id);
  if (type === "session.ended") open.delete(id);
  // The end of a turn leaves nothing open: a long session must not keep all of its events.
  else if (!known || type === "turn.ended") open.set(id, [event]);
  else known.push(event);
}
