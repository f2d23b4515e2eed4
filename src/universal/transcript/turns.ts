// Applies the start, the loss, the recovery and the end of a turn.
import { defined, isObject } from "../../core/checks.ts";
import type {
  ErrorData,
  SessionEndedData,
  TurnEndedData,
  TurnEndMetadata,
  TurnStartedData,
} from "../events.ts";
import { codeOfUnsent } from "../words/describe-error-data.ts";
import {
  type Branching,
  cutAt,
  indexOf,
  joinedBranch,
  MAX_BRANCHES,
  promptIndex,
  restored,
  swapped,
  swapsTo,
} from "./branches.ts";
import { endPart } from "./cut-off.ts";
import { emptyDictionary } from "./dictionary.ts";
import {
  addMessage,
  addOwnMessage,
  addPart,
  changeMessage,
  changePart,
  type Draft,
  rearrange,
} from "./draft.ts";
import { type List, removeLast } from "./list.ts";
import type { ChatMessage, ChatPart } from "./message.ts";
import { addTurn } from "./totals.ts";
import type { Book, TurnBook } from "./transcript.ts";

export function startTurn(draft: Draft, { turn_id: id, metadata }: Omit<TurnStartedData, "phase">): void {
  if (draft.book.turn) closeTurn(draft, draft.book.turn, { status: "failed" }, MISSING_END);
  draft.book.turn = {
    open: { id, metadata: metadata ?? null, startedAt: draft.time },
    message: null,
    isMoved: false,
    ...branchOf(draft, metadata?.branch_of),
    unfinished: emptyDictionary(),
    error: null,
  };
}

const NO_BRANCH = { prompt: null, replaces: null, isAnew: false } as const;

/** Hides the message `id` and the following ones, for a turn that retries or replaces the message. */
function branchOf(draft: Draft, id: string | undefined): Pick<TurnBook, "prompt" | "replaces" | "isAnew"> {
  const swaps = id === undefined ? undefined : swapsTo(draft.to, id);
  if (id === undefined || !swaps) return NO_BRANCH;
  const shown = swaps.reduce(swapped<Branching>, draft.to);
  const at = indexOf(shown.messages, id);
  // At the limit of branches, the turn's messages follow the others.
  if ((shown.messages.at(at)?.branches?.of ?? 1) >= MAX_BRANCHES) return NO_BRANCH;
  const asked = promptIndex(shown, at);
  rearrange(draft, () => cutAt(shown, at));
  const isAnew = asked >= 0 && asked !== at;
  return { prompt: isAnew ? asked : null, replaces: id, isAnew };
}

/** The message at `index` replaces the branch that the turn replaces. */
export function takePlace(draft: Draft, index: number): void {
  const { turn } = draft.book;
  if (!turn || turn.replaces === null) return;
  const { messages, branches } = joinedBranch(draft.to, index, turn.replaces);
  draft.to.messages = messages;
  draft.to.branches = branches;
  draft.book.turn = { ...turn, replaces: null };
}

/**
 * The message for content without another message: the turn's, or between turns a new one.
 * @param itemId names a message between turns
 */
export function answerOf(draft: Draft, itemId: string): number {
  const { turn } = draft.book;
  if (!turn) return addOwnMessage(draft, itemId, { role: "assistant", status: "completed" });
  if (turn.message !== null) return turn.message;
  const { id: turnId, startedAt } = turn.open;
  const known = answerId(draft.book, turn);
  const id = turn.isMoved ? `${known}/${draft.book.sequence}` : known;
  const message = addMessage(draft, { id, role: "assistant", turnId, status: "open", startedAt });
  draft.book.turn = { ...turn, message };
  takePlace(draft, message);
  return message;
}

export function answerId({ sessionId }: Pick<Book, "sessionId">, { open }: TurnBook): string {
  return `${sessionId}/${open.id}`;
}

/** The connection was lost during a turn, and the client searches for the answer. */
export function recoverAnswer(draft: Draft): void {
  draft.book.growing = null; // the next delta resumes the answer
  setStatus(draft, "open", "recovering");
}

/** The answer continues. */
export function resumeAnswer(draft: Draft): void {
  setStatus(draft, "recovering", "open");
}

function setStatus(draft: Draft, from: ChatMessage["status"], to: ChatMessage["status"]): void {
  const message = draft.book.turn?.message;
  if (message === null || message === undefined) return;
  changeMessage(draft, message, (old) => (old.status === from ? { ...old, status: to } : old));
}

/** Adds an error as a part. If the turn fails, its last error becomes `error` of the message. */
export function addError(draft: Draft, data: ErrorData, eventId: string): void {
  const { turn } = draft.book;
  if (!turn || (data.turn_id !== undefined && data.turn_id !== turn.open.id)) {
    addOwnMessage(draft, eventId, { role: "system", status: "failed", error: draft.describe(data) });
    return;
  }
  const { message, code } = data;
  const home = { message: answerOf(draft, eventId), path: [] };
  addPart(draft, home, { type: "error", id: eventId, message, code });
  if (draft.book.turn) draft.book.turn = { ...draft.book.turn, error: { data, part: eventId } };
}

export function endTurn(draft: Draft, { turn_id: id, metadata }: TurnEndedData): void {
  addTurn(draft.to, metadata);
  const { context_tokens: used, context_window: size } = metadata.usage ?? {};
  if (used !== undefined) draft.to.context = size === undefined ? { used } : { used, size };
  const { turn } = draft.book;
  if (turn?.open.id === id) {
    closeTurn(draft, turn, metadata, NO_REASON);
    return;
  }
  // The end of the open turn and the start of the ended turn are missing.
  if (turn) closeTurn(draft, turn, { status: "failed" }, MISSING_END);
  if (metadata.status !== "failed") return;
  startTurn(draft, { turn_id: id });
  if (draft.book.turn) closeTurn(draft, draft.book.turn, metadata, NO_REASON);
}

/** The end of a session ends its turn. */
export function endOfSession(draft: Draft, data: SessionEndedData): void {
  const { reason } = data;
  const { turn } = draft.book;
  if (turn) closeTurn(draft, turn, { status: reason === "terminated" ? "cancelled" : "failed" }, MISSING_END);
  draft.book.places = emptyDictionary(); // no event follows
  draft.book.session = { ...draft.book.session, state: "ended", ended: data };
}

const NO_REASON = "The backend gave no reason.";
const MISSING_END = "The end of the answer is missing.";

function closeTurn(draft: Draft, turn: TurnBook, metadata: TurnEndMetadata, reason: string): void {
  // Requests end with their turn. After a gap, this also ends requests whose events are missing.
  draft.book.pending = emptyDictionary();
  draft.book.growing = null;
  if (showReplaced(draft, turn, metadata)) return;
  if (metadata.status === "failed" && failPrompt(draft, turn)) return;
  const { time } = draft;
  const message = answerOf(draft, turn.open.id);
  for (const spot of turn.unfinished) changePart(draft, spot, endPart);
  const { status, usage, cost, model } = metadata;
  const data = turn.error?.data ?? { message: reason, code: null, details: null, turn_id: turn.open.id };
  changeMessage(draft, message, (old) => ({
    ...old,
    status,
    parts: status === "failed" && turn.error ? withoutError(old.parts, turn.error.part) : old.parts,
    ...(status === "failed" ? { error: draft.describe(data) } : {}),
    ...defined({ usage, cost, model }),
    endedAt: time,
  }));
  draft.book.turn = null;
}

/** A retry was cancelled or refused before the agent's first text: shows the previous answer again. */
function showReplaced(draft: Draft, turn: TurnBook, { status }: TurnEndMetadata): boolean {
  const { open, prompt, message, isAnew, error } = turn;
  const id = open.metadata?.branch_of;
  if (!isAnew || prompt === null || id === undefined || status === "completed") return false;
  if (status === "failed" && !isUnsent(error)) return false;
  const answer = message === null ? undefined : draft.to.messages.at(message);
  if (answer && withoutError(answer.parts, error?.part ?? "").length > 0) return false;
  rearrange(draft, (of) => restored(of, message ?? of.messages.length, id));
  draft.book.turn = null;
  return true;
}

const isUnsent = (error: TurnBook["error"]): boolean =>
  isObject(error?.data.details) && error.data.details["delivery"] === "not-sent";

/** Fails the prompt itself if it was not sent. Returns false if it was sent, or may have been. */
function failPrompt(draft: Draft, { prompt, message, error }: TurnBook): boolean {
  if (prompt === null || !error || !isUnsent(error)) return false;
  const answer = message === null ? undefined : draft.to.messages.at(message);
  if (answer) {
    const isLast = message === draft.to.messages.length - 1;
    if (!isLast || withoutError(answer.parts, error.part).length > 0) return false;
    draft.to.messages = removeLast(draft.to.messages);
  }
  const told = { ...draft.describe(error.data), code: codeOfUnsent(error.data) };
  changeMessage(draft, prompt, (old) => ({ ...old, status: "failed", error: told, endedAt: draft.time }));
  draft.book.turn = null;
  return true;
}

/** The error that ends a turn comes right before the end, so its part is the last. */
function withoutError(parts: List<ChatPart>, id: string): List<ChatPart> {
  const last = parts.at(-1);
  return last?.type === "error" && last.id === id ? removeLast(parts) : parts;
}
