// Maps media and files to AG-UI.
import type { ContentPart as AgUiPart } from "@ag-ui/core";
import type { ContentPart } from "../universal/events.ts";

/** The content of a tool message: its text, or parts if the tool returned media. */
export function resultContent(output: string, content: readonly ContentPart[]): string | AgUiPart[] {
  const media = content.flatMap((part): AgUiPart[] => {
    if (part.type === "image") return mediaPart(part.path, part.mime ?? "image/*");
    return part.type === "file_ref" && part.diff === null ? mediaPart(part.path, "") : [];
  });
  return media.length === 0 ? output : [{ type: "text", text: output }, ...media];
}

/** None for a path: a browser cannot open a file of the agent's machine. */
function mediaPart(path: string, mime: string): AgUiPart[] {
  const [head = "", data] = /^data:/i.test(path) ? path.slice(5).split(";base64,", 2) : [];
  if (data === undefined && !/^https?:/i.test(path)) return [];
  const mimeType = head.split(";", 1)[0] || mime;
  const source =
    data === undefined
      ? { type: "url" as const, value: path, ...(/^$|\*/.test(mimeType) ? {} : { mimeType }) }
      : { type: "data" as const, value: data, mimeType };
  const kind = mimeType.slice(0, mimeType.indexOf("/"));
  return [{ type: kind === "image" || kind === "audio" || kind === "video" ? kind : "document", source }];
}

/** A file or an image, as the content of an activity. */
export function fileContent(part: ContentPart): Record<string, unknown> | undefined {
  if (part.type === "image") return { path: part.path, mediaType: part.mime };
  if (part.type !== "file_ref") return undefined;
  const { path, action, diff } = part;
  return { path, mediaType: null, action, ...(diff === null ? {} : { diff }) };
}
