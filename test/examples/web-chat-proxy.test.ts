import { mkdir } from "node:fs/promises";
import { createServer, type RequestOptions, request, type Server } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ServedPage, serveBuilt, servePage } from "../../examples/web-chat/serve.ts";
import { type TempFolder, tempFolder } from "../../scripts/support/temp-folder.ts";

let folder: TempFolder;
let backend: Server;
/** What has reached the backend. */
const reached: string[] = [];
const pages = new Map<string, ServedPage>();

beforeAll(async () => {
  folder = await tempFolder();
  backend = createServer((req, res) => {
    reached.push(`${req.method}`);
    res.end("the backend");
  });
  backend.on("upgrade", (_, socket) => {
    reached.push("socket");
    socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  });
  await new Promise<void>((resolve) => backend.listen(0, "127.0.0.1", resolve));
  const options = { servers: { codey: `ws://127.0.0.1:${portOf(backend)}` }, port: 0 };
  await mkdir(join(folder.path, "built"));
  pages.set("built", await serveBuilt(join(folder.path, "built"), options));
  pages.set("worked on", await servePage({ ...options, cacheDir: join(folder.path, "cache") }));
});

afterAll(async () => {
  for (const page of pages.values()) await page.close();
  await new Promise((resolve) => backend.close(resolve));
  await folder[Symbol.asyncDispose]();
});

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address ? address.port : Number.NaN;
}

const UPGRADE = {
  Connection: "Upgrade",
  Upgrade: "websocket",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
};

/** The status of the answer to a request for `/codey` at a page. */
async function statusOf(port: number, options: RequestOptions): Promise<number | undefined> {
  return await new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path: "/codey", agent: false, ...options });
    asked.on("response", (response) => resolve(response.resume().statusCode));
    asked.on("upgrade", (response, socket) => {
      socket.destroy();
      resolve(response.statusCode);
    });
    asked.on("error", reject).end();
  });
}

interface Claims {
  readonly Host: string;
  readonly Origin?: string;
}

const OWN: readonly [string, (port: number) => Claims][] = [
  ["the page", (port) => ({ Host: `127.0.0.1:${port}`, Origin: `http://127.0.0.1:${port}` })],
  ["the page, by its name", (port) => ({ Host: `localhost:${port}`, Origin: `http://localhost:${port}` })],
];

const FOREIGN: readonly [string, (port: number) => Claims][] = [
  ["another site", (port) => ({ Host: `127.0.0.1:${port}`, Origin: "https://evil.example" })],
  ["another port of this machine", (port) => ({ Host: `127.0.0.1:${port}`, Origin: "http://127.0.0.1:1" })],
  ["a page in a file", (port) => ({ Host: `127.0.0.1:${port}`, Origin: "null" })],
  ["another scheme", (port) => ({ Host: `127.0.0.1:${port}`, Origin: `https://127.0.0.1:${port}` })],
  [
    "the page by its other name",
    (port) => ({ Host: `127.0.0.1:${port}`, Origin: `http://localhost:${port}` }),
  ],
  [
    "a foreign name that resolves to this machine",
    (port) => ({ Host: `evil.example:${port}`, Origin: `http://evil.example:${port}` }),
  ],
  ["a host with another port", () => ({ Host: "127.0.0.1:1", Origin: "http://127.0.0.1:1" })],
  ["an invalid host", (port) => ({ Host: "[", Origin: `http://127.0.0.1:${port}` })],
];

describe.each(["built", "worked on"])("the page server of the web chat, %s,", (kind) => {
  const portOfPage = (): number => Number(new URL(pages.get(kind)?.url ?? "").port);

  test.each(OWN)("forwards sockets and requests of %s", async (_, claims) => {
    const port = portOfPage();
    expect(await statusOf(port, { headers: { ...UPGRADE, ...claims(port) } })).toBe(101);
    expect(await statusOf(port, { method: "POST", headers: { ...claims(port) } })).toBe(200);
    expect(reached.splice(0)).toEqual(["socket", "POST"]);
  });

  test.each(FOREIGN)("responds 403 to a socket and to a request of %s", async (_, claims) => {
    const port = portOfPage();
    expect(await statusOf(port, { headers: { ...UPGRADE, ...claims(port) } })).toBe(403);
    expect(await statusOf(port, { method: "POST", headers: { ...claims(port) } })).toBe(403);
    expect(reached).toEqual([]);
  });

  test("responds 403 to a socket without an origin, and forwards such a request", async () => {
    const port = portOfPage();
    const Host = `127.0.0.1:${port}`;
    expect(await statusOf(port, { headers: { ...UPGRADE, Host } })).toBe(403);
    expect(await statusOf(port, { headers: { Host } })).toBe(200);
    expect(reached.splice(0)).toEqual(["GET"]);
  });
});
