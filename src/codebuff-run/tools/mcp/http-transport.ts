// The transports for remote MCP servers, from the MCP package.
import type { Transport } from "@modelcontextprotocol/client";
import { guardedFetch } from "./guarded-fetch.ts";
import { withoutDeepMessages } from "./nesting.ts";
import type { McpClientPackage } from "./peer.ts";

interface HttpSetup {
  readonly peer: McpClientPackage;
  readonly kind: "http" | "sse";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
  /** Called when the stream of an `sse` server ends: no answers follow. */
  readonly lost: () => void;
}

export interface HttpTransport {
  readonly transport: Transport;
  readonly leave: () => Promise<void>;
}

/** Creates a transport without reconnects. A broken stream fails its call; the next run connects again. */
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
