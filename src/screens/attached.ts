// What goes along with a sent prompt, for its edited text.
import type { PromptInput } from "../core/turn/prompt-input.ts";
import type { ChatMessage } from "../universal/transcript/message.ts";

/** The prompt of a message with another text: its images and files stay. An image without its bytes is left out. */
export function promptWith(text: string, { parts }: ChatMessage): PromptInput {
  const files = parts.toArray().flatMap((part) => (part.type === "file" ? part : []));
  const isRead = ({ action }: (typeof files)[number]): boolean => action === "read";
  return {
    text,
    images: files.filter(({ path }) => /^data:/i.test(path)).map(({ path }) => ({ data: path })),
    files: files.filter(isRead).map(({ path }) => path),
  };
}
