import { checks, describe } from "../../src/core/checks.ts";
import { InvalidInputError, PayloadTooLargeError } from "../../src/core/errors.ts";
import { randomId } from "../../src/core/random-id.ts";
import { utf8Length, wellFormed } from "../../src/core/text.ts";
import { type PromptInput, readPromptText } from "../../src/core/turn/prompt-input.ts";
import { encode } from "./messages.ts";

/** A prompt that can be sent. */
export interface EchoPrompt {
  readonly id: string;
  readonly text: string;
  readonly frame: string;
  readonly bytes: number;
}

/**
 * @param conversation the id of the conversation that the prompt belongs to
 * @throws InvalidInputError for what is no prompt; PayloadTooLargeError above `maxSendBytes`
 */
export function buildPrompt(
  input: string | PromptInput,
  maxSendBytes: number,
  conversation?: string,
): EchoPrompt {
  const given = readPromptText(input);
  if (!checks.text.holds(given)) {
    const what = describe(given === undefined ? input : given);
    throw new InvalidInputError(`the prompt is ${what}.`, 'Pass a text such as "Hello".');
  }
  const id = randomId("turn");
  const text = wellFormed(String(given));
  const frame = encode.prompt(id, text, conversation);
  const bytes = utf8Length(frame);
  if (bytes <= maxSendBytes) return { id, text, frame, bytes };
  const message = `the prompt takes ${bytes} bytes, and \`maxSendBytes\` is ${maxSendBytes}; send less`;
  throw new PayloadTooLargeError(message, { bytes, limit: maxSendBytes });
}
