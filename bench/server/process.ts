/**
 * What every contender connects to: a process of its own, so that its work is not counted as theirs. It tells its
 * port, and cuts every connection when told to.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import {
  type Connection,
  serveCass,
  serveCodebuff,
  serveCodey,
  serveGraphql,
  servePlain,
  servePlainCodey,
} from "./protocols.ts";
import { serveRun } from "./run.ts";

const PROTOCOLS: Readonly<Record<string, (connection: Connection) => void>> = {
  "/plain": servePlain,
  "/graphql": serveGraphql,
  "/codebuff": serveCodebuff,
  "/plain-codey": servePlainCodey,
  "/codey": serveCodey,
  "/cass": serveCass,
};

const http = createServer((request, response) => {
  if (request.url?.startsWith("/run/")) void serveRun(request, response);
  else response.writeHead(404).end();
});
const webSockets = new WebSocketServer({
  noServer: true,
  perMessageDeflate: false,
  handleProtocols: (offered) => offered.has("graphql-transport-ws") && "graphql-transport-ws",
});

http.on("upgrade", (request, tcp, head) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "ws://bench");
  const serve = PROTOCOLS[pathname];
  const number = (name: string, fallback: number): number => Number(searchParams.get(name) ?? fallback);
  webSockets.handleUpgrade(request, tcp, head, (socket) => {
    const closes = searchParams.has("closes");
    const shape = searchParams.get("shape");
    serve?.({ socket, tcp, closes, shape, count: number("count", 1), turns: number("turns", 1) });
  });
});

process.on("message", () => {
  for (const socket of webSockets.clients) socket.terminate();
});
process.on("disconnect", () => process.exit()); // whoever measured is gone

http.listen(0, "127.0.0.1", () => process.send?.((http.address() as AddressInfo).port));
