// The entry `agentwire/schemas` on Node, with an error that says what to install if zod is missing.
import { createRequire } from "node:module";
import { isOlder, type Peer, peerError } from "../core/peers.ts";

/** `exactOptional` came with zod 4.3. */
const ZOD: Peer = { name: "zod", oldest: "4.3", install: "zod@4" };

const load = createRequire(import.meta.url);

/** A static import of a missing zod would fail before this code could say what to install. */
export const {
  contentPartSchema,
  eventDataSchemas,
  universalEventJsonSchema,
  universalEventSchema,
  universalItemSchema,
} = loadSchemas();

function loadSchemas(): typeof import("./index.ts") {
  try {
    return load("./schemas.js");
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
