// A relay over `node:http`.
import { createServer } from "node:http";
import type { Relay } from "agentwire/server";
import { relayListener } from "agentwire/server/node";
import { onTestFinished } from "vitest";
import { Rig, type RigOptions } from "./rig.ts";
import { TestViewer } from "./viewer.ts";

/** A relay on a socket of this machine. */
export async function served(options: RigOptions = {}, around = (handler: Relay["handler"]) => handler) {
  const rig = new Rig(options);
  const server = createServer(relayListener(around(rig.relay.handler)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    await rig.relay.close({ drain: 0 });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  const url = `http://127.0.0.1:${address.port}`;
  const view = async (path = "/chats/c/events", init: RequestInit = {}) =>
    new TestViewer(await fetch(`${url}${path}`, init));
  const post = (command: object, headers: Record<string, string> = {}) =>
    fetch(`${url}/chats/c/commands`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(command),
    });
  return { rig, url, port: address.port, view, post };
}
