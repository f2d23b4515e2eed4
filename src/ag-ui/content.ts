// Maps media, files and token counts to AG-UI.
import type { ContentPart as AgUiPart, TokenUsage } from "@ag-ui/core";
import { defined } from "../core/checks.ts";
import type { ContentPart, TurnEndMetadata } from "../universal/events.ts";

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

/** The tokens of a turn. Counts that are not whole numbers are left out, because AG-UI refuses them. */
export function usageOf({ usage = {}, model }: TurnEndMetadata): TokenUsage[] | undefined {
  const [input, output] = [count(usage.input_tokens), count(usage.output_tokens)];
  const counts = defined({
    inputTokens: input,
    outputTokens: output,
    totalTokens: input === undefined || output === undefined ? undefined : count(input + output),
    cachedInputTokens: count(usage.cache_read_tokens),
    cacheWriteInputTokens: count(usage.cache_write_tokens),
  });
  if (Object.keys(counts).length === 0) return undefined;
  return [typeof model === "string" ? { model, ...counts } : counts];
}

function count(tokens: number | undefined): number | undefined {
  return tokens !== undefined && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : undefined;
}
