// The checked form of a prompt that every client accepts.
import { isBase64 } from "../bytes.ts";
import { type Check, type Checks, checkFields, checks, describe, isObject, type Only } from "../checks.ts";
import { InvalidInputError, UnsupportedError } from "../errors.ts";

/** An image in a prompt. */
export interface PromptImage {
  /** Bytes, base64 text, or a `data:` URL. */
  readonly data: Uint8Array | string;
  /** Such as `image/png`. @default the type in the `data:` URL, otherwise the type that is detected */
  readonly mediaType?: string;
}

/** A prompt that every client accepts. */
export interface PromptInput {
  /** The user's text. Must not be blank. */
  readonly text: string;
  /** Images. They need `capabilities.images`, otherwise they throw an UnsupportedError. */
  readonly images?: readonly PromptImage[];
}

/** The input of `prompt()`: a text, a {@link PromptInput}, or the protocol's own form, never mixed. */
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
 * Reads a text or a `PromptInput`. Returns undefined for the protocol's own form.
 * @param options the names of prompt options, which are refused as fields of the prompt
 * @throws InvalidInputError for an unknown or wrong field.
 */
export function readPromptInput(
  input: unknown,
  options: Readonly<Record<string, Check>> = {},
): PromptInput | undefined {
  if (typeof input === "string") return { text: input }; // the protocol checks for blank text
  if (!isObject(input) || !("text" in input || "images" in input)) return undefined;
  refuseOptions(input, options);
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

/** Reads the text of a prompt. @throws UnsupportedError for a prompt with images */
export function readPromptText(input: unknown): string | undefined {
  const given = readPromptInput(input);
  if (given?.images) {
    throw new UnsupportedError(
      "this backend takes no images.",
      "Leave `images` out; `client.capabilities.images` says whether a backend takes images.",
    );
  }
  return given?.text;
}

/**
 * Checks a prompt in the protocol's own form.
 * @param options the names of prompt options, which are refused as fields of the prompt
 * @param how what the caller should pass
 * @throws InvalidInputError if the value is not a prompt, and for an unknown or wrong field.
 */
export function checkOwnPrompt<Input extends object, Table extends Checks<Input>>(
  prompt: Input,
  expected: Table & Only<Input, Table>,
  options: Readonly<Record<string, Check>>,
  how: string,
): void {
  if (!isObject(prompt as unknown)) throw new InvalidInputError(`the prompt is ${describe(prompt)}.`, how);
  refuseOptions(prompt, options);
  checkFields<Input, Table>(prompt, expected, "prompt field");
}

function refuseOptions(prompt: object, options: Readonly<Record<string, Check>>): void {
  const misplaced = Object.keys(prompt).find((name) => Object.hasOwn(options, name));
  if (misplaced === undefined) return;
  throw new InvalidInputError(
    `\`${misplaced}\` is an option, not a part of the prompt.`,
    `Pass it after the prompt: client.prompt("...", { ${misplaced}: ... }).`,
  );
}
