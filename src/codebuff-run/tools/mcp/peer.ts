import { isObject } from "../../../core/checks.ts";
import { UnsupportedError } from "../../../core/errors.ts";

/** The optional peer that speaks the protocol. */
export type Peer = typeof import("@modelcontextprotocol/client");

/** Imported when it is used: most callers have no MCP servers. */
const importPeer = (): Promise<Peer> => import("@modelcontextprotocol/client");

/** @throws UnsupportedError if the package is not installed; what else it throws while it is loaded */
export async function loadPeer(load: () => Promise<Peer> = importPeer): Promise<Peer> {
  try {
    return await load();
  } catch (error) {
    const code = isObject(error) ? error["code"] : undefined;
    if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") throw error;
    throw new UnsupportedError(
      "MCP servers need the package `@modelcontextprotocol/client`, version 2, which is not installed.",
      "Run `npm install @modelcontextprotocol/client@2`.",
    );
  }
}
