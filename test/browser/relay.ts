import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { type WebSocket, WebSocketServer } from "ws";
import type { Order } from "./protocol.ts";
import { RelayPort } from "./relay-port.ts";

// A page cannot listen. So its mock servers think in the page, and have their ports, sockets and cables here: each
// WebSocket that comes in opens one port, and steers it until it closes. Vitest runs this before the tests.

let pages: WebSocketServer | undefined;

export async function setup(project: TestProject): Promise<void> {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  pages = server;
  await new Promise((resolve, reject) => server.once("listening", resolve).once("error", reject));
  server.on("connection", (page) => void serve(page));
  project.provide("relay", `ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

export async function teardown(): Promise<void> {
  for (const page of pages?.clients ?? []) page.terminate();
  await new Promise((resolve) => pages?.close(resolve));
}

async function serve(page: WebSocket): Promise<void> {
  const port = await RelayPort.open((news) => page.send(JSON.stringify(news)));
  page.on("message", (data) => {
    const order: Order = JSON.parse(String(data));
    if (order.order === "stop") void port.stop().then(() => page.close(1000));
    else port.obey(order);
  });
  // A page that is gone has no server any more.
  page.on("close", () => void port.stop());
  if (page.readyState !== page.OPEN) await port.stop();
}
