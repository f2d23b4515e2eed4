// Refuses to send credentials to an address that is neither encrypted nor on this machine.
import { InvalidInputError } from "../errors.ts";

/** @throws InvalidInputError if `url` is neither encrypted nor on this machine. */
export function assertPrivate(url: URL): void {
  const { protocol, hostname } = url;
  if (protocol === "wss:" || protocol === "https:" || isLoopback(hostname)) return;
  throw new InvalidInputError(
    `credentials would travel unencrypted to ${hostname}.`,
    `Use ${protocol === "http:" ? "https" : "wss"}://, or set \`allowInsecure: true\` if the network is yours.`,
  );
}

/**
 * Whether the host is `localhost`, 127.0.0.0/8, ::1, or 127.0.0.0/8 mapped to IPv6. The URL parser has normalised forms
 * such as `127.1`. `*.localhost` is excluded, because a resolver may return any address for it.
 */
function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname === "[::1]" ||
    /^127(\.\d+){3}$/.test(hostname) ||
    /^\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\]$/.test(hostname)
  );
}
