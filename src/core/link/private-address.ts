import { InvalidInputError } from "../errors.ts";

/** @throws InvalidInputError when what is sent to `url` could be read on the way. */
export function assertPrivate(url: URL): void {
  const { protocol, hostname } = url;
  if (protocol === "wss:" || protocol === "https:" || isLoopback(hostname)) return;
  throw new InvalidInputError(
    `credentials would travel unencrypted to ${hostname}.`,
    `Use ${protocol === "http:" ? "https" : "wss"}://, or set \`allowInsecure: true\` if the network is yours.`,
  );
}

/**
 * Whether a URL's host name is this machine: `localhost`, 127.0.0.0/8, ::1, and 127.0.0.0/8 mapped to IPv6. The URL parser has
 * already made one form of `127.1` and its like. Not `*.localhost`: resolvers are asked for those names, and may answer anything.
 */
function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname === "[::1]" ||
    /^127(\.\d+){3}$/.test(hostname) ||
    /^\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\]$/.test(hostname)
  );
}
