import type { ItemDeltaData, UniversalItem, Visibility } from "../universal/events.ts";
import { noticesOf, partId, partsOf, samePart } from "./content-parts.ts";
import {
  addMessage,
  addPart,
  changePart,
  type Draft,
  finish,
  type Home,
  keyOf,
  leaveOpen,
  type Place,
  partAt,
  remember,
} from "./draft.ts";
import type { ChatPart } from "./message.ts";

type ContentPlace = Extract<Place, { readonly kind: "content" }>;

/** @param home null: a message of its own, of the system */
export function startContent(draft: Draft, item: UniversalItem, home: Home | null): void {
  const id = item.item_id;
  const place: ContentPlace = {
    kind: "content",
    home: home ?? ownMessage(draft, id),
    parts: [],
    isOpen: true,
  };
  const parts = shownParts(draft, place.home, item, true).map(
    (part) => addPart(draft, place.home, part).index,
  );
  keep(draft, id, { ...place, parts });
}

function ownMessage(draft: Draft, itemId: string): Home {
  const { book, time } = draft;
  const id = `${book.sessionId}/${itemId}`;
  const message = addMessage(draft, {
    id,
    role: "system",
    status: "completed",
    startedAt: time,
    endedAt: time,
  });
  return { message, path: [] };
}

/** The last part of the delta's stream grows. The first delta of a stream adds a part, so an item without text shows nothing. */
export function growContent(draft: Draft, place: ContentPlace, data: ItemDeltaData): void {
  if (!place.isOpen) return;
  const { home, parts } = place;
  const type = streamOf(draft, place, data);
  for (let at = parts.length - 1; at >= 0; at--) {
    const index = parts[at];
    if (index === undefined || partAt(draft, { ...home, index })?.type !== type) continue;
    changePart(draft, { ...home, index }, (part) => longer(part, data.delta));
    return;
  }
  const id = partId(data.item_id, parts.length);
  const { index } = addPart(draft, home, textPart(type, id, data.delta, data.part?.visibility ?? "public"));
  keep(draft, data.item_id, { ...place, parts: [...parts, index] });
}

/** The content of the completed item replaces what was shown. A part that shows the same stays the same object. */
export function completeContent(draft: Draft, place: ContentPlace, item: UniversalItem): void {
  if (!place.isOpen) return;
  const { home } = place;
  const parts = [...place.parts];
  let next = 0;
  for (const wanted of shownParts(draft, home, item, false)) {
    const index = place.parts[next];
    const shown = index === undefined ? undefined : partAt(draft, { ...home, index });
    if (index !== undefined && shown?.type === wanted.type) {
      next++;
      changePart(draft, { ...home, index }, (old) => {
        const changed = { ...wanted, id: old.id };
        return samePart(changed, old) ? old : changed;
      });
    } else if (!isBlank(wanted)) {
      const id = partId(item.item_id, parts.length);
      parts.push(addPart(draft, home, { ...wanted, id }).index);
    }
  }
  for (const index of place.parts.slice(next)) changePart(draft, { ...home, index }, closed);
  keep(draft, item.item_id, { ...place, parts, isOpen: false });
}

function shownParts(
  draft: Draft,
  { message }: Home,
  item: UniversalItem,
  open: boolean,
): readonly ChatPart[] {
  const isNotice = item.kind === "system" && draft.messages.at(message)?.role !== "system";
  return isNotice ? noticesOf(item) : partsOf(item, open);
}

/** Remembers the place, and the parts that the end of the turn has to close. */
function keep(draft: Draft, itemId: string, place: ContentPlace): void {
  const key = keyOf.item(itemId);
  remember(draft, key, place);
  for (const index of place.parts) {
    if (place.isOpen) leaveOpen(draft, `${key} ${index}`, { ...place.home, index });
    else finish(draft, `${key} ${index}`);
  }
}

/** A delta of the base schema does not name its stream. */
function streamOf(
  draft: Draft,
  { home, parts }: ContentPlace,
  { part }: ItemDeltaData,
): "text" | "reasoning" {
  if (part) return part.type === "reasoning" ? "reasoning" : "text";
  const index = parts.at(-1);
  return index !== undefined && partAt(draft, { ...home, index })?.type === "reasoning"
    ? "reasoning"
    : "text";
}

function textPart(type: "text" | "reasoning", id: string, text: string, visibility: Visibility): ChatPart {
  return type === "text" ? { type, id, text, open: true } : { type, id, text, visibility, open: true };
}

function longer(part: ChatPart, delta: string): ChatPart {
  return part.type === "text" || part.type === "reasoning" ? { ...part, text: part.text + delta } : part;
}

function closed(part: ChatPart): ChatPart {
  return (part.type === "text" || part.type === "reasoning") && part.open ? { ...part, open: false } : part;
}

function isBlank(part: ChatPart): boolean {
  return (part.type === "text" || part.type === "reasoning") && part.text === "";
}
