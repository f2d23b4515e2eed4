// Speech in an answer: decoded, or fetched when asked for.
import { fromBase64, isBase64 } from "../core/bytes.ts";
import { said } from "../core/errors.ts";
import type { AudioFrame } from "./messages.ts";
import type { RestHost } from "./rest/host.ts";

/** An answer as speech. */
export interface CassAudio {
  /** For example `audio/mpeg`; `application/octet-stream` if the server names no type. */
  readonly mediaType: string;
  /** The full `http:` or `https:` address, from servers that send one. The token goes only to the server's own origin. */
  readonly url?: string;
  /**
   * Decodes or fetches the sound, again with each call. Rejects with the signal's reason if the signal is aborted, and with the error of
   * a failed fetch. A closed client fetches nothing.
   */
  bytes(options?: { readonly signal?: AbortSignal }): Promise<Uint8Array>;
}

/** The base64 of speech that came whole. Kept apart: apps log results, and sound is long. */
const SOUNDS = new WeakMap<CassAudio, string>();

/** The address of speech, or its `data:` URL. */
export function audioPath(audio: CassAudio): string {
  return audio.url ?? `data:${audio.mediaType};base64,${SOUNDS.get(audio) ?? ""}`;
}

const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ["mp3", "audio/mpeg"],
  ["wav", "audio/wav"],
]);

function mediaTypeOf(format: string | null | undefined): string {
  return MEDIA_TYPES.get(format?.toLowerCase() ?? "") ?? "application/octet-stream";
}

/** Speech from base64. `format` is the server's `audio_format`. `undefined` for invalid base64. */
export function audioFromBase64(base64: string, format: string | null | undefined): CassAudio | undefined {
  if (!isBase64(base64)) return undefined;
  // Decoded on demand: decoding takes megabytes, and most programs show text.
  const made = audio(mediaTypeOf(format), async () => fromBase64(base64));
  SOUNDS.set(made, base64);
  return made;
}

/** Speech to fetch from `url`, an address from {@link audioUrl}. */
export function audioFromUrl(
  url: string,
  load: (url: string, signal: AbortSignal | undefined) => Promise<Uint8Array>,
): CassAudio {
  const { pathname } = new URL(url);
  const mediaType = mediaTypeOf(pathname.slice(pathname.lastIndexOf(".") + 1));
  return { ...audio(mediaType, (signal) => load(url, signal)), url };
}

function audio(mediaType: string, read: (signal: AbortSignal | undefined) => Promise<Uint8Array>): CassAudio {
  return {
    mediaType,
    bytes: async ({ signal } = {}) => {
      if (signal?.aborted) throw signal.reason;
      return await read(signal);
    },
  };
}

/** The full address of speech. `undefined` if it is no address, or neither `http:` nor `https:`. */
export function audioUrl(url: string, httpBase: string): string | undefined {
  let whole: URL;
  try {
    whole = new URL(url, httpBase);
  } catch {
    return undefined; // not an address
  }
  return whole.protocol === "http:" || whole.protocol === "https:" ? whole.href : undefined;
}

/** The speech of an `audio` frame. `undefined`, with a warning, for an unusable frame. */
export async function audioOf(
  { url, audio: base64, audio_format: format }: AudioFrame,
  { http, credentials }: RestHost,
  warn: (problem: string) => void,
): Promise<CassAudio | undefined> {
  if (typeof base64 === "string") {
    const made = audioFromBase64(base64, format);
    if (!made) warn("the audio of a frame is not base64, and is left out");
    return made;
  }
  try {
    const whole = typeof url === "string" ? audioUrl(url, await http.base()) : undefined;
    if (whole !== undefined)
      return audioFromUrl(whole, (address, signal) => http.download(address, { credentials, signal }));
  } catch (cause) {
    warn(`the address that audio is relative to is not known: ${said(cause)}`);
  }
  warn("an `audio` frame has neither base64 nor an address that can be fetched");
  return undefined;
}
