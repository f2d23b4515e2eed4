/** What is not of the standard alphabet. To look for it needs no going back, which a text of megabytes has no stack for. */
const ODD = /[^A-Za-z0-9+/]/;

/** Whether `text` is base64: of the standard alphabet, padded, without white space. Linear. */
export function isBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return !ODD.test(padding === 0 ? text : text.slice(0, -padding));
}

/** The bytes of a text that {@link isBase64}. */
export function bytesOf(base64: string): Uint8Array {
  const binary = atob(base64); // a character for each byte
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** How many bytes a text that {@link isBase64} stands for. */
export function sizeOfBase64(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}

/** Bytes that become characters at a time: more than a call takes as arguments would overflow the stack. */
const PIECE = 8_192;

/** Bytes as base64, of the standard alphabet and padded. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += PIECE)
    binary += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return btoa(binary);
}
