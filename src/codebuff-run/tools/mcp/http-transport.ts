// MCP servers at an address, over the transports of the MCP package.
import type { Transport } from "@modelcontextprotocol/client";
import { guardedFetch } from "./guarded-fetch.ts";
import { withoutDeepMessages } from "./nesting.ts";
import type { Peer } from "./peer.ts";

export interface HttpSetup {
  readonly peer: Peer;
  readonly kind: "http" | "sse";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
  /** The stream of a server of the kind `sse` has ended: no answer can come any more. */
  readonly lost: () => void;
}

export interface HttpTransport {
  readonly transport: Transport;
  /** Tells the server that the session is over. */
  readonly leave: () => Promise<void>;
}

/**
 * The transports of the package. A stream that breaks is not opened again: its call fails, and the next run makes a new session. So no
 * timer of the package outlives a call.
 */
export function httpTransport({ peer, kind, url, headers, fetch, lost }: HttpSetup): HttpTransport {
  const requestInit = { headers: { ...headers } };
  if (kind === "sse") {
    const guarded = guardedFetch(fetch, lost);
    const transport = new peer.SSEClientTransport(url, { requestInit, fetch: guarded });
    return { transport: withoutDeepMessages(transport), leave: async () => {} };
  }
  const transport = new peer.StreamableHTTPClientTransport(url, {
    requestInit,
    fetch: guardedFetch(fetch, () => {}),
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 0,
      maxReconnectionDelay: 0,
      reconnectionDelayGrowFactor: 1,
    },
  });
  return { transport: withoutDeepMessages(transport), leave: () => transport.terminateSession() };
}
