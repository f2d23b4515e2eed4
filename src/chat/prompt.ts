// A prompt of the user, checked and copied; the message that shows it.
import { fromBase64, HEAD_BASE64, imageTypeOf, isBase64, toBase64 } from "../core/bytes.ts";
import { type Checks, checkFields, checks, describe, isObject } from "../core/checks.ts";
import { InvalidInputError, isAgentwireError } from "../core/errors.ts";
import type { PromptImage, PromptInput } from "../core/turn/prompt-input.ts";
import { listOf } from "../universal/transcript/list.ts";
import type { ChatFilePart, ChatMessage, ChatPart } from "../universal/transcript/message.ts";

/** A prompt, checked and copied: the caller may change the input while the prompt waits. Images are `data:` URLs. */
export interface ChatPrompt {
  readonly text: string;
  readonly images: readonly ChatImage[];
}

interface ChatImage {
  readonly url: string;
  readonly mediaType: string;
}

const FIELDS: Checks<PromptInput> = { text: checks.text, images: checks.objects };
const IMAGE_FIELDS: Checks<PromptImage> = {
  data: {
    expects: "bytes, base64 or a `data:` URL",
    holds: (value) => typeof value === "string" || value instanceof Uint8Array,
  },
  mediaType: checks.text,
};

const DATA_URL = /^data:([^,;]*)/i;

/** @throws InvalidInputError for anything but a text that is not blank, or `{ text, images? }`. */
export function readPrompt(input: unknown): ChatPrompt {
  try {
    if (typeof input === "string") return { text: notBlank(input), images: [] };
    if (isObject(input)) return readObject(input);
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

function readObject(input: Record<string, unknown>): ChatPrompt {
  const { text, images, ...others } = input;
  checkFields<object, object>({ text, images, ...others }, FIELDS, "prompt field");
  if (typeof text !== "string") throw new InvalidInputError("the prompt has no `text`.", HINT);
  return { text, images: Array.isArray(images) ? images.map(readImage) : [] };
}

function readImage(image: unknown): ChatImage {
  const { data, mediaType, ...others } = isObject(image) ? image : {};
  checkFields<object, object>({ data, mediaType, ...others }, IMAGE_FIELDS, "image field");
  const type = typeof mediaType === "string" ? mediaType : undefined;
  if (data instanceof Uint8Array && data.length > 0) return asUrl(toBase64(data), type);
  if (typeof data === "string") {
    const own = DATA_URL.exec(data);
    if (own) return { url: data, mediaType: type ?? typeOfUrl(own[1]) };
    if (data !== "" && isBase64(data)) return asUrl(data, type);
  }
  throw new InvalidInputError(
    `image field \`data\` is ${describe(data)}.`,
    `It must be ${IMAGE_FIELDS.data.expects}.`,
  );
}

/** The default of RFC 2397 is `text/plain`, which is no type of an image. */
const typeOfUrl = (type: string | undefined): string => (type === undefined || type === "" ? UNKNOWN : type);

const UNKNOWN = "application/octet-stream";

function asUrl(base64: string, given: string | undefined): ChatImage {
  const mediaType = given ?? imageTypeOf(fromBase64(base64.slice(0, HEAD_BASE64)));
  if (mediaType === undefined)
    throw new InvalidInputError(
      "an image has no `mediaType`, and its first bytes do not show the type.",
      "Pass `mediaType`, such as `image/png`.",
    );
  return { url: `data:${mediaType};base64,${base64}`, mediaType };
}

/** The form that every client takes. `before` goes in front of the text. */
export function toInput({ text, images }: ChatPrompt, before = ""): string | PromptInput {
  const whole = before + text;
  if (images.length === 0) return whole;
  return { text: whole, images: images.map(({ url, mediaType }) => ({ data: url, ...typed(mediaType) })) };
}

const typed = (mediaType: string): { mediaType?: string } => (mediaType === UNKNOWN ? {} : { mediaType });

/** The message that shows a prompt. */
export function messageOf(id: string, { text, images }: ChatPrompt, startedAt: number): ChatMessage {
  const parts: ChatPart[] = [{ type: "text", id: `${id}/text`, text, open: false }];
  for (const [at, { url, mediaType }] of images.entries())
    parts.push({ type: "file", id: `${id}/image-${at + 1}`, path: url, mediaType });
  return { id, role: "user", status: "queued", parts: listOf(parts), startedAt };
}

/**
 * The prompt that a message of the user shows.
 * @throws InvalidInputError if the message shows an image whose bytes are elsewhere: a path or a URL.
 */
export function promptOf({ parts }: ChatMessage): ChatPrompt {
  let text = "";
  const images: ChatImage[] = [];
  for (const part of parts) {
    if (part.type === "text") text += part.text;
    if (part.type === "file") images.push(imageOf(part));
  }
  return { text: notBlank(text), images };
}

function imageOf({ path, mediaType }: ChatFilePart): ChatImage {
  const own = DATA_URL.exec(path);
  if (own) return { url: path, mediaType: mediaType ?? typeOfUrl(own[1]) };
  throw new InvalidInputError("the message names an image, and does not hold it.", "Send the image again.");
}
