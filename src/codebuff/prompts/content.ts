// The parts of a prompt (texts, images, earlier messages) in the form of each Codebuff server.
import { toBase64 } from "../../core/bytes.ts";
import { fieldsOf, isObject } from "../../core/checks.ts";
import { InvalidInputError, UnsupportedError } from "../../core/errors.ts";

/** One message for the published proxy, in the form of a chat completion. */
export interface CompletionMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string | readonly CompletionPart[];
}

/** A part of a chat message's content. */
export type CompletionPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } }
  | { readonly type: "input_audio"; readonly input_audio: Readonly<Record<string, unknown>> };

/** A part of one user message. */
export type PromptPart =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image";
      /** Bytes, base64, a `data:` URL, or the address of an image on the web. */
      readonly image: string | Uint8Array;
      /** The type of bytes and base64. @default the server's guess; the proxy's guess is "image/png" */
      readonly mediaType?: string;
    }
  | {
      /** A text file. The model gets its text, under its name. */
      readonly type: "file";
      readonly name: string;
      readonly text: string;
    };

/** A part in the form of the original server. */
type WirePart = Exclude<PromptPart, { type: "file" | "image" }> | WireImage;
interface WireImage {
  readonly type: "image";
  readonly image: string;
  readonly mediaType?: string;
}

/** The items of `content`: whole messages, or parts of one message. */
export type Content = readonly (CompletionMessage | PromptPart)[];

/**
 * The content as plain JSON values, with images as text: the caller may change the bytes later.
 * @throws InvalidInputError for an item that is neither a message nor a complete part.
 */
export function plainContent(content: Content): Content {
  return content.map((item, index) => {
    if (isContentPart(item) ? !isWhole(item) : !isMessage(item)) {
      const hint =
        'It must be { type: "text", text }, { type: "image", image }, { type: "file", name, text }, or a message.';
      throw new InvalidInputError(`item ${index} of \`content\` is not complete.`, hint);
    }
    return isContentPart(item) && item.type === "image" ? wireImage(item) : item;
  });
}

function isWhole(part: PromptPart): boolean {
  const { type, text, name, image, mediaType } = fieldsOf(part);
  if (type === "text") return typeof text === "string";
  if (type === "file") return typeof text === "string" && typeof name === "string";
  const known = typeof image === "string" ? image !== "" : image instanceof Uint8Array;
  return known && (mediaType === undefined || typeof mediaType === "string");
}

/** As lenient as the proxy: a message may have `text` instead of `content`, its role as `type`, or be wrapped in `message`. */
function isMessage(message: object): boolean {
  const { content, text, message: wrapped } = fieldsOf(message);
  return typeof (content ?? text) === "string" || Array.isArray(content) || isObject(wrapped);
}

/** The history in the form of the original server, for a session that this client begins. */
export function historyFor(messages: readonly CompletionMessage[]): readonly object[] {
  return messages.map(({ role, content }) => ({
    role,
    content: typeof content === "string" ? content : content.map(wirePart),
  }));
}

/** The user's input of one prompt as chat messages. Its parts and its text become one message. */
export function chatMessages({
  content = [],
  prompt,
}: {
  readonly content?: Content;
  readonly prompt?: string;
}): readonly CompletionMessage[] {
  const messages = content.flatMap((item) => (isContentPart(item) ? [] : [item]));
  const parts = content.flatMap((item) => (isContentPart(item) ? [chatPart(item)] : []));
  if (parts.length > 0) {
    const words: readonly CompletionPart[] = prompt === undefined ? [] : [{ type: "text", text: prompt }];
    return [...messages, { role: "user", content: [...parts, ...words] }];
  }
  return prompt === undefined ? messages : [...messages, { role: "user", content: prompt }];
}

/** What the user says with a prompt: the text of the last message, and its images as addresses or `data:` URLs. */
export function saidInPrompt(input: { readonly content?: Content; readonly prompt?: string }): {
  readonly text: string;
  readonly images: readonly string[];
} {
  const { content, text } = fieldsOf(chatMessages(input).at(-1));
  const said = content ?? text;
  if (!Array.isArray(said)) return { text: typeof said === "string" ? said : "", images: [] };
  const parts = said.map(fieldsOf);
  const urls = parts.map(({ image_url }) => (isObject(image_url) ? image_url["url"] : undefined));
  return {
    text: parts
      .map((part) => part["text"])
      .filter((words) => typeof words === "string")
      .join("\n\n"),
    images: urls.filter((url) => typeof url === "string"),
  };
}

export function isContentPart(item: CompletionMessage | PromptPart): item is PromptPart {
  return !("role" in item) && PARTS.has(item.type);
}

const PARTS: ReadonlySet<string> = new Set(["text", "image", "file"] satisfies PromptPart["type"][]);

function chatPart(part: PromptPart): CompletionPart {
  const { type } = part;
  switch (type) {
    case "text":
      return part;
    case "file":
      return fileText(part);
    case "image": {
      const { image, mediaType } = wireImage(part);
      const url = isAddress(image) ? image : `data:${mediaType ?? "image/png"};base64,${image}`;
      return { type: "image_url", image_url: { url } };
    }
    default:
      return type satisfies never;
  }
}

/** An item in the form of the original server. @throws UnsupportedError for a message of another role than `user` */
export function wireParts(item: CompletionMessage | PromptPart): readonly WirePart[] {
  if (!isContentPart(item)) return partsOfMessage(item);
  if (item.type === "file") return [fileText(item)];
  if (item.type === "text") return [item];
  const { image, mediaType } = wireImage(item);
  return [{ type: "image", ...fromUrl(image), ...(mediaType === undefined ? {} : { mediaType }) }];
}

function partsOfMessage(message: CompletionMessage): readonly WirePart[] {
  const { role, content } = fieldsOf(message);
  if (role === "user" && typeof content === "string") return [{ type: "text", text: content }];
  if (role === "user" && Array.isArray(content)) return content.map(wirePart);
  const what = typeof role === "string" ? `a \`${role}\` message` : "such a message";
  throw new UnsupportedError(`the original server does not take ${what} as content.`, ONE_MESSAGE);
}

const ONE_MESSAGE = "Send the parts of one user message; a conversation keeps what was said before.";

/** Converts a part of a chat message. The part may be of any kind that the proxy knows. */
function wirePart(part: unknown): WirePart {
  const { type, text, image_url } = fieldsOf(part);
  if (type === "text" && typeof text === "string") return { type, text };
  const url = isObject(image_url) ? image_url["url"] : undefined;
  if (type === "image_url" && typeof url === "string") return { type: "image", ...fromUrl(url) };
  const what = typeof type === "string" ? `a part of type \`${type}\`` : "such a part";
  throw new UnsupportedError(`the original server does not take ${what}.`, ONE_MESSAGE);
}

/** Base64 with a separate type, the form of the original server. */
function fromUrl(url: string): { readonly image: string; readonly mediaType?: string } {
  const [, mediaType, image] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  return mediaType !== undefined && image !== undefined ? { image, mediaType } : { image: url };
}

function wireImage({ image, mediaType }: PromptPart & { type: "image" }): WireImage {
  const text = typeof image === "string" ? image : toBase64(image);
  return { type: "image", image: text, ...(mediaType === undefined ? {} : { mediaType }) };
}

function isAddress(image: string): boolean {
  return /^(data|https?):/.test(image);
}

function fileText({ name, text }: PromptPart & { type: "file" }): PromptPart & { type: "text" } {
  return { type: "text", text: `File ${JSON.stringify(name)}:\n${text}` };
}
