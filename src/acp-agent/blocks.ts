// Pure: content of messages and of tool calls, as ACP has it.
import type { ContentBlock, ToolCallContent } from "@agentclientprotocol/sdk";
import { wholeStart } from "../core/text.ts";
import type { ToolPreview } from "../core/values.ts";
import type { Annotation, ContentPart, FileRefPart, ImagePart } from "../universal/events.ts";

export const textContent = (text: string): ContentBlock => ({ type: "text", text });

const DATA_URL = /^data:([^;,]*)(?:;[^,]*)?;base64,(.*)$/is;

/** An image or a sound by its bytes, anything else by its address. */
export function mediaBlock(path: string, mime: string | null): ContentBlock {
  const [, written = "", data = ""] = DATA_URL.exec(path) ?? [];
  const mimeType = mime ?? written;
  if (data !== "" && mimeType.startsWith("image/")) return { type: "image", data, mimeType };
  if (data !== "" && mimeType.startsWith("audio/")) return { type: "audio", data, mimeType };
  return linkBlock(path, undefined, mimeType);
}

function linkBlock(path: string, title?: string, mimeType = ""): ContentBlock {
  const isData = /^data:/i.test(path);
  const name = title ?? (isData ? "data" : nameIn(path));
  return { type: "resource_link", name, uri: addressOf(path), ...(mimeType === "" ? {} : { mimeType }) };
}

/** The last part of a path. */
export const nameIn = (path: string): string => path.split(/[\\/]/).findLast((part) => part !== "") ?? path;

/** An absolute path as a `file:` URL. An address, and a path in the project, stays as it is. */
function addressOf(path: string): string {
  if (path.startsWith("/")) return `file://${encodeURI(path).replace(/[?#]/g, encodeURIComponent)}`;
  return path;
}

/** A file of an answer: its diff, or a link. */
export function fileBlocks({ path, diff }: FileRefPart): readonly ContentBlock[] {
  if (diff === null) return [mediaBlock(path, null)];
  return [{ type: "resource", resource: { uri: addressOf(path), mimeType: "text/x-diff", text: diff } }];
}

export const imageBlock = ({ path, mime }: ImagePart): ContentBlock => mediaBlock(path, mime);

/** The sources of a text, each once, as links behind the text. */
export function sourceBlocks(annotations: readonly Annotation[] = []): readonly ContentBlock[] {
  const links = new Map(
    annotations.flatMap(({ url, path, title }) => {
      const at = url ?? path;
      return at === undefined ? [] : [[at, linkBlock(at, title)] as const];
    }),
  );
  return [...links.values()];
}

export const callContent = (content: ContentBlock): ToolCallContent => ({ type: "content", content });

/** A unified diff as text. Its fence is longer than any in the diff. */
export function diffText(path: string, diff: string): ContentBlock {
  const longest = Math.max(2, ...[...diff.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return textContent(`${path}\n${fence}diff\n${diff}\n${fence}`);
}

/**
 * What a call would change. ACP's `diff` has both texts. A preview without both texts becomes a unified diff, as text. The
 * old text is absent for a new file, and for a file that is too long to show.
 */
export function previewContent(previews: readonly ToolPreview[] = []): readonly ToolCallContent[] {
  return previews.map(({ path, diff, old_text, new_text }): ToolCallContent => {
    if (new_text !== undefined && (old_text !== undefined || isCreation(diff)))
      return { type: "diff", path, oldText: old_text ?? null, newText: new_text };
    return callContent(diffText(path, diff));
  });
}

/** The names of the files, before the first hunk. Elsewhere such a line deletes a line that begins with `--`. */
const FILE_NAMES = /^--- .*\n\+\+\+ .*\n(?=@@)/;

/** Whether a diff only adds lines, to nothing. */
function isCreation(diff: string): boolean {
  const hunks = diff.replace(FILE_NAMES, "");
  return /^\+/m.test(hunks) && !/^(?:[- ]|@@ -(?!0,0 ))/m.test(hunks);
}

/** Text of at most `max` characters, with a note if it was cut. No character is cut in two. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const start = wholeStart(text, max);
  return `${start}\n[${text.length - start.length} more characters are left out]`;
}

/** What a finished call has brought. */
export interface CallResult {
  readonly content: readonly ToolCallContent[];
  readonly rawOutput?: unknown;
}

/** @param max characters of `output`, and of each diff */
export function callResultOf(content: readonly ContentPart[], output: string, max: number): CallResult {
  const blocks: ContentBlock[] = output === "" ? [] : [textContent(cutText(output, max))];
  const data: unknown[] = [];
  for (const part of content) {
    switch (part.type) {
      case "file_ref":
        blocks.push(
          part.diff === null ? mediaBlock(part.path, null) : diffText(part.path, cutText(part.diff, max)),
        );
        break;
      case "image":
        blocks.push(imageBlock(part));
        break;
      case "json":
        data.push(part.json);
        break;
      case "text":
      case "reasoning":
      case "tool_call":
      case "tool_result":
      case "status":
        break; // of no result
      default:
        part satisfies never;
    }
  }
  const raw = data.length === 1 ? data[0] : data.length > 1 ? data : output;
  return { content: blocks.map(callContent), ...(output.length > max ? {} : { rawOutput: raw }) };
}
