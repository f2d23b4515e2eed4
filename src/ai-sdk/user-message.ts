// The prompt in a UI message of the user.
import type { UIMessage } from "ai";
import { InvalidInputError, UnsupportedError } from "../core/errors.ts";
import type { PromptImage, PromptInput } from "../core/turn/prompt-input.ts";

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

function imageOf({ url, mediaType }: { readonly url: string; readonly mediaType: string }): PromptImage {
  if (!mediaType.startsWith("image/"))
    throw new UnsupportedError(
      `a file of the type ${mediaType} cannot be sent.`,
      "Send text and images, or name the file's path.",
    );
  if (!/^data:/i.test(url))
    throw new InvalidInputError("an image is given by its address.", "Pass the image as a `data:` URL.");
  return { data: url, ...(mediaType === "image/*" ? {} : { mediaType }) };
}
