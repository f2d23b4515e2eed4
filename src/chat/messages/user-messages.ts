import type { UniversalItem } from "../../universal/events.ts";
import { listOf } from "../../universal/reduce/list.ts";
import { partsOf, samePart } from "./content-parts.ts";
import { addMessage, changeMessage, type Draft, keyOf, remember } from "./draft.ts";
import { answerOf } from "./turn-messages.ts";

/** A prompt is written to the wire when its item starts. */
export function startPrompt(draft: Draft, item: UniversalItem): void {
  const { book, time } = draft;
  const message = addMessage(
    draft,
    {
      id: `${book.sessionId}/${item.item_id}`,
      role: "user",
      ...(book.turn ? { turnId: book.turn.id } : {}),
      status: "sent",
      startedAt: time,
    },
    listOf(partsOf(item, false)),
  );
  remember(draft, keyOf.item(item.item_id), { kind: "user", message });
  const { turn } = book;
  if (turn?.prompt === null) book.turn = { ...turn, prompt: message };
}

/** The message of the turn comes behind the prompt, before the agent has said a word. */
export function completePrompt(draft: Draft, message: number, item: UniversalItem): void {
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
