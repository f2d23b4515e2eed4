import { InvalidInputError } from "./errors.ts";

/** @throws InvalidInputError when what is sent to `url` could be read on the way. */
export function assertPrivate(url: URL): void {
  const { protocol, hostname } = url;
  if (protocol === "wss:" || protocol === "https:" || isLoopback(hostname)) return;
  throw new InvalidInputError(
    `credentials would travel unencrypted to ${hostname}.`,
    `Use ${protocol === "http:" ? "https" : "wss"}://, or set \`allowInsecure: true\` if the network is yours.`,
  );
}

/** A URL's host name that cannot leave this machine. The URL parser has already made one form of `127.1` and its like. */
function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127(\.\d+){3}$/.test(hostname)
  );
}
