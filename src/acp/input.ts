// Checks a prompt, and builds its blocks.
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { fromBase64, HEAD_BASE64, imageTypeOf, isBase64, toBase64 } from "../core/bytes.ts";
import { checks, describe } from "../core/checks.ts";
import { TURN_CHECKS } from "../core/client/options.ts";
import { InvalidInputError, PayloadTooLargeError, UnsupportedError } from "../core/errors.ts";
import { utf8Length } from "../core/text.ts";
import type { PromptFile } from "../core/turn/prompt-files.ts";
import {
  checkOwnPrompt,
  type PromptImage,
  type PromptOf,
  readPromptInput,
} from "../core/turn/prompt-input.ts";
import type { AcpAgent } from "./agent.ts";
import { type AcpContentBlock, readBlock } from "./blocks.ts";

/**
 * A prompt in the protocol's own form, in place of a text or `{ text, images, files }`. Files are paths in `cwd`: what the
 * tools of the option `files` may not read fails the turn, unsent. An agent that takes texts (`embeddedContext`) gets
 * theirs; otherwise it gets links, and reads them itself.
 */
export interface AcpPromptInput {
  /**
   * The parts of the prompt. Text and links are always allowed, and links are not checked; others if the agent takes
   * them, else the prompt is refused, unsent.
   */
  readonly blocks: readonly AcpContentBlock[];
}

export interface AcpPrompt {
  readonly text: string;
  readonly blocks: readonly AcpContentBlock[];
  readonly bytes: number;
  /** The paths of its files, which are read before the prompt is sent. */
  readonly files: readonly string[];
}

const HOW = 'Pass a string, or an object such as { text: "Fix the tests" }.';

/** @throws InvalidInputError for a prompt that is empty or cannot be read; UnsupportedError for files; PayloadTooLargeError */
export function buildPrompt(
  input: PromptOf<AcpPromptInput>,
  { maxBytes, takesFiles }: { readonly maxBytes: number; readonly takesFiles: boolean },
): AcpPrompt {
  const given = readPromptInput(input, TURN_CHECKS, takesFiles);
  const own = given ? [] : ownBlocks(input as AcpPromptInput);
  if (given && given.text.trim() === "" && !given.images)
    throw new InvalidInputError(`the prompt is ${describe(given.text)}.`, HOW);
  const blocks: readonly AcpContentBlock[] = [
    ...(given && given.text !== "" ? [{ type: "text" as const, text: given.text }] : []),
    ...(given?.images ?? []).map(imageBlock),
    ...own,
  ];
  const text = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  return { text, blocks, bytes: checkedSize(blocks, maxBytes), files: given?.files ?? [] };
}

/** The size of the blocks in bytes. @throws PayloadTooLargeError */
function checkedSize(blocks: readonly AcpContentBlock[], limit: number): number {
  const bytes = utf8Length(JSON.stringify(blocks));
  if (bytes <= limit) return bytes;
  throw new PayloadTooLargeError(`the prompt takes ${bytes} bytes; put what is long into a file`, {
    bytes,
    limit,
  });
}

/**
 * The prompt with its files: their texts if the agent takes such parts, otherwise links, which the agent reads by itself.
 * @throws PayloadTooLargeError
 */
export function withFileBlocks(
  prompt: AcpPrompt,
  files: readonly PromptFile[],
  agent: AcpAgent | undefined,
  maxBytes: number,
): AcpPrompt {
  if (files.length === 0) return prompt;
  const blocks = [...prompt.blocks, ...files.map((file) => fileBlock(file, agent?.prompts.embeddedContext))];
  return { ...prompt, blocks, bytes: checkedSize(blocks, maxBytes) };
}

function fileBlock({ location, text }: PromptFile, takesTexts = false): AcpContentBlock {
  const uri = pathToFileURL(location).href;
  if (takesTexts && text !== undefined) return { type: "resource", resource: { uri, text } };
  return { type: "resource_link", uri, name: basename(location) };
}

function ownBlocks(input: AcpPromptInput): readonly AcpContentBlock[] {
  checkOwnPrompt(input, { blocks: checks.objects }, TURN_CHECKS, HOW);
  const blocks = (input.blocks as readonly AcpContentBlock[] | undefined) ?? [];
  for (const [at, block] of blocks.entries())
    if (readBlock(block).type === "unknown")
      throw new InvalidInputError(
        `blocks[${at}] is no content of ACP.`,
        'Pass one such as { type: "text", text: "Hello" }.',
      );
  if (!blocks.some((block) => block.type !== "text" || block.text.trim() !== ""))
    throw new InvalidInputError("the prompt says nothing.", HOW);
  return blocks;
}

/** An image as base64 with its type, as given or by its first bytes. */
function imageBlock({ data, mediaType }: PromptImage): AcpContentBlock {
  const text = typeof data === "string" ? data : toBase64(data);
  const comma = text.startsWith("data:") ? text.indexOf(",") : -1;
  const encoded = text.slice(comma + 1);
  const [named = ""] = text.slice("data:".length, Math.max(comma, "data:".length)).split(";", 1);
  const mimeType = mediaType ?? (named || imageTypeOf(fromBase64(encoded.slice(0, HEAD_BASE64))));
  if (mimeType === undefined || !isBase64(encoded))
    throw new InvalidInputError(
      "an image has no known type, or is no base64.",
      "Pass { data, mediaType } with bytes, base64 or a `data:` URL in base64.",
    );
  return { type: "image", data: encoded, mimeType };
}

/** Why the agent does not take a prompt. Undefined if it does. */
export function lackedBy({ blocks }: AcpPrompt, { prompts, name }: AcpAgent): UnsupportedError | undefined {
  for (const { type } of blocks) {
    const isTaken =
      type === "image"
        ? prompts.image
        : type === "audio"
          ? prompts.audio
          : type !== "resource" || prompts.embeddedContext;
    if (isTaken) continue;
    const what = type === "image" ? "images" : type === "audio" ? "sounds" : "embedded resources";
    return new UnsupportedError(
      `${name} takes no ${what}.`,
      "Leave them out, or name files of the folder: `{ text, files }`.",
    );
  }
  return undefined;
}

/** The text and images of a prompt, for universal events. */
export function saidInBlocks({ blocks }: AcpPromptInput): {
  readonly text: string;
  readonly images?: readonly { readonly path: string; readonly mime: string | null }[];
} {
  const text = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  const images = blocks.flatMap((block) =>
    block.type === "image"
      ? [{ path: `data:${block.mimeType};base64,${block.data}`, mime: block.mimeType }]
      : [],
  );
  return images.length === 0 ? { text } : { text, images };
}
