// Loads the optional package `@agentclientprotocol/sdk`.
import { fieldsOf } from "../core/checks.ts";
import { type Peer, peerError } from "../core/peers.ts";

export type AcpAgentSdk = typeof import("@agentclientprotocol/sdk");

const PACKAGE: Peer = {
  name: "@agentclientprotocol/sdk",
  oldest: "2.0",
  install: "@agentclientprotocol/sdk@2",
};

/** Imported at the first connection: it takes ten times as long as all of this entry. */
const importPackage = (): Promise<AcpAgentSdk> => import("@agentclientprotocol/sdk");

/** @throws UnsupportedError if the package is missing or older; any other load error */
export async function loadAgentSdk(load: () => Promise<AcpAgentSdk> = importPackage): Promise<AcpAgentSdk> {
  try {
    const sdk = await load();
    if (typeof sdk.agent === "function" && !("AgentSideConnection" in sdk)) return sdk; // version 2 has one, and not the other
  } catch (error) {
    const { code } = fieldsOf(error);
    if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") throw error;
    throw peerError("`agentwire/acp/agent`", PACKAGE, undefined);
  }
  throw peerError("`agentwire/acp/agent`", PACKAGE, "an older one");
}
