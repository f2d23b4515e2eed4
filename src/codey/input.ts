// Checks a prompt, and builds its frame.
import { type Checks, checkFields, checks, describe, isObject } from "../core/checks.ts";
import { InvalidInputError, PayloadTooLargeError } from "../core/errors.ts";
import { utf8Length, wellFormed } from "../core/text.ts";
import { type PromptOf, readPromptText } from "../core/turn/prompt-input.ts";
import { encode, isU32, MAX_U32 } from "./messages.ts";

/** A prompt in Codey's own form. */
export interface CodeyPromptInput {
  /** The user's text. Not blank: the model's API refuses a blank text, also in every later turn of the session. */
  readonly content: string;
  /** The agent to address. The real server ignores this. @default none */
  readonly agentId?: number;
}

/** A checked prompt and its frame. */
export interface CodeyPrompt {
  readonly content: string;
  readonly frame: string;
  readonly bytes: number;
}

const FIELDS: Checks<CodeyPromptInput> = {
  content: checks.text,
  agentId: { expects: `a whole number from 0 to ${MAX_U32}`, holds: isU32 },
};

const HOW_TO_PROMPT = 'Pass a string, or an object such as { content: "Hello" }.';

/**
 * @throws InvalidInputError for a prompt that the server would drop or that would break its session; PayloadTooLargeError above
 * `maxSendBytes`.
 */
export function buildPrompt(input: PromptOf<CodeyPromptInput>, maxSendBytes: number): CodeyPrompt {
  const text = readPromptText(input);
  const given = text === undefined ? (input as CodeyPromptInput) : { content: text };
  if (!isObject(given as unknown))
    throw new InvalidInputError(`the prompt is ${describe(given)}.`, HOW_TO_PROMPT);
  checkFields(given, FIELDS, "prompt field");
  if ((given.content as unknown) === undefined)
    throw new InvalidInputError("the prompt has no `content`.", HOW_TO_PROMPT);
  const content = wellFormed(given.content);
  const frame = encode.sendMessage(content, given.agentId ?? null);
  const bytes = utf8Length(frame);
  if (bytes > maxSendBytes) {
    throw new PayloadTooLargeError(
      `the prompt takes ${bytes} bytes, over the limit of ${maxSendBytes} (\`maxSendBytes\`); send less`,
      { bytes, limit: maxSendBytes },
    );
  }
  return { content, frame, bytes };
}
