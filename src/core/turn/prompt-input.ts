import { isBase64 } from "../bytes.ts";
import { type Checks, checkFields, checks, isObject } from "../checks.ts";
import { InvalidInputError, UnsupportedError } from "../errors.ts";

/** A picture of a prompt. */
export interface PromptImage {
  /** The bytes, base64 or a `data:` URL. */
  readonly data: Uint8Array | string;
  /** Such as `image/png`. @default what the `data:` URL says, else what the backend's client finds out */
  readonly mediaType?: string;
}

/** A prompt that every client takes. */
export interface PromptInput {
  /** What the user says; not blank. */
  readonly text: string;
  /** Pictures, where `capabilities.images` says so; elsewhere they are an UnsupportedError. */
  readonly images?: readonly PromptImage[];
}

/** What `prompt()` takes: a text, the form that every client takes, or the protocol's own; not a mixture. */
export type PromptOf<Input> =
  | string
  | (PromptInput & { readonly [Name in Exclude<keyof Input, keyof PromptInput>]?: never })
  | (Input & { readonly [Name in keyof PromptInput]?: never });

const FIELDS: Checks<PromptInput> = { text: checks.text, images: checks.objects };
const DATA_URL = /^data:/i;

const IMAGE_FIELDS: Checks<PromptImage> = {
  data: {
    expects: "bytes, base64 or a `data:` URL",
    holds: (value) =>
      typeof value === "string"
        ? DATA_URL.test(value) || (value !== "" && isBase64(value))
        : value instanceof Uint8Array && value.length > 0,
  },
  mediaType: checks.text,
};

/**
 * A text or the form that every client takes, as that form; `undefined` for the protocol's own form.
 * @throws InvalidInputError for a field that does not exist or is wrong.
 */
export function readPromptInput(input: unknown): PromptInput | undefined {
  if (typeof input === "string") return { text: input }; // whether it is blank, the protocol checks
  if (!isObject(input) || !("text" in input || "images" in input)) return undefined;
  checkFields(input as unknown as PromptInput, FIELDS, "prompt field");
  const { text, images = [] } = input as unknown as PromptInput;
  if ((text as unknown) === undefined)
    throw new InvalidInputError(
      "the prompt has no `text`.",
      'Pass a string, or an object such as { text: "Hello" }.',
    );
  return images.length === 0 ? { text } : { text, images: images.map(readImage) };
}

function readImage(image: PromptImage): PromptImage {
  checkFields(image, IMAGE_FIELDS, "image field");
  const { data } = image;
  if ((data as unknown) === undefined)
    throw new InvalidInputError(
      "an image has no `data`.",
      "Pass { data } with bytes, base64 or a `data:` URL.",
    );
  return typeof data === "string" ? { ...image, data: data.replace(DATA_URL, "data:") } : image;
}

/**
 * The same where the protocol has no pictures.
 * @throws UnsupportedError for a prompt that has one
 */
export function readPromptText(input: unknown): string | undefined {
  const given = readPromptInput(input);
  if (given?.images) {
    throw new UnsupportedError(
      "this backend takes no pictures.",
      "Leave `images` out; `client.capabilities.images` says where they work.",
    );
  }
  return given?.text;
}
