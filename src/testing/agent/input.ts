// Reads the prompt and the turn options that a mock client gets.
import type { PromptImage, PromptInput } from "../../core/turn/prompt-input.ts";
import type { TurnOptions } from "../../core/turn/turn.ts";
import { InvalidMockInput } from "../names.ts";
import {
  type Check,
  checkValues,
  isAnything,
  isDelay,
  isFlag,
  isObject,
  isSignal,
  isText,
} from "./checks.ts";
import { unsupported } from "./errors.ts";

const TURN_OPTIONS = {
  signal: isSignal,
  timeout: isDelay,
  idleTimeout: isDelay,
  read: isFlag,
  key: isText,
  branchOf: isText,
  shown: isAnything,
};

const isImages: Check = ["an array of objects", (value) => Array.isArray(value) && value.every(isObject)];
const PROMPT = { text: isText, images: isImages };

const isData: Check = [
  "bytes, base64 or a `data:` URL",
  (value) =>
    typeof value === "string"
      ? /^data:/i.test(value) || /^[\w+/-]+={0,2}$/.test(value)
      : value instanceof Uint8Array && value.length > 0,
];
const IMAGE = { data: isData, mediaType: isText };

/** @throws InvalidInputError for an option that does not exist or is wrong */
export function checkTurnOptions(options: TurnOptions = {}): TurnOptions {
  checkValues(options, TURN_OPTIONS, "option");
  return options;
}

/** A prompt, in the form that every client takes. */
export interface ReadPrompt {
  readonly text: string;
  readonly images: readonly PromptImage[];
}

/**
 * Reads a prompt.
 * @throws InvalidInputError for what is no prompt; UnsupportedError for images that the backend does not take
 */
export function readPrompt(input: string | PromptInput, takesImages: boolean): ReadPrompt {
  if (typeof input === "string") return { text: readText(input), images: [] };
  if (!isObject(input as unknown))
    throw new InvalidMockInput(
      "that is no prompt.",
      'Pass a string, or an object such as { text: "Hello" }.',
    );
  const { text, images = [] } = input;
  checkValues<PromptInput>({ ...input, text: readText(text) }, PROMPT, "prompt field");
  for (const image of images) {
    checkValues<PromptImage>(image, IMAGE, "image field");
    if ((image.data as unknown) === undefined)
      throw new InvalidMockInput(
        "an image has no `data`.",
        "Pass { data } with bytes, base64 or a `data:` URL.",
      );
  }
  if (images.length > 0 && !takesImages)
    throw unsupported(
      "this backend takes no pictures.",
      "Leave `images` out; `client.capabilities.images` says where they work.",
    );
  return { text, images };
}

function readText(text: unknown): string {
  if (typeof text === "string" && text.trim() !== "") return text;
  throw new InvalidMockInput(
    "the prompt has no text.",
    'Pass a string, or an object such as { text: "Hello" }.',
  );
}
