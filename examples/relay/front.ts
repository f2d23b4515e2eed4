import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { EventLog, Relay } from "agentwire/server";
import { relayListener } from "agentwire/server/node";
import { cookieWith, isLetIn, isSame } from "./access.ts";
import { listChats } from "./chats.ts";

const STAY_OUT = "Open the link that the program has printed: it has a token.\n";

/** What the server of the page does first: the chats, their list, and who is let in. */
export function frontOf(relay: Relay, log: EventLog, token: string) {
  const chats: RequestListener = relayListener(relay.handler);
  return (request: IncomingMessage, response: ServerResponse<IncomingMessage>, next: () => void): void => {
    const url = new URL(request.url ?? "/", "http://relay");
    if (url.pathname.startsWith("/chats/")) {
      chats(request, response); // it asks `authorize`
      return;
    }
    const given = url.pathname === "/" ? url.searchParams.get("token") : null;
    if (given !== null && isSame(given, token)) {
      url.searchParams.delete("token"); // out of the address, and of what is copied from it
      response.writeHead(303, { "Set-Cookie": cookieWith(token), Location: `/${url.search}` }).end();
    } else if (url.pathname !== "/" && url.pathname !== "/list") next();
    else if (!isLetIn(request.headers.cookie, token))
      response.writeHead(401, { "Content-Type": "text/plain" }).end(STAY_OUT);
    else if (url.pathname === "/") next();
    else {
      listChats(log).then(
        (list) => response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(list)),
        () => response.writeHead(503).end(),
      );
    }
  };
}
