// The entry `agentwire/server/node`: a relay on `node:http`.
export { type RelayListener, relayListener } from "./listener.node.ts";
