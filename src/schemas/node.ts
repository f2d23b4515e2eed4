// The entry `agentwire/schemas` on Node: says what to install when zod is missing.
import { createRequire } from "node:module";
import { isOlder, type Peer, peerError } from "../core/peers.ts";

/** `exactOptional` came with zod 4.3. */
const ZOD: Peer = { name: "zod", oldest: "4.3", install: "zod@4" };

const load = createRequire(import.meta.url);

/** The entry on Node: an import of a package that is missing fails before any code of the importing module runs, so that it could not say what to install. */
export const {
  contentPartSchema,
  eventDataSchemas,
  universalEventJsonSchema,
  universalEventSchema,
  universalItemSchema,
} = loadSchemas();

/** Loads the file of the same format, so that its zod is the app's own copy. */
function loadSchemas(): typeof import("./index.ts") {
  try {
    return load(import.meta.url.endsWith(".cjs") ? "./schemas.cjs" : "./schemas.js");
  } catch (error) {
    const found = installedZod();
    if (found !== undefined && !isOlder(found, ZOD.oldest)) throw error;
    throw peerError("agentwire/schemas", ZOD, found);
  }
}

function installedZod(): string | undefined {
  try {
    return load("zod/package.json").version;
  } catch {
    return undefined; // not installed
  }
}
