// A prompt of the user, checked and copied, and the message that shows it.
import { describe, isObject } from "../core/checks.ts";
import { InvalidInputError, isAgentwireError } from "../core/errors.ts";
import { type PromptInput, readPromptInput } from "../core/turn/prompt-input.ts";
import { imageOf } from "../universal/listen/user-input.ts";
import { listOf } from "../universal/transcript/list.ts";
import type { ChatFilePart, ChatMessage, ChatPart } from "../universal/transcript/message.ts";

/** A checked copy of a prompt, safe from changes by the caller. Images are `data:` URLs. */
export interface ChatPrompt {
  readonly text: string;
  readonly images: readonly ChatImage[];
  /** Paths in the folder of the client. */
  readonly files: readonly string[];
}

interface ChatImage {
  readonly url: string;
  readonly mediaType: string;
}

/** @throws InvalidInputError unless the input is a text that is not blank, or `{ text, images?, files? }` */
export function readPrompt(input: unknown): ChatPrompt {
  try {
    const given = readPromptInput(isObject(input) ? { text: undefined, ...input } : input, {}, true);
    if (given) {
      const { text, images = [], files = [] } = given;
      return { text: notBlank(text), images: images.map(readImage), files };
    }
  } catch (cause) {
    if (isAgentwireError(cause)) throw cause;
    throw new InvalidInputError("the prompt cannot be read.", HINT, { cause }); // a getter threw
  }
  throw new InvalidInputError(`the prompt is ${describe(input)}.`, HINT);
}

const HINT = 'Pass a string, or an object such as { text: "Hello" }.';

function notBlank(text: string): string {
  if (text.trim() !== "") return text;
  throw new InvalidInputError(`the prompt is ${describe(text)}.`, "Write what the agent is to do.");
}

function readImage(image: { readonly data: unknown; readonly mediaType?: string | null }): ChatImage {
  const { path, mime } = imageOf(image);
  if (mime !== null) return { url: path, mediaType: mime };
  if (image.data === path) return { url: path, mediaType: UNKNOWN };
  throw new InvalidInputError(
    "an image has no `mediaType`, and its first bytes do not show the type.",
    "Pass `mediaType`, such as `image/png`.",
  );
}

/** The type of a `data:` URL that names none. RFC 2397 would say `text/plain`, which is not an image type. */
const UNKNOWN = "application/octet-stream";

/** The prompt as every client accepts it. `before` is put in front of the text. */
export function toInput({ text, images, files }: ChatPrompt, before = ""): string | PromptInput {
  const whole = before + text;
  if (images.length === 0 && files.length === 0) return whole;
  const pictures = images.map(({ url, mediaType }) => ({ data: url, ...typed(mediaType) }));
  return {
    text: whole,
    ...(images.length === 0 ? {} : { images: pictures }),
    ...(files.length === 0 ? {} : { files }),
  };
}

const typed = (mediaType: string): { mediaType?: string } => (mediaType === UNKNOWN ? {} : { mediaType });

/** The message that shows a prompt. */
export function messageOf(id: string, { text, images, files }: ChatPrompt, startedAt: number): ChatMessage {
  const parts: ChatPart[] = [{ type: "text", id: `${id}/text`, text, open: false }];
  for (const [at, { url, mediaType }] of images.entries())
    parts.push({ type: "file", id: `${id}/image-${at + 1}`, path: url, mediaType });
  for (const [at, path] of files.entries())
    parts.push({ type: "file", id: `${id}/file-${at + 1}`, path, mediaType: null, action: "read" });
  return { id, role: "user", status: "queued", parts: listOf(parts), startedAt };
}

/** The prompt that a message of the user shows. @throws InvalidInputError for an image by path or URL */
export function promptOf({ parts }: ChatMessage): ChatPrompt {
  let text = "";
  const images: ChatImage[] = [];
  const files: string[] = [];
  for (const part of parts) {
    if (part.type === "text") text += part.text;
    if (part.type !== "file") continue;
    if (part.action === "read") files.push(part.path);
    else images.push(shownImage(part));
  }
  return { text: notBlank(text), images, files };
}

function shownImage({ path, mediaType }: ChatFilePart): ChatImage {
  if (/^data:/i.test(path)) return readImage({ data: path, mediaType });
  throw new InvalidInputError(
    "the message has only the path or URL of an image, not its bytes.",
    "Send the image again.",
  );
}
