// Checks that Ink and React are installed and new enough.
import { isOlder, type Peer, peerError } from "../core/peers.ts";

const ENTRY = "agentwire/ink";
const install = "ink@8 react@19";
const INK: Peer = { name: "ink", oldest: "8.0", install };
/** Ink 8 needs this version of React. */
const REACT: Peer = { name: "react", oldest: "19.3", install };

export interface Installed {
  readonly react: () => Promise<string>;
  /** Undefined if unknown. */
  readonly ink: () => Promise<string | undefined>;
}

const installed: Installed = {
  react: async () => (await import("react")).version,
  ink: async () => {
    const { readFileSync } = await import("node:fs"); // `readFile` would keep a handle open for longer
    try {
      const text = readFileSync(new URL("../package.json", import.meta.resolve("ink")), "utf8");
      return /"version":\s*"([^"]+)"/.exec(text)?.[1];
    } catch {
      return undefined; // the error message then names no version
    }
  },
};

/**
 * Loads the modules that import Ink and React, once React is new enough.
 * @throws UnsupportedError if a package is missing or too old. The message names the found version, the required
 * version and the install command.
 */
export async function withPeers<Loaded>(
  load: () => Promise<Loaded>,
  { react, ink }: Installed = installed,
): Promise<Loaded> {
  try {
    const found = await react();
    if (isOlder(found, REACT.oldest)) throw peerError(ENTRY, REACT, found);
    const loaded = await load();
    const other = await ink(); // an older Ink may export all imported names
    if (other !== undefined && isOlder(other, INK.oldest)) throw peerError(ENTRY, INK, other);
    return loaded;
  } catch (error) {
    const failed = failedPeer(error);
    if (!failed) throw error;
    const { peer, isOld } = failed;
    const found = peer === INK ? await ink() : undefined;
    throw peerError(ENTRY, peer, isOld ? (found ?? "an older one") : undefined);
  }
}

/** Recognises Node's errors for a missing module, and for a name that an old version does not export. */
function failedPeer(error: unknown): { readonly peer: Peer; readonly isOld: boolean } | undefined {
  if (!(error instanceof Error)) return undefined;
  const missing = /^Cannot find (?:package|module) '(ink|react)[/']/.exec(error.message)?.[1];
  const old = /^The requested module '(ink|react)(?:\/[^']*)?' does not provide/.exec(error.message)?.[1];
  const name = missing ?? old;
  return name === undefined ? undefined : { peer: name === "ink" ? INK : REACT, isOld: old !== undefined };
}
