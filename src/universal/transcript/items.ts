// Applies the start, the deltas and the completion of an item.
import type { ItemData, ItemDeltaData, UniversalItem } from "../events.ts";
import { completeCall, completeResult, growCall, growResult, startCall, startResult } from "./calls.ts";
import { completeContent, growContent, ownMessage, partsOf, samePart, startContent } from "./content.ts";
import { addMessage, changeMessage, type Draft, MAX_DEPTH, remember } from "./draft.ts";
import { listOf } from "./list.ts";
import { completeAgent, completeStatus, isWord, startStatus } from "./statuses.ts";
import { type Home, keyOf } from "./transcript.ts";
import { answerOf, takePlace } from "./turns.ts";

/** Starts an item. Ignores a second start. */
export function startItem(draft: Draft, { item, state }: ItemData): void {
  if (draft.book.places.get(keyOf.item(item.item_id))) return;
  const home = () => homeOf(draft, item);
  switch (item.kind) {
    case "message":
      if (item.role === "user") startPrompt(draft, item);
      else startContent(draft, item, home());
      return;
    case "tool_call":
      startCall(draft, item, home(), state);
      return;
    case "tool_result":
      startResult(draft, item, home, state);
      return;
    case "status":
      // Other statuses between turns, such as `connection.lost`, make no message.
      if (draft.book.turn) startStatus(draft, item, home);
      else if (isWord(item)) startStatus(draft, item, () => ownMessage(draft, item.item_id));
      return;
    case "system":
      startContent(draft, item, draft.book.turn ? home() : null);
      return;
    case "unknown":
      if (draft.book.turn) startContent(draft, item, home());
      return;
  }
}

/** Applies a delta. Ignores an unknown or completed item. */
export function growItem(draft: Draft, data: ItemDeltaData): void {
  const place = draft.book.places.get(keyOf.item(data.item_id));
  if (place?.kind === "content") growContent(draft, place, data);
  else if (place?.kind === "call") growCall(draft, place, data);
  else if (place?.kind === "result") growResult(draft, place, data.delta);
}

/** Completes an item. If its start is missing, the item also starts here. */
export function completeItem(draft: Draft, { item, state }: ItemData): void {
  const key = keyOf.item(item.item_id);
  if (!draft.book.places.get(key)) startItem(draft, { item });
  const place = draft.book.places.get(key);
  if (place?.kind === "user") completePrompt(draft, place.message, item);
  else if (place?.kind === "content") completeContent(draft, place, item);
  else if (place?.kind === "agent") completeAgent(draft, place.spot, item);
  else if (place?.kind === "status") completeStatus(draft, place.spot, item);
  else if (place?.kind === "call") completeCall(draft, place, item);
  else if (place?.kind === "result") completeResult(draft, place, item, state);
}

/** The item's home: inside its sub-agent; otherwise beside its parent; otherwise in the turn's message. */
function homeOf(draft: Draft, { item_id, parent_id }: UniversalItem): Home {
  const parent = parent_id === null ? undefined : draft.book.places.get(keyOf.item(parent_id));
  if (!parent || parent.kind === "user") return { message: answerOf(draft, item_id), path: [] };
  if (parent.kind === "content") return parent.home;
  const { message, path, index } = parent.spot;
  const isInside = parent.kind === "agent" && path.length < MAX_DEPTH;
  return { message, path: isInside ? [...path, index] : path };
}

/** A prompt's item starts when the prompt is sent. The prompt of a retry is already shown. */
function startPrompt(draft: Draft, item: UniversalItem): void {
  const { book, time } = draft;
  if (book.turn?.isAnew) {
    answerOf(draft, item.item_id);
    return;
  }
  const { prompt_id } = book.turn?.open.metadata ?? {};
  const isFree = prompt_id !== undefined && !draft.to.branches.get(prompt_id);
  const message = addMessage(
    draft,
    {
      id: isFree ? prompt_id : `${book.sessionId}/${item.item_id}`,
      role: "user",
      ...(book.turn ? { turnId: book.turn.open.id } : {}),
      status: "sent",
      startedAt: time,
    },
    listOf(partsOf(item, false)),
  );
  remember(draft, keyOf.item(item.item_id), { kind: "user", message });
  const { turn } = book;
  if (turn?.prompt === null) book.turn = { ...turn, prompt: message };
  takePlace(draft, message);
}

/** Adds the turn's message after the prompt, before the agent's first text. */
function completePrompt(draft: Draft, message: number, item: UniversalItem): void {
  const parts = partsOf(item, false);
  changeMessage(draft, message, (old) => {
    const isSame =
      old.parts.length === parts.length && parts.every((part, index) => samePart(part, old.parts.at(index)));
    const status = item.status === "failed" ? "failed" : old.status;
    if (isSame && status === old.status) return old;
    return { ...old, status, parts: isSame ? old.parts : listOf(parts) };
  });
  if (draft.book.turn) answerOf(draft, item.item_id);
}
