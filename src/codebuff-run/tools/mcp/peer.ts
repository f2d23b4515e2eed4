// Loads the optional package `@modelcontextprotocol/client`.
import { type Peer as Package, peerError } from "../../../core/peers.ts";
import { codeOf } from "../door/refusal.ts";

export type McpClientPackage = typeof import("@modelcontextprotocol/client");

const MCP: Package = {
  name: "@modelcontextprotocol/client",
  oldest: "2.0",
  install: "@modelcontextprotocol/client@2",
};

/** Imported on first use: most callers have no MCP servers. */
const importPeer = (): Promise<McpClientPackage> => import("@modelcontextprotocol/client");

/** @throws UnsupportedError if the package is missing or not version 2; any other load error */
export async function loadPeer(
  load: () => Promise<McpClientPackage> = importPeer,
): Promise<McpClientPackage> {
  try {
    const peer = await load();
    if (typeof peer.StreamableHTTPClientTransport === "function") return peer;
  } catch (error) {
    const code = codeOf(error);
    if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") throw error;
    throw peerError("an MCP server", MCP, undefined);
  }
  throw peerError("an MCP server", MCP, "an older one");
}
