// Loads the optional package `@modelcontextprotocol/client`.
import { loadPackage } from "../../../core/load-package.ts";
import type { Peer } from "../../../core/peers.ts";

export type McpClientPackage = typeof import("@modelcontextprotocol/client");

const MCP: Peer = {
  name: "@modelcontextprotocol/client",
  oldest: "2.0",
  install: "@modelcontextprotocol/client@2",
};

/** Imported on first use: most callers have no MCP servers. */
const importPeer = (): Promise<McpClientPackage> => import("@modelcontextprotocol/client");

/** @throws UnsupportedError if the package is missing or not version 2; any other load error */
export const loadPeer = (load: () => Promise<McpClientPackage> = importPeer): Promise<McpClientPackage> =>
  loadPackage("an MCP server", MCP, load, (peer) => typeof peer.StreamableHTTPClientTransport === "function");
