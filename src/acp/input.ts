// Checks a prompt, and builds its blocks.
import { basename, isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import { fromBase64, HEAD_BASE64, imageTypeOf, isBase64, toBase64 } from "../core/bytes.ts";
import { type Check, checks, describe } from "../core/checks.ts";
import { TURN_CHECKS } from "../core/client/options.ts";
import { InvalidInputError, PayloadTooLargeError, UnsupportedError } from "../core/errors.ts";
import { utf8Length } from "../core/text.ts";
import {
  checkOwnPrompt,
  type PromptImage,
  type PromptOf,
  readPromptInput,
} from "../core/turn/prompt-input.ts";
import type { TurnOptions } from "../core/turn/turn.ts";
import type { AcpAgent } from "./agent.ts";
import { type AcpContentBlock, readBlock } from "./blocks.ts";

/** A prompt in the protocol's own form. */
export interface AcpPromptInput {
  /** The parts of the prompt. Text and links are always allowed; others if the agent takes them. */
  readonly blocks: readonly AcpContentBlock[];
}

/** Options of one prompt. */
export interface AcpPromptOptions {
  /** Absolute paths of files, which the agent reads by itself: sent as links. @default none */
  readonly files?: readonly string[];
}

export const ACP_PROMPT_CHECKS = {
  ...TURN_CHECKS,
  files: {
    expects: "an array of absolute paths",
    holds: (value) =>
      Array.isArray(value) &&
      value.every((path) => typeof path === "string" && isAbsolute(path) && !path.includes("\0")),
  },
} satisfies Record<keyof (AcpPromptOptions & TurnOptions), Check>;

export interface AcpPrompt {
  readonly text: string;
  readonly blocks: readonly AcpContentBlock[];
  readonly bytes: number;
}

const HOW = 'Pass a string, or an object such as { text: "Fix the tests" }.';

/** @throws InvalidInputError for a prompt that is empty or cannot be read; PayloadTooLargeError */
export function buildPrompt(
  input: PromptOf<AcpPromptInput>,
  { files = [] }: AcpPromptOptions,
  maxBytes: number,
): AcpPrompt {
  const given = readPromptInput(input, ACP_PROMPT_CHECKS);
  const own = given ? [] : ownBlocks(input as AcpPromptInput);
  if (given && given.text.trim() === "" && !given.images)
    throw new InvalidInputError(`the prompt is ${describe(given.text)}.`, HOW);
  const links = files.map((path) => ({
    type: "resource_link" as const,
    uri: pathToFileURL(path).href,
    name: basename(path),
  }));
  const blocks: readonly AcpContentBlock[] = [
    ...(given && given.text !== "" ? [{ type: "text" as const, text: given.text }] : []),
    ...(given?.images ?? []).map(imageBlock),
    ...own,
    ...links,
  ];
  const bytes = utf8Length(JSON.stringify(blocks));
  if (bytes > maxBytes)
    throw new PayloadTooLargeError(`the prompt takes ${bytes} bytes; put what is long into a file`, {
      bytes,
      limit: maxBytes,
    });
  const text = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  return { text, blocks, bytes };
}

function ownBlocks(input: AcpPromptInput): readonly AcpContentBlock[] {
  checkOwnPrompt(input, { blocks: checks.objects }, ACP_PROMPT_CHECKS, HOW);
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
      "Leave them out, or name the files in the option `files` of the prompt.",
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
