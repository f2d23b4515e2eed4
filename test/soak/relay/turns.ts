// The turns in a log, as its events tell them.
import type { UniversalEvent } from "agentwire/universal";
import type { ChatRecord } from "./history.ts";

/** A turn as the log has it. */
export interface LoggedTurn {
  readonly key: string | undefined;
  readonly session: string;
  readonly turn: string;
  /** The position of its first event. */
  readonly at: number;
  end: number | undefined;
  status: string | undefined;
  code: string | undefined;
  text: string;
}

export function positionsOf({ batches }: ChatRecord): readonly (readonly [number, UniversalEvent])[] {
  return batches.flatMap(({ first, events }) =>
    events.map((event, index) => [first + index, event] as const),
  );
}

/** The turns of a log, oldest first. */
export function turnsOf(chat: ChatRecord): readonly LoggedTurn[] {
  const turns: LoggedTurn[] = [];
  const open = new Map<string, LoggedTurn>();
  const spoken = new Set<string>();
  for (const [at, { type, session_id: session, data }] of positionsOf(chat)) {
    if (type === "turn.started") {
      const key = data.metadata?.prompt_id;
      const started = { key, session, turn: data.turn_id, at };
      const turn: LoggedTurn = { ...started, end: undefined, status: undefined, code: undefined, text: "" };
      turns.push(turn);
      open.set(session, turn);
      continue;
    }
    const turn = open.get(session);
    if (!turn) continue;
    if (type === "item.started" && data.item.kind === "message" && data.item.role === "assistant")
      if (data.item.parent_id === null) spoken.add(`${session} ${data.item.item_id}`);
    const isText = type === "item.delta" && (data.part?.type ?? "text") === "text";
    if (isText && spoken.has(`${session} ${data.item_id}`)) turn.text += data.delta;
    if (type === "error") turn.code = data.code ?? "none";
    if (type !== "turn.ended") continue;
    turn.end = at;
    turn.status = data.metadata.status;
    open.delete(session);
  }
  return turns;
}
