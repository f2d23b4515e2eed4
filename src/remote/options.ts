// The options of `remote`, with their checks and defaults.
import { checkCallOptions, checks, oneOf } from "../core/checks.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { InvalidInputError } from "../core/errors.ts";
import type { FetchInit, FetchLike } from "../core/http/fetch.ts";
import { assertPrivate } from "../core/link/private-address.ts";

/** The headers of a request. */
export type RemoteHeaders = Readonly<Record<string, string>>;

/** Options of `remote`. */
export interface RemoteOptions {
  /**
   * The address of the relay's chats, with its `basePath`: such as `https://example.org/chats`. In a browser `/chats` works
   * too.
   */
  readonly url: string;
  /**
   * The id of the chat, 1 to 128 characters. The app chooses it, and the first prompt makes the chat. No secret: `authorize`
   * of the relay decides who sees it.
   */
  readonly chat: string;
  /**
   * Headers of each request, such as `authorization`. A function is called for each request, because tokens expire; if it
   * rejects, the request is tried again later. @default none
   */
  readonly headers?: RemoteHeaders | (() => RemoteHeaders | Promise<RemoteHeaders>);
  /** @default the platform's `fetch` */
  readonly fetch?: FetchLike;
  /**
   * Whether the browser sends cookies. To another origin it needs `include` here, and `origins` and `credentials` at the relay.
   * @default the default of `fetch`: to the same origin
   */
  readonly credentials?: "include" | "same-origin" | "omit";
  /**
   * Where prompts wait that the relay has not confirmed. `local`: in `localStorage` too, so that they are sent after a
   * reload, once. At most 20 prompts without images. Without `localStorage` it is as `memory`. @default "memory"
   */
  readonly outbox?: "memory" | "local";
  /** Whether `headers` may travel over plain `http://` to another machine. @default false */
  readonly allowInsecure?: boolean;
  /** @default the machine's clock */
  readonly clock?: Clock;
}

export interface RemoteSettings extends Omit<RemoteOptions, "headers" | "url" | "credentials"> {
  /** The address of the chat, without a slash at the end. */
  readonly address: string;
  readonly headers: () => RemoteHeaders | Promise<RemoteHeaders>;
  readonly credentials: FetchInit["credentials"];
  readonly outbox: "memory" | "local";
  readonly clock: Clock;
}

/** The longest id of a chat, in characters. */
const MAX_ID = 128;

/** @throws InvalidInputError for a wrong or unknown option */
export function resolveRemote(options: RemoteOptions): RemoteSettings {
  checkCallOptions(options, {
    url: checks.text,
    chat: checks.text,
    headers: {
      expects: "an object of strings, or a function that returns one",
      holds: (value) => typeof value === "function" || checks.headers.holds(value),
    },
    fetch: checks.function,
    credentials: oneOf("include", "same-origin", "omit"),
    outbox: oneOf("memory", "local"),
    allowInsecure: checks.boolean,
    clock: checks.object,
  });
  const { url, chat, headers = {}, credentials, outbox = "memory", clock = systemClock, ...others } = options;
  if ((url as unknown) === undefined || (chat as unknown) === undefined)
    throw new InvalidInputError("`url` or `chat` is missing.", 'Pass { url: "https://...", chat: "..." }.');
  if (chat.length > MAX_ID)
    throw new InvalidInputError(`\`chat\` has ${chat.length} characters.`, `Pass at most ${MAX_ID}.`);
  const at = addressOf(url);
  if (at && options.headers !== undefined && options.allowInsecure !== true) assertPrivate(at);
  return {
    ...others,
    chat,
    credentials,
    outbox,
    clock,
    headers: typeof headers === "function" ? headers : () => headers,
    address: `${url.endsWith("/") ? url.slice(0, -1) : url}/${idInPath(chat)}`,
  };
}

/** Undefined for an address on the page's own server. @throws InvalidInputError */
function addressOf(url: string): URL | undefined {
  if (url.startsWith("/")) return undefined;
  try {
    const at = new URL(url);
    if ((at.protocol === "http:" || at.protocol === "https:") && !/[?#]/.test(url)) return at;
  } catch {
    // no address
  }
  throw new InvalidInputError(
    "`url` is not the address of a relay.",
    "Pass one such as https://example.org/chats.",
  );
}

/** @throws InvalidInputError for an id that no relay takes */
function idInPath(chat: string): string {
  if (/^\.{1,2}$|\0/.test(chat))
    throw new InvalidInputError(
      `\`chat\` is ${JSON.stringify(chat)}.`,
      "Pass an id other than `.` and `..`, without a NUL character.",
    );
  try {
    return encodeURIComponent(chat);
  } catch {
    throw new InvalidInputError("`chat` has half of a character.", "Pass well-formed text.");
  }
}
