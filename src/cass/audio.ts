import { fromBase64, isBase64 } from "../core/bytes.ts";

/** An answer as speech. */
export interface CassAudio {
  /** For example `audio/mpeg`; `application/octet-stream` where the server does not say. */
  readonly mediaType: string;
  /** Where it is to be had, for servers that send an address; whole, with `http:` or `https:`. */
  readonly url?: string;
  /**
   * The sound, decoded or fetched by this call, and each time anew. Rejects with the signal's reason when that is
   * aborted, and as the fetch does.
   */
  bytes(options?: { readonly signal?: AbortSignal }): Promise<Uint8Array>;
}

/** Fetches what is at an address. */
export type LoadAudio = (url: string, signal: AbortSignal | undefined) => Promise<Uint8Array>;

const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ["mp3", "audio/mpeg"],
  ["wav", "audio/wav"],
]);

function mediaTypeOf(format: string | null | undefined): string {
  return MEDIA_TYPES.get(format?.toLowerCase() ?? "") ?? "application/octet-stream";
}

/** Speech that came with the answer, `format` as in `audio_format`. `undefined` when it is no base64. */
export function audioFromBase64(base64: string, format: string | null | undefined): CassAudio | undefined {
  if (!isBase64(base64)) return undefined;
  return {
    mediaType: mediaTypeOf(format),
    // Not decoded before it is asked for: it takes megabytes, and most programs show text.
    bytes: async ({ signal } = {}) => {
      if (signal?.aborted) throw signal.reason;
      return fromBase64(base64);
    },
  };
}

/** Speech that is to be fetched; `url` as of {@link audioUrl}. */
export function audioFromUrl(url: string, load: LoadAudio): CassAudio {
  const { pathname } = new URL(url);
  return {
    mediaType: mediaTypeOf(pathname.slice(pathname.lastIndexOf(".") + 1)),
    url,
    bytes: async ({ signal } = {}) => {
      if (signal?.aborted) throw signal.reason;
      return await load(url, signal);
    },
  };
}

/** The whole address of speech. `undefined` when it is none, or neither `http:` nor `https:`. */
export function audioUrl(url: string, httpBase: string): string | undefined {
  let whole: URL;
  try {
    whole = new URL(url, httpBase);
  } catch {
    return undefined; // which says that it is no address, as the name of this promises
  }
  return whole.protocol === "http:" || whole.protocol === "https:" ? whole.href : undefined;
}
