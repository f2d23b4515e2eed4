// Loads the optional package `@agentclientprotocol/sdk`.
import { loadPackage } from "../core/load-package.ts";
import type { Peer } from "../core/peers.ts";

export type AcpSdk = typeof import("@agentclientprotocol/sdk");

const SDK: Peer = {
  name: "@agentclientprotocol/sdk",
  oldest: "2.0",
  install: "@agentclientprotocol/sdk@2",
};

/** Imported at the first connection: it takes ten times as long as all of this entry. */
const importPeer = (): Promise<AcpSdk> => import("@agentclientprotocol/sdk");

/** @throws UnsupportedError if the package is missing or older; any other load error */
export const loadSdk = (load: () => Promise<AcpSdk> = importPeer): Promise<AcpSdk> =>
  // Version 2 has the one, and not the other.
  loadPackage(
    "`agentwire/acp`",
    SDK,
    load,
    (sdk) => typeof sdk.client === "function" && !("ClientSideConnection" in sdk),
  );
