import { describe } from "../../core/checks.ts";
import { InvalidInputError } from "../../core/errors.ts";

const SCHEMES: readonly string[] = ["http:", "https:", "ws:", "wss:"];
const EXAMPLE = 'such as "https://host/cass/" or "wss://host/cass/ws"';

/**
 * Where the REST routes of a server are, from the address of its socket: `wss://host/cass/ws?token=t` is at
 * `https://host/cass/`. An address that is HTTP's already stays what it is, without query and fragment. Ends in a slash.
 */
export function httpBaseOf(url: URL): string {
  const isSocket = url.protocol === "ws:" || url.protocol === "wss:";
  const protocol = url.protocol === "wss:" || url.protocol === "https:" ? "https:" : "http:";
  const path = isSocket ? url.pathname.replace(/\/ws\/?$/, "/") : url.pathname;
  return `${protocol}//${url.host}${path.endsWith("/") ? path : `${path}/`}`;
}

/** @throws InvalidInputError for what is neither the address of an HTTP server nor of a WebSocket */
export function checkAddress(value: unknown): URL {
  if (typeof value !== "string" && !(value instanceof URL)) {
    throw new InvalidInputError(`the URL is ${describe(value)}.`, `Give a string ${EXAMPLE}.`);
  }
  let url: URL;
  try {
    url = new URL(String(value));
  } catch {
    // Without the platform's own error, which quotes the URL and whatever secret it holds.
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
