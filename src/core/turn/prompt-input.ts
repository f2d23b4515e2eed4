// A prompt in the form that every client takes, checked.
import { isBase64 } from "../bytes.ts";
import { type Check, type Checks, checkFields, checks, describe, isObject, type Only } from "../checks.ts";
import { InvalidInputError, UnsupportedError } from "../errors.ts";

/** An image in a prompt. */
export interface PromptImage {
  /** The bytes, base64 or a `data:` URL. */
  readonly data: Uint8Array | string;
  /** Such as `image/png`. @default the type in the `data:` URL, otherwise the type that the backend's client detects */
  readonly mediaType?: string;
}

/** A prompt that every client takes. */
export interface PromptInput {
  /** The user's text; not blank. */
  readonly text: string;
  /** Images, if `capabilities.images` is true. Otherwise an UnsupportedError. */
  readonly images?: readonly PromptImage[];
}

/** The input of `prompt()`: a text, the form that every client takes, or the protocol's own form. The two forms cannot be mixed. */
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
 * Reads a text, or the form that every client takes; returns `undefined` for the protocol's own form.
 * @throws InvalidInputError for a field that does not exist or is wrong.
 */
export function readPromptInput(input: unknown): PromptInput | undefined {
  if (typeof input === "string") return { text: input }; // the protocol checks for a blank text
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
 * Reads the text of a prompt, for a protocol without images.
 * @throws UnsupportedError for a prompt with images
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

/**
 * Checks a prompt in the protocol's own form.
 * @param options the names of the prompt's options, which have no effect in the prompt itself
 * @param how what a caller should pass
 * @throws InvalidInputError for what is no prompt, and for a field that does not exist or is wrong.
 */
export function checkOwnPrompt<Input extends object, Table extends Checks<Input>>(
  prompt: Input,
  expected: Table & Only<Input, Table>,
  options: Readonly<Record<string, Check>>,
  how: string,
): void {
  if (!isObject(prompt as unknown)) throw new InvalidInputError(`the prompt is ${describe(prompt)}.`, how);
  const misplaced = Object.keys(prompt).find((name) => Object.hasOwn(options, name));
  if (misplaced !== undefined) {
    throw new InvalidInputError(
      `\`${misplaced}\` is an option, and no part of the prompt.`,
      `Pass it behind the prompt: client.prompt("...", { ${misplaced}: ... }).`,
    );
  }
  checkFields<Input, Table>(prompt, expected, "prompt field");
}
