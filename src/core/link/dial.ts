// Creates sockets from the client's options: address, headers and factory.
import { noteStream, openSocket, sendsHeaders } from "#socket";
import { describe } from "../checks.ts";
import { ClosedError, InvalidInputError, UnsupportedError } from "../errors.ts";
import { credentialsIn } from "../tell/credential-names.ts";
import type { Redactor } from "../tell/redact.ts";
import { assertPrivate } from "./private-address.ts";
import type { WebSocketInit, WebSocketLike } from "./web-socket.ts";

/** The user's options for a dial. */
interface DialOptions {
  readonly url: string | URL | (() => string | URL | Promise<string | URL>);
  readonly createWebSocket?: ((url: string, init: WebSocketInit) => WebSocketLike) | undefined;
  readonly WebSocket?: (new (url: string) => WebSocketLike) | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly allowInsecure?: boolean;
}

/** The options, copied when the client was made. */
type DialSettings = Required<DialOptions> & { readonly maxReceiveBytes: number };

const NONE = {};

interface DialledProtocol {
  carriesCredentials(): boolean;
  /** Adds the protocol's part to the user's checked address. @default no change */
  address?(url: string): string | Promise<string>;
}

/**
 * Creates the dialer of a client. A `url` function is called and checked at each dial.
 * @throws InvalidInputError for a `url` string that cannot be dialled; UnsupportedError for `headers` that the socket
 * cannot send.
 */
export function createDialer(
  options: DialOptions,
  maxReceiveBytes: number,
  redactor: Redactor,
  protocol: DialledProtocol,
): Dialer {
  const { url, createWebSocket, WebSocket, headers = NONE, allowInsecure = false } = options;
  if (Object.keys(headers).length > 0 && !createWebSocket && (WebSocket || !sendsHeaders)) {
    throw new UnsupportedError(
      "`headers` cannot be sent with this WebSocket.",
      "Browsers allow none: authenticate in the protocol, or make the socket yourself with `createWebSocket`, which receives them.",
    );
  }
  const kept = { url, createWebSocket, WebSocket, headers, allowInsecure, maxReceiveBytes };
  return new Dialer(kept, redactor, protocol);
}

/** Opens the sockets of one client from its options. */
export class Dialer {
  readonly #options: DialSettings;
  readonly #redactor: Redactor;
  readonly #protocol: DialledProtocol;
  /** Text: a `URL` takes 250 bytes, and an idle client asks for none. */
  #address: string | undefined;

  constructor(options: DialSettings, redactor: Redactor, protocol: DialledProtocol) {
    this.#options = options;
    this.#redactor = redactor;
    this.#protocol = protocol;
    if (typeof options.url !== "function") this.#address = this.#check(options.url);
  }

  /** The address of the last dial for messages, without query and credentials. */
  target(): string {
    const url = this.#address === undefined ? undefined : new URL(this.#address);
    return url ? `${url.protocol}//${url.host}${url.pathname}` : "the server";
  }

  /** @throws InvalidInputError if credentials would travel unencrypted to another machine. */
  assertPrivate(): void {
    if (this.#address !== undefined && !this.#options.allowInsecure) assertPrivate(new URL(this.#address));
  }

  /** The user's address: of the last dial, or of the next one before the first dial. */
  async address(): Promise<URL> {
    return new URL(this.#address ?? (await this.#ask()));
  }

  /** Opens a socket. Calls `stillWanted` just before. */
  async dial(stillWanted = () => true): Promise<WebSocketLike> {
    const { createWebSocket, WebSocket, headers, maxReceiveBytes } = this.#options;
    const asked = await this.#ask();
    const target = (await this.#protocol.address?.(asked)) ?? asked;
    const init = { protocols: [], headers };
    if (!stillWanted()) throw new ClosedError("the client was closed while its address was being determined");
    const socket = createWebSocket
      ? checkSocket(createWebSocket(target, init))
      : WebSocket
        ? new WebSocket(target)
        : await openSocket(target, init, { maxReceiveBytes });
    noteStream(socket);
    return socket;
  }

  async #ask(): Promise<string> {
    const { url } = this.#options;
    const asked = typeof url === "function" ? await url() : url;
    this.#address = this.#check(asked);
    return this.#address;
  }

  #check(value: unknown): string {
    const { headers, allowInsecure } = this.#options;
    const found = credentialsIn(String(value));
    this.#redactor.use("url", ...found);
    const carriesCredentials =
      found.length > 0 || Object.keys(headers).length > 0 || this.#protocol.carriesCredentials();
    checkUrl(value, carriesCredentials && !allowInsecure);
    return String(value);
  }
}

function checkSocket(made: unknown): WebSocketLike {
  if (isSocket(made)) return made;
  throw new InvalidInputError(
    `\`createWebSocket\` returned ${describe(made)}.`,
    "It must return a WebSocket.",
  );
}

function isSocket(value: unknown): value is WebSocketLike {
  if (typeof value !== "object" || value === null) return false;
  return ["send", "close", "addEventListener"].every(
    (name) => typeof Reflect.get(value, name) === "function",
  );
}

function checkUrl(value: unknown, mustBePrivate: boolean): void {
  if (typeof value !== "string" && !(value instanceof URL)) {
    throw new InvalidInputError(
      `the URL is ${describe(value)}.`,
      'Give a string such as "ws://127.0.0.1:8000/ws".',
    );
  }
  let url: URL;
  try {
    url = new URL(String(value));
  } catch {
    // Without the platform's own error, which quotes the URL and may reveal a secret.
    throw new InvalidInputError(
      "the URL cannot be read.",
      'Give the whole address, such as "ws://127.0.0.1:8000/ws".',
    );
  }
  if (url.protocol !== "ws:" && url.protocol !== "wss:") {
    const hint =
      url.protocol === "http:" || url.protocol === "https:"
        ? `Use ${url.protocol === "http:" ? "ws" : "wss"}://.`
        : "Use ws:// or wss://.";
    throw new InvalidInputError(`the URL's scheme is ${url.protocol}//, which is not a WebSocket's.`, hint);
  }
  if (url.username !== "" || url.password !== "") {
    throw new InvalidInputError(
      "the URL holds a user name or a password.",
      "Browsers refuse that: pass credentials as options.",
    );
  }
  if (url.hash !== "")
    throw new InvalidInputError("the URL has a fragment (#...).", "A WebSocket takes none: leave it out.");
  if (mustBePrivate) assertPrivate(url);
}
