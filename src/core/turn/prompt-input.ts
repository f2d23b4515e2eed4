import { type Checks, checkFields, checks, isObject } from "../checks.ts";
import { UnsupportedError } from "../errors.ts";

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

/** What `prompt()` takes: a text, the form that every client takes, or the protocol's own. */
export type PromptOf<Input> = string | PromptInput | Input;

const FIELDS: Checks<PromptInput> = { text: checks.text, images: checks.objects };
const IMAGE_FIELDS: Checks<PromptImage> = { data: checks.any, mediaType: checks.text };

/**
 * The form that every client takes; `undefined` for a text and for the protocol's own form.
 * @throws InvalidInputError for a field that does not exist or is wrong.
 */
export function readPromptInput(input: unknown): PromptInput | undefined {
  if (!isObject(input) || !("text" in input)) return undefined;
  checkFields(input as unknown as PromptInput, FIELDS, "prompt field");
  const { text, images } = input as unknown as PromptInput;
  for (const image of images ?? []) checkFields(image, IMAGE_FIELDS, "image field");
  return images?.length ? { text, images } : { text };
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
