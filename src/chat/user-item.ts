import type { ItemCompleted, ItemStarted, UniversalEvent } from "../universal/events.ts";

/** The id of a message of the user that begins with this event. */
export function userItemStarted(event: UniversalEvent): string | undefined {
  if (event.type !== "item.started") return undefined;
  const { kind, role, item_id } = event.data.item;
  return kind === "message" && role === "user" ? item_id : undefined;
}

/** Whether this event shows the item whole. */
export function isUserItem(event: UniversalEvent, itemId: string): event is ItemStarted | ItemCompleted {
  return (
    (event.type === "item.started" || event.type === "item.completed") && event.data.item.item_id === itemId
  );
}

/** The event with another text: what the user wrote, without what the chat has put in front of it. */
export function withText(event: ItemStarted | ItemCompleted, text: string): ItemStarted | ItemCompleted {
  const { item } = event.data;
  const content = item.content.map((part) => (part.type === "text" ? { ...part, text } : part));
  return { ...event, data: { ...event.data, item: { ...item, content } } };
}
