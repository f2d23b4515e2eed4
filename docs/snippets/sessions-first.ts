// #region sessions-first
import { createServer } from "node:http";
import { createRelay } from "agentwire/server";
import { relayListener, sqliteLog } from "agentwire/server/node";
import { MockAgent } from "agentwire/testing/agent";

const relay = createRelay({
  source: () => new MockAgent(), // any source: codey({ url, onToolApproval: "manual" })
  log: sqliteLog("chats.sqlite"),
  authorize: ({ headers }) => headers.get("authorization") === "Bearer secret" && { user: "ada" },
});
createServer(relayListener(relay.handler)).listen(8787, "127.0.0.1");
process.once("SIGINT", () => relay.close().then(() => process.exit()));
// #endregion
