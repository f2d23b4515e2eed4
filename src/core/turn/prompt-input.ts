// The checked form of a prompt that every client accepts.
import { isBase64 } from "../bytes.ts";
import { type Check, type Checks, checkFields, checks, describe, isObject, type Only } from "../checks.ts";
import { InvalidInputError, UnsupportedError } from "../errors.ts";
import { MAX_PROMPT_FILES, noFiles } from "./prompt-files.ts";

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
  /**
   * Paths of files for the agent, relative to the folder of the client, with `/`. At most 50. They
   * need `capabilities.files`, otherwise they throw an UnsupportedError. If a file does not exist or may not be read, the
   * turn fails with `invalid-input`, and nothing is sent. A run and Codebuff get the texts, and refuse a file that is no
   * text or too large; ACP agents get texts or links.
   */
  readonly files?: readonly string[];
}

/** The input of `prompt()`: a text, a {@link PromptInput}, or the protocol's own form, never mixed. */
export type PromptOf<Input> =
  | string
  | (PromptInput & { readonly [Name in Exclude<keyof Input, keyof PromptInput>]?: never })
  | (Input & { readonly [Name in keyof PromptInput]?: never });

const FIELDS: Checks<PromptInput> = {
  text: checks.text,
  images: checks.objects,
  files: {
    expects: `an array of at most ${MAX_PROMPT_FILES} paths`,
    holds: (value) => Array.isArray(value) && value.length <= MAX_PROMPT_FILES && value.every(isPath),
  },
};

/** The most characters of a path: the limit of Linux. */
const MAX_PATH_LENGTH = 4_096;

const isPath = (path: unknown): boolean =>
  checks.text.holds(path) && String(path).length <= MAX_PATH_LENGTH && !String(path).includes("\0");

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
 * @throws InvalidInputError for an unknown or wrong field; UnsupportedError for files, unless `takesFiles`
 */
export function readPromptInput(
  input: unknown,
  options: Readonly<Record<string, Check>> = {},
  takesFiles = false,
): PromptInput | undefined {
  if (typeof input === "string") return { text: input }; // the protocol checks for blank text
  if (!isObject(input) || !("text" in input || "images" in input || "files" in input)) return undefined;
  refuseOptions(input, options);
  checkFields(input as unknown as PromptInput, FIELDS, "prompt field");
  const { text, images = [], files = [] } = input as unknown as PromptInput;
  if ((text as unknown) === undefined)
    throw new InvalidInputError(
      "the prompt has no `text`.",
      'Pass a string, or an object such as { text: "Hello" }.',
    );
  if (files.length > 0 && !takesFiles) throw noFiles();
  return {
    text,
    ...(images.length === 0 ? {} : { images: images.map(readImage) }),
    ...(files.length === 0 ? {} : { files: [...new Set(files)] }),
  };
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
