import { openSocket, sendsHeaders } from "#socket";
import { describe } from "../checks.ts";
import { credentialsIn } from "../client/credential-names.ts";
import type { SocketClientOptions } from "../client/options.ts";
import type { Redactor } from "../client/redact.ts";
import { ClosedError, InvalidInputError, UnsupportedError } from "../errors.ts";
import { assertPrivate } from "./private-address.ts";
import type { WebSocketLike } from "./socket.ts";

/** Opens sockets for one client, as its options say. */
export interface Dialer {
  /** Asks `stillWanted` just before a socket is made. */
  dial(stillWanted?: () => boolean): Promise<WebSocketLike>;
  /** The user's address, of the last dial or else of the next. */
  address(): Promise<URL>;
  /** The address of the last dial, without query and credentials, for messages. */
  target(): string;
  /** @throws InvalidInputError when credentials sent now would travel unencrypted to another machine. */
  assertPrivate(): void;
}

/**
 * A `url` function is called, and its result checked, at each dial.
 * @throws InvalidInputError when `url` is a string that cannot be dialled; UnsupportedError for `headers` that the socket in
 * use cannot send.
 */
export function createDialer(
  options: SocketClientOptions,
  maxReceiveBytes: number,
  redactor: Redactor,
  protocol: {
    /** Whether credentials go to the server. */
    carriesCredentials(): boolean;
    /** Adds the protocol's part to the user's address, which was checked. */
    address(url: string): string | Promise<string>;
  },
): Dialer {
  const { url, createWebSocket, WebSocket, headers = {}, allowInsecure = false } = options;
  if (Object.keys(headers).length > 0 && !createWebSocket && (WebSocket || !sendsHeaders)) {
    throw new UnsupportedError(
      "`headers` cannot be sent with this WebSocket.",
      "Browsers allow none: authenticate in the protocol, or make the socket yourself with `createWebSocket`, which receives them.",
    );
  }
  const carriesCredentials = (): boolean => Object.keys(headers).length > 0 || protocol.carriesCredentials();
  const check = (value: unknown): URL => {
    const found = credentialsIn(String(value));
    redactor.use("url", ...found);
    return checkUrl(value, (found.length > 0 || carriesCredentials()) && !allowInsecure);
  };
  let address = typeof url === "function" ? undefined : check(url);
  const ask = async (): Promise<string> => {
    const asked = typeof url === "function" ? await url() : url;
    address = check(asked);
    return String(asked);
  };

  return {
    target: () => (address ? withoutSecrets(address) : "the server"),
    assertPrivate: () => {
      if (address && !allowInsecure) assertPrivate(address);
    },
    address: async () => address ?? new URL(await ask()),
    async dial(stillWanted = () => true) {
      const target = await protocol.address(await ask());
      const init = { protocols: [], headers };
      if (!stillWanted()) throw new ClosedError("the client was closed while its address was found out");
      if (createWebSocket) return checkSocket(createWebSocket(target, init));
      if (WebSocket) return new WebSocket(target);
      return openSocket(target, init, { maxReceiveBytes });
    },
  };
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

function checkUrl(value: unknown, mustBePrivate: boolean): URL {
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
    // The platform's own error is left out: it quotes the URL, which may hold a secret.
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
  return url;
}

function withoutSecrets(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}
