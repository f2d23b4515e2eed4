import type { ContentPart, UniversalItem } from "../../universal/events.ts";
import type { ChatPart } from "./message.ts";

/** The id of a part: of its item, and for further parts of the item with a number. */
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

/** Inside an answer, words of the system are no words of the agent. */
export function noticesOf({ item_id, content }: UniversalItem): readonly ChatPart[] {
  return content.map((part, index) => {
    const id = partId(item_id, index);
    if (part.type !== "text") return partOf(part, id, false);
    return { type: "status", id, label: "system", detail: part.text };
  });
}

function partOf(part: ContentPart, id: string, open: boolean): ChatPart {
  switch (part.type) {
    case "text":
      return { type: "text", id, text: part.text, open };
    case "reasoning":
      return { type: "reasoning", id, text: part.text, visibility: part.visibility, open };
    case "file_ref": {
      const { path, action, diff } = part;
      return {
        type: "file",
        id,
        path,
        mediaType: mediaTypeOf(path),
        action,
        ...(diff === null ? {} : { diff }),
      };
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

/** The media type in a `data:` URL. */
function mediaTypeOf(path: string): string | null {
  return /^data:([\w.+-]{1,127}\/[\w.+-]{1,127})[;,]/i.exec(path)?.[1] ?? null;
}

/** Whether both show the same, field by field. */
export function samePart(one: ChatPart, other: ChatPart | undefined): boolean {
  if (one === other) return true;
  if (other === undefined) return false;
  const fields = Object.entries(one);
  return (
    fields.length === Object.keys(other).length &&
    fields.every(([name, value]) => Object.is(value, Reflect.get(other, name)))
  );
}
