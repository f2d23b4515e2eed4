import type { ItemDeltaData, UniversalItem } from "../universal/events.ts";
import { completeContent, growContent, startContent } from "./content-items.ts";
import { type Draft, type Home, keyOf, MAX_DEPTH } from "./draft.ts";
import { completeAgent, completeStatus, startStatus } from "./status-items.ts";
import { completeCall, completeResult, growCall, growResult, startCall, startResult } from "./tool-items.ts";
import { answerOf } from "./turn-messages.ts";
import { completePrompt, startPrompt } from "./user-messages.ts";

/** A second start of an item is ignored. */
export function startItem(draft: Draft, item: UniversalItem): void {
  if (draft.book.places.get(keyOf.item(item.item_id))) return;
  const home = () => homeOf(draft, item);
  switch (item.kind) {
    case "message":
      if (item.role === "user") startPrompt(draft, item);
      else startContent(draft, item, home());
      return;
    case "tool_call":
      startCall(draft, item, home());
      return;
    case "tool_result":
      startResult(draft, item, home);
      return;
    case "status":
      // A status between turns, such as `connection.lost`, makes no message.
      if (draft.book.turn) startStatus(draft, item, home);
      return;
    case "system":
      startContent(draft, item, draft.book.turn ? home() : null);
      return;
    case "unknown":
      if (draft.book.turn) startContent(draft, item, home());
      return;
  }
}

/** A delta of an unknown or completed item is ignored. */
export function growItem(draft: Draft, data: ItemDeltaData): void {
  const place = draft.book.places.get(keyOf.item(data.item_id));
  switch (place?.kind) {
    case "content":
      growContent(draft, place, data);
      return;
    case "call":
      growCall(draft, place, data);
      return;
    case "result":
      growResult(draft, place, data.delta);
      return;
    case "user":
    case "agent":
    case "status":
    case "permission":
    case "question":
    case undefined:
      return;
  }
}

/** An item whose start is missing starts and completes at once. */
export function completeItem(draft: Draft, item: UniversalItem): void {
  const key = keyOf.item(item.item_id);
  if (!draft.book.places.get(key)) startItem(draft, item);
  const place = draft.book.places.get(key);
  switch (place?.kind) {
    case "user":
      completePrompt(draft, place.message, item);
      return;
    case "content":
      completeContent(draft, place, item);
      return;
    case "agent":
      completeAgent(draft, place.spot, item);
      return;
    case "status":
      completeStatus(draft, place.spot, item);
      return;
    case "call":
      completeCall(draft, place, item);
      return;
    case "result":
      completeResult(draft, place, item);
      return;
    case "permission":
    case "question":
    case undefined:
      return;
  }
}

/** Inside the sub-agent that the item belongs to; else beside the parent; else in the message of the turn. */
function homeOf(draft: Draft, { item_id, parent_id }: UniversalItem): Home {
  const parent = parent_id === null ? undefined : draft.book.places.get(keyOf.item(parent_id));
  switch (parent?.kind) {
    case "agent": {
      const { message, path, index } = parent.spot;
      return { message, path: path.length < MAX_DEPTH ? [...path, index] : path };
    }
    case "content":
      return parent.home;
    case "call":
    case "result":
    case "status":
    case "permission":
    case "question": {
      const { message, path } = parent.spot;
      return { message, path };
    }
    case "user":
    case undefined:
      return { message: answerOf(draft, item_id), path: [] };
  }
}
