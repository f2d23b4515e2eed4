// The address of the REST routes, from the address of the socket.
import { describe } from "../../core/checks.ts";
import { InvalidInputError } from "../../core/errors.ts";

const SCHEMES: readonly string[] = ["http:", "https:", "ws:", "wss:"];
const EXAMPLE = 'such as "https://host/cass/" or "wss://host/cass/ws"';

/**
 * The base of a server's REST routes, from the address of its socket: `wss://host/cass/ws?token=t` becomes `https://host/cass/`. An HTTP
 * address stays unchanged, without query and fragment. Ends in a slash.
 */
export function httpBaseOf(url: URL): string {
  const isSocket = url.protocol === "ws:" || url.protocol === "wss:";
  const protocol = url.protocol === "wss:" || url.protocol === "https:" ? "https:" : "http:";
  const path = isSocket ? url.pathname.replace(/\/ws\/?$/, "/") : url.pathname;
  return `${protocol}//${url.host}${path.endsWith("/") ? path : `${path}/`}`;
}

/** @throws InvalidInputError for a value that is neither an HTTP nor a WebSocket address */
export function checkAddress(value: unknown): URL {
  if (typeof value !== "string" && !(value instanceof URL)) {
    throw new InvalidInputError(`the URL is ${describe(value)}.`, `Give a string ${EXAMPLE}.`);
  }
  let url: URL;
  try {
    url = new URL(String(value));
  } catch {
    // Leave out the platform's own error: it quotes the URL, which may hold a secret.
    throw new InvalidInputError("the URL cannot be read.", `Give the whole address, ${EXAMPLE}.`);
  }
  if (!SCHEMES.includes(url.protocol)) {
    throw new InvalidInputError(
      `the URL's scheme is ${url.protocol}//.`,
      "Use https://, or the wss:// of the socket.",
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new InvalidInputError(
      "the URL holds a user name or a password.",
      "`fetch` refuses that: pass credentials as options.",
    );
  }
  return url;
}
