// Loads the optional package `@agentclientprotocol/sdk`.
import { loadPackage } from "../core/load-package.ts";
import type { Peer } from "../core/peers.ts";

export type AcpAgentSdk = typeof import("@agentclientprotocol/sdk");

const PACKAGE: Peer = {
  name: "@agentclientprotocol/sdk",
  oldest: "2.0",
  install: "@agentclientprotocol/sdk@2",
};

/** Imported at the first connection: it takes ten times as long as all of this entry. */
const importPackage = (): Promise<AcpAgentSdk> => import("@agentclientprotocol/sdk");

/** @throws UnsupportedError if the package is missing or older; any other load error */
export const loadAgentSdk = (load: () => Promise<AcpAgentSdk> = importPackage): Promise<AcpAgentSdk> =>
  // Version 2 has the one, and not the other.
  loadPackage(
    "`agentwire/acp/agent`",
    PACKAGE,
    load,
    (sdk) => typeof sdk.agent === "function" && !("AgentSideConnection" in sdk),
  );
