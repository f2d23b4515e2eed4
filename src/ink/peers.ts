import { UnsupportedError } from "../core/errors.ts";

/** What an app installs beside this package. */
const INSTALL = "Install it: npm install ink@8 react@19";

const OLDEST_INK = 8;
const INK = `ink ${OLDEST_INK}`;
/** Ink 8 uses what older versions of React do not have. */
const REACT = [19, 3] as const;

/** What is installed, for messages. */
export interface Installed {
  readonly react: () => Promise<string>;
  /** Absent: not known. */
  readonly ink: () => Promise<string | undefined>;
}

const installed: Installed = {
  react: async () => (await import("react")).version,
  ink: async () => {
    const { readFileSync } = await import("node:fs"); // `readFile` would leave a handle that closes later
    try {
      const text = readFileSync(new URL("../package.json", import.meta.resolve("ink")), "utf8");
      return /"version":\s*"([^"]+)"/.exec(text)?.[1];
    } catch {
      return undefined; // the message does without it
    }
  },
};

/**
 * Loads what imports Ink and React, once React is new enough.
 *
 * @throws UnsupportedError if a package is missing or too old. The message names what is found, what is needed, and the command that
 *   installs it.
 */
export async function withPeers<Loaded>(
  load: () => Promise<Loaded>,
  { react, ink }: Installed = installed,
): Promise<Loaded> {
  try {
    const found = await react();
    if (isOldReact(found)) throw new UnsupportedError(needs(`react ${REACT.join(".")}`, found), INSTALL);
    const loaded = await load();
    const other = await ink(); // an older Ink may export all names that are imported
    if (other !== undefined && Number.parseInt(other, 10) < OLDEST_INK)
      throw new UnsupportedError(needs(INK, other), INSTALL);
    return loaded;
  } catch (error) {
    const peer = missingPeer(error);
    if (!peer) throw error;
    const needed = peer.name === "ink" ? INK : `react ${REACT.join(".")}`;
    const found = peer.isOld && peer.name === "ink" ? await ink() : undefined;
    const says = peer.isOld ? needs(needed, found ?? "an older version") : needs(needed, undefined);
    throw new UnsupportedError(says, INSTALL);
  }
}

function needs(what: string, found: string | undefined): string {
  const is = found === undefined ? "is not installed" : `is needed, and this is ${found}`;
  return `agentwire/ink: ${what} ${is}.`;
}

function isOldReact(found: string): boolean {
  const [major = 0, minor = 0] = found.split(".", 2).map(Number);
  return major < REACT[0] || (major === REACT[0] && minor < REACT[1]);
}

/** What Node says of an import that it does not find, or of a name that an old version does not export. */
function missingPeer(
  error: unknown,
): { readonly name: "ink" | "react"; readonly isOld: boolean } | undefined {
  if (!(error instanceof Error)) return undefined;
  const missing = /^Cannot find (?:package|module) '(ink|react)[/']/.exec(error.message)?.[1];
  const old = /^The requested module '(ink|react)(?:\/[^']*)?' does not provide/.exec(error.message)?.[1];
  const name = missing ?? old;
  return name === "ink" || name === "react" ? { name, isOld: old !== undefined } : undefined;
}
