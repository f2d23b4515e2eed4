// Applies events of texts, reasoning and files to a transcript.
import type { ContentPart, ItemDeltaData, UniversalItem, Visibility } from "../events.ts";
import {
  addOwnMessage,
  addPart,
  changePart,
  type Draft,
  finish,
  leaveOpen,
  longer,
  partAt,
  remember,
} from "./draft.ts";
import type { ChatPart } from "./message.ts";
import { type Home, keyOf, type Place } from "./transcript.ts";

type ContentPlace = Extract<Place, { readonly kind: "content" }>;

/** @param home null: a system message of its own */
export function startContent(draft: Draft, item: UniversalItem, home: Home | null): void {
  const id = item.item_id;
  const at = home ?? ownMessage(draft, id);
  const parts = shownParts(draft, at, item, true).map((part) => addPart(draft, at, part).index);
  keep(draft, id, { kind: "content", home: at, parts, isOpen: true });
}

export function ownMessage(draft: Draft, itemId: string): Home {
  return { message: addOwnMessage(draft, itemId, { role: "system", status: "completed" }), path: [] };
}

/** The first delta of a stream adds a part, so an empty item shows nothing. Later deltas grow the part. */
export function growContent(draft: Draft, place: ContentPlace, data: ItemDeltaData): void {
  if (!place.isOpen) return;
  const { home, parts } = place;
  const type = streamOf(draft, place, data);
  let index = [...parts].reverse().find((each) => partAt(draft, { ...home, index: each })?.type === type);
  if (index === undefined) {
    const id = partId(data.item_id, parts.length);
    ({ index } = addPart(draft, home, textPart(type, id, data.delta, data.part?.visibility ?? "public")));
    keep(draft, data.item_id, { ...place, parts: [...parts, index] });
  } else changePart(draft, { ...home, index }, (part) => longer(part, data.delta));
  draft.book.growing = { itemId: data.item_id, type, spot: { ...home, index } };
}

/** The completed item's content replaces the shown content. An equal part stays the same object. */
export function completeContent(draft: Draft, place: ContentPlace, item: UniversalItem): void {
  if (!place.isOpen) return;
  if (draft.book.growing?.itemId === item.item_id) draft.book.growing = null;
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

function shownParts(draft: Draft, { message }: Home, item: UniversalItem, open: boolean) {
  const isNotice = item.kind === "system" && draft.to.messages.at(message)?.role !== "system";
  return isNotice ? noticesOf(item) : partsOf(item, open);
}

/** Stores the place, and the parts that the end of the turn must close. */
function keep(draft: Draft, itemId: string, place: ContentPlace): void {
  const key = keyOf.item(itemId);
  remember(draft, key, place);
  for (const index of place.parts) {
    if (place.isOpen) leaveOpen(draft, `${key} ${index}`, { ...place.home, index });
    else finish(draft, `${key} ${index}`);
  }
}

/** A delta of the base schema does not name its stream. */
function streamOf(draft: Draft, { home, parts }: ContentPlace, { part }: ItemDeltaData) {
  const index = parts.at(-1);
  const stream = part ?? (index === undefined ? undefined : partAt(draft, { ...home, index }));
  return stream?.type === "reasoning" ? "reasoning" : "text";
}

function textPart(type: "text" | "reasoning", id: string, text: string, visibility: Visibility): ChatPart {
  return type === "text" ? { type, id, text, open: true } : { type, id, text, visibility, open: true };
}

function closed(part: ChatPart): ChatPart {
  return (part.type === "text" || part.type === "reasoning") && part.open ? { ...part, open: false } : part;
}

function isBlank(part: ChatPart): boolean {
  return (part.type === "text" || part.type === "reasoning") && part.text === "";
}

/** The id of a part: the item's id, with a number for further parts. */
export function partId(itemId: string, index: number): string {
  return index === 0 ? itemId : `${itemId}.${index + 1}`;
}

/** The parts that show the content of an item. `open`: more text may follow. */
export function partsOf({ item_id, content, kind }: UniversalItem, open: boolean): readonly ChatPart[] {
  return content.map((part, index) => {
    const shown = partOf(part, partId(item_id, index), open);
    return shown.type === "data" && kind === "message" ? { ...shown, extra: true } : shown;
  });
}

/** Inside an answer, system messages become statuses, because they are not text of the agent. */
function noticesOf({ item_id, content }: UniversalItem): readonly ChatPart[] {
  return content.map((part, index) => {
    const id = partId(item_id, index);
    if (part.type !== "text") return partOf(part, id, false);
    return { type: "status", id, label: "system", detail: part.text };
  });
}

function partOf(part: ContentPart, id: string, open: boolean): ChatPart {
  switch (part.type) {
    case "text":
      return {
        type: "text",
        id,
        text: part.text,
        open,
        ...(part.annotations ? { annotations: part.annotations } : {}),
      };
    case "reasoning":
      return { type: "reasoning", id, text: part.text, visibility: part.visibility, open };
    case "file_ref": {
      const { path, action, diff } = part;
      const file = { type: "file", id, path, mediaType: mediaTypeOf(path), action } as const;
      return diff === null ? file : { ...file, diff };
    }
    case "image":
      return { type: "file", id, path: part.path, mediaType: part.mime ?? mediaTypeOf(part.path) };
    case "json":
      return { type: "data", id, json: part.json };
    case "status":
      return { type: "status", id, label: part.label, detail: part.detail };
    // Calls and results have items of their own.
    case "tool_call":
    case "tool_result":
      return { type: "data", id, json: part };
  }
}

function mediaTypeOf(path: string): string | null {
  return /^data:([\w.+-]{1,127}\/[\w.+-]{1,127})[;,]/i.exec(path)?.[1] ?? null;
}

/** Whether both parts are equal, field by field. */
export function samePart(one: ChatPart, other: ChatPart | undefined): boolean {
  if (one === other) return true;
  if (other === undefined) return false;
  const fields = Object.entries(one);
  return (
    fields.length === Object.keys(other).length &&
    fields.every(([name, value]) => Object.is(value, Reflect.get(other, name)))
  );
}
