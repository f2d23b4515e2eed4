// The entry `agentwire/server/node`: a relay on `node:http`, and chats in a file.
export { type RelayListener, relayListener } from "./listener.node.ts";
export { type SqliteLogOptions, sqliteLog } from "./sqlite-log.node.ts";
