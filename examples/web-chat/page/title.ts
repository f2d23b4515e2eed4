import { inert } from "agentwire/chat";
import type { UniversalEvent } from "agentwire/universal";

export const NEW_TITLE = "New conversation";

/** Characters of a title: one line of the list. */
const MAX_TITLE = 60;

/** The title of a chat behind these events: the backend's, otherwise the beginning of the first prompt. */
export function titleIn(events: readonly UniversalEvent[], before: string | undefined): string {
  let title = before ?? NEW_TITLE;
  for (const event of events) {
    if (event.type !== "item.started" && event.type !== "item.completed") continue;
    const { role, content } = event.data.item;
    for (const part of content) {
      if (part.type === "status" && part.label === "title" && part.detail) title = oneLine(part.detail);
      else if (part.type === "text" && role === "user" && title === NEW_TITLE) title = oneLine(part.text);
    }
  }
  return title;
}

function oneLine(text: string): string {
  const line = inert(text, { keepNewlines: false }).trim();
  if (line === "") return NEW_TITLE;
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1)}…` : line;
}
