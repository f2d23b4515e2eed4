// Addresses that an agent wrote: which of them a screen may follow or show.

/** `host`: where the link leads, in ASCII, so that no letter looks like another one. */
export interface WebAddress {
  readonly href: string;
  readonly host: string;
}

/** Longer addresses are text. Browsers and terminals cut them. */
const MAX_ADDRESS = 4096;

/** Returns undefined for all but `http:` and `https:`. */
export function webAddress(url: string): WebAddress | undefined {
  if (url.length > MAX_ADDRESS || !/^https?:\/\//i.test(url)) return undefined;
  try {
    const { href, host } = new URL(url);
    return { href, host };
  } catch {
    return undefined;
  }
}

/** The address of a `mailto:` link, to be shown as a text. */
export function mailAddress(url: string): string | undefined {
  return url.length <= MAX_ADDRESS ? /^mailto:([^?#\s]+@[^?#\s]+)/i.exec(url)?.[1] : undefined;
}

/** No SVG: it is a document. */
const IMAGE = /^data:(image\/(?:png|jpeg|gif|webp|avif|bmp));base64,/i;
const BASE64 = /^[a-z0-9+/]+={0,2}$/i;

/** Returns the media type of a `data:` image that a page may show, or undefined. */
export function dataImageType(url: string): string | undefined {
  const [head, type] = IMAGE.exec(url) ?? [];
  return head !== undefined && BASE64.test(url.slice(head.length)) ? type?.toLowerCase() : undefined;
}
