import { UnsupportedError } from "../core/errors.ts";

/** The packages that an app installs beside this one, each with the oldest version that works. */
const PEERS = "npm install ink@8 react@19";

/**
 * Loads what imports Ink and React.
 *
 * @throws UnsupportedError if a package is missing or too old. The message names the packages and the versions to install.
 */
export async function withPeers<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  try {
    return await load();
  } catch (error) {
    const missing = missingPeer(error);
    if (missing === undefined) throw error;
    throw new UnsupportedError(`agentwire/ink needs ${missing}.`, `Install it: ${PEERS}`);
  }
}

/** What Node says of an import that it does not find, or of a name that an old version does not export. */
function missingPeer(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const missing = /^Cannot find (?:package|module) '(ink|react)[/']/.exec(error.message)?.[1];
  if (missing !== undefined) return `the package ${missing}, which is not installed`;
  const old = /^The requested module '(ink|react)(?:\/[^']*)?' does not provide/.exec(error.message)?.[1];
  return old === undefined ? undefined : `a newer version of the package ${old}`;
}
