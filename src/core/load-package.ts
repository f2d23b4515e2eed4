// Loads an optional package that an entry needs.
import { fieldsOf } from "./checks.ts";
import { type Peer, peerError } from "./peers.ts";

/**
 * Loads an optional package. `entry`: what needs it.
 * @throws UnsupportedError if the package is missing, or if `isNewEnough` is false; any other load error
 */
export async function loadPackage<Module>(
  entry: string,
  peer: Peer,
  load: () => Promise<Module>,
  isNewEnough: (module: Module) => boolean,
): Promise<Module> {
  try {
    const module = await load();
    if (isNewEnough(module)) return module;
  } catch (error) {
    const { code } = fieldsOf(error);
    if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") throw error;
    throw peerError(entry, peer, undefined);
  }
  throw peerError(entry, peer, "an older one");
}
