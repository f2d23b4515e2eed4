// The UI messages of a request, and the prompt in a message of the user.
import type { UIMessage } from "ai";
import { describe, fieldsOf, isObject } from "../core/checks.ts";
import { InvalidInputError, UnsupportedError } from "../core/errors.ts";
import type { PromptImage, PromptInput } from "../core/turn/prompt-input.ts";

/** @throws InvalidInputError for anything but a list of UI messages */
export function readUIMessages(messages: unknown): readonly UIMessage[] {
  const hint = "Pass the `messages` of the request, as `useChat` sends them.";
  if (!Array.isArray(messages)) throw new InvalidInputError(`\`messages\` is ${describe(messages)}.`, hint);
  if (!messages.every(isMessage)) throw new InvalidInputError("a message has no list of `parts`.", hint);
  return messages;
}

function isMessage(value: unknown): value is UIMessage {
  const { parts } = fieldsOf(value);
  return Array.isArray(parts) && parts.every(isObject);
}

/**
 * The text and the images of a message. The agent keeps the conversation, so nothing else is sent.
 * @throws InvalidInputError for an image that is no `data:` URL, UnsupportedError for a file that is no image
 */
export function readUserMessage({ parts }: UIMessage): PromptInput {
  const texts: string[] = [];
  const images: PromptImage[] = [];
  for (const part of parts) {
    if (part.type === "text") texts.push(part.text);
    if (part.type === "file") images.push(imageOf(part));
  }
  return { text: texts.join("\n"), ...(images.length > 0 ? { images } : {}) };
}

function imageOf({ url, mediaType }: { readonly url: unknown; readonly mediaType: unknown }): PromptImage {
  if (typeof url !== "string" || typeof mediaType !== "string")
    throw new InvalidInputError(
      "a file has no `url` or no `mediaType`.",
      "Pass the parts as `useChat` sends them.",
    );
  if (!mediaType.startsWith("image/"))
    throw new UnsupportedError(
      `a file of the type ${mediaType} cannot be sent.`,
      "Send text and images, or name the file's path.",
    );
  if (!/^data:/i.test(url))
    throw new InvalidInputError("an image is given by its address.", "Pass the image as a `data:` URL.");
  return { data: url, ...(mediaType === "image/*" ? {} : { mediaType }) };
}
