// Converts what the user sent to the form of universal events.
import { fromBase64, HEAD_BASE64, imageTypeOf, toBase64 } from "../../core/bytes.ts";
import { fieldsOf, isObject } from "../../core/checks.ts";
import type { UserInput } from "../facts.ts";

/** Reads a text, or the common form of prompts. Undefined for a form of the protocol's own. */
export function readUserInput(input: unknown): UserInput | undefined {
  if (typeof input === "string") return { text: input };
  if (!isObject(input) || typeof input["text"] !== "string") return undefined;
  const { text, images, files } = input;
  return {
    text,
    ...(isFilled(images) ? { images: images.map((image) => imageOf(fieldsOf(image))) } : {}),
    ...(isFilled(files) ? { files: files.filter((path) => typeof path === "string") } : {}),
  };
}

const isFilled = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.length > 0;

export function imageOf({ data, mediaType }: { readonly data?: unknown; readonly mediaType?: unknown }): {
  readonly path: string;
  readonly mime: string | null;
} {
  const mime = typeof mediaType === "string" ? mediaType : null;
  if (typeof data === "string" && /^data:/i.test(data))
    return { path: data, mime: mime ?? /^data:([^;,]+)/i.exec(data)?.[1] ?? null };
  const bytes = data instanceof ArrayBuffer ? new Uint8Array(data) : data;
  const base64 = bytes instanceof Uint8Array ? toBase64(bytes) : typeof bytes === "string" ? bytes : "";
  const type = mime ?? imageTypeOf(fromBase64(base64.slice(0, HEAD_BASE64))) ?? null;
  return { path: `data:${type ?? ""};base64,${base64}`, mime: type };
}
