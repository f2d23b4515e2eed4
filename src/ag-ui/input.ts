// Reads the input of a run, which comes from the wire.
import type { ResumeEntry, RunAgentInput } from "@ag-ui/core";
import { fieldsOf, isObject } from "../core/checks.ts";
import { InvalidInputError, UnsupportedError } from "../core/errors.ts";
import type { PromptImage, PromptInput } from "../core/turn/prompt-input.ts";
import type { AgUiRun } from "./event.ts";

/** What an input asks for. */
export interface RunRequest {
  readonly run: AgUiRun;
  /** The last message, if it is the user's. */
  readonly prompt: { readonly id: string; readonly input: PromptInput } | undefined;
  readonly resume: readonly ResumeEntry[];
}

/**
 * @throws InvalidInputError for an input of another form
 * @throws UnsupportedError for content that no prompt can have
 */
export function readRunInput(input: RunAgentInput): RunRequest {
  const { threadId, runId, messages, resume = [] } = fieldsOf(input);
  if (typeof threadId !== "string" || typeof runId !== "string" || !Array.isArray(messages))
    throw unreadable("the input of the run lacks `threadId`, `runId` or `messages`.");
  if (!Array.isArray(resume) || !resume.every(isEntry))
    throw unreadable("`resume` is not a list of resume entries.");
  const last: unknown = messages.at(-1);
  const prompt = isObject(last) && last["role"] === "user" ? readMessage(last) : undefined;
  return { run: { threadId, runId }, prompt, resume };
}

const unreadable = (what: string): InvalidInputError =>
  new InvalidInputError(what, "Pass a `RunAgentInput` of AG-UI.");

function isEntry(value: unknown): value is ResumeEntry {
  const { interruptId, status } = fieldsOf(value);
  return typeof interruptId === "string" && (status === "resolved" || status === "cancelled");
}

function readMessage({ id, content }: Readonly<Record<string, unknown>>): RunRequest["prompt"] {
  if (typeof id === "string" && typeof content === "string")
    return { id, input: { text: notBlank(content) } };
  if (typeof id !== "string" || !Array.isArray(content))
    throw unreadable("the last message has no `id`, or no text and no parts as `content`.");
  const texts: string[] = [];
  const images: PromptImage[] = [];
  for (const part of content) {
    const { type, text, source } = fieldsOf(part);
    if (type === "text" && typeof text === "string") texts.push(text);
    else images.push(readImage(type, source));
  }
  return { id, input: { text: notBlank(texts.join("\n")), ...(images.length > 0 ? { images } : {}) } };
}

function notBlank(text: string): string {
  if (text.trim() !== "") return text;
  throw new InvalidInputError(
    "the last message of the user has no text, or a blank one.",
    "Send a text, also beside an image. Nothing was sent, and a turn that waits still waits.",
  );
}

/** An image by URL is refused: the server of a page must not fetch what the page names. */
function readImage(type: unknown, source: unknown): PromptImage {
  const { type: from, value, mimeType } = fieldsOf(source);
  if (type === "image" && typeof value === "string") {
    if (from === "url" && /^data:/i.test(value)) return { data: value };
    if (from === "data")
      return { data: value, ...(typeof mimeType === "string" ? { mediaType: mimeType } : {}) };
  }
  throw new UnsupportedError(
    "a prompt contains text, and images with their bytes.",
    "Leave other parts, URLs and files out.",
  );
}
