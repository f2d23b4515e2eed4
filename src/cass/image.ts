// A picture in a prompt, checked before anything is sent.
import {
  fromBase64,
  HEAD_BASE64,
  imageTypeOf,
  isBase64,
  isImageType,
  sizeOfBase64,
  toBase64,
} from "../core/bytes.ts";
import { type Checks, checkFields, checks, describe, isObject } from "../core/checks.ts";
import { InvalidInputError, PayloadTooLargeError } from "../core/errors.ts";
import type { WireImage } from "./messages.ts";

/** The image types that the model's provider accepts. */
type CassImageType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

/** The part of `Blob` that the client uses. A `Blob` or `File` fits. */
interface BlobLike {
  readonly size: number;
  readonly type: string;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** An image for a message. */
export interface CassImage {
  /** The bytes, a `Blob` or `File` (read while the prompt waits), base64, or a `data:` URL. */
  readonly data: Uint8Array | ArrayBuffer | BlobLike | string;
  /** @default the type of a `data:` URL or `Blob`, otherwise the type by the first bytes */
  readonly mediaType?: CassImageType;
}

/** A checked image. For a `Blob`, `wire` is a function that reads the `Blob`. */
export interface CheckedImage {
  /** Characters of the image in its frame. */
  readonly size: number;
  readonly wire: WireImage | (() => Promise<WireImage>);
}

/** Checks only the names. The functions below check the values, with better hints. */
const FIELDS: Checks<CassImage> = { data: checks.any, mediaType: checks.any };

const HOW = "Pass { data } with bytes, a Blob, base64 or a `data:` URL of a JPEG, PNG, GIF or WebP picture.";

/**
 * Checks an image before anything is sent: if the model's provider refuses an image, the connection is lost.
 * @param maxBytes of the decoded image
 * @throws InvalidInputError for an invalid image; PayloadTooLargeError above `maxBytes`
 */
export function checkImage(image: CassImage, maxBytes: number): CheckedImage {
  if (!isObject(image as unknown)) throw refused(`the image is ${describe(image)}`);
  checkFields(image, FIELDS, "image field");
  const { data, mediaType } = image;
  if (mediaType !== undefined) checkType(mediaType);
  if (typeof data === "string") {
    const { base64, says } = splitDataUrl(data);
    if (!isBase64(base64))
      throw refused("the image's data is a string that is not base64; addresses and paths are not read");
    checkSize(sizeOfBase64(base64), maxBytes);
    return ready(base64, fromBase64(base64.slice(0, HEAD_BASE64)), mediaType ?? says);
  }
  if (isBlob(data)) return blobImage(data, mediaType, maxBytes);
  const bytes = bytesOf(data);
  if (!bytes) throw refused(`the image's data is ${describe(data)}`);
  checkSize(bytes.length, maxBytes);
  return ready(toBase64(bytes), bytes, mediaType);
}

function blobImage(blob: BlobLike, mediaType: CassImageType | undefined, maxBytes: number): CheckedImage {
  const says = mediaType ?? (blob.type === "" ? undefined : blob.type);
  if (says !== undefined) checkType(says);
  checkSize(blob.size, maxBytes);
  const wire = async (): Promise<WireImage> => {
    const bytes = new Uint8Array(await blob.arrayBuffer());
    checkSize(bytes.length, maxBytes);
    return { image: toBase64(bytes), image_media_type: typeOf(bytes, says) };
  };
  return { size: Math.ceil(blob.size / 3) * 4, wire };
}

const ready = (image: string, head: Uint8Array, told: string | undefined): CheckedImage => ({
  size: image.length,
  wire: { image, image_media_type: typeOf(head, told) },
});

/** The type by the first bytes. A given type must be the same. */
function typeOf(head: Uint8Array, told: string | undefined): CassImageType {
  if (told !== undefined) checkType(told);
  const shown = imageTypeOf(head);
  if (shown === undefined) throw refused("the image's first bytes are of none of the types that can be sent");
  if (told !== undefined && told !== shown)
    throw refused(`the image is ${shown} by its first bytes, not ${told}`);
  return shown;
}

function checkType(type: string): asserts type is CassImageType {
  if (!isImageType(type)) throw refused("the image's media type is none that can be sent");
}

function checkSize(bytes: number, limit: number): void {
  if (bytes <= limit) return;
  const message = `the image takes ${bytes} bytes, and the model takes ${limit}; make it smaller, or raise \`maxImageBytes\``;
  throw new PayloadTooLargeError(message, { bytes, limit });
}

function splitDataUrl(data: string): { readonly base64: string; readonly says: string | undefined } {
  if (!/^data:/i.test(data)) return { base64: data, says: undefined };
  const comma = data.indexOf(",");
  const head = /^data:([^;,]*)(?:;[^;,]*)*;base64$/i.exec(data.slice(0, comma));
  if (comma < 0 || !head) throw refused("the image is a `data:` URL without base64");
  return { base64: data.slice(comma + 1), says: head[1] === "" ? undefined : head[1]?.toLowerCase() };
}

/** Without `instanceof`: bytes and blobs may come from another realm. */
function bytesOf(data: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const isBuffer = Object.prototype.toString.call(data) === "[object ArrayBuffer]";
  return isBuffer ? new Uint8Array(data as ArrayBuffer) : undefined;
}

function isBlob(data: unknown): data is BlobLike {
  if (typeof data !== "object" || data === null || !("size" in data && "type" in data)) return false;
  return "arrayBuffer" in data && typeof data.arrayBuffer === "function";
}

function refused(problem: string): InvalidInputError {
  return new InvalidInputError(`${problem}.`, HOW);
}
