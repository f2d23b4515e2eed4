// A Redis server of a test: on a socket in a folder of the test, without files.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { createClient } from "redis";
import { findProgram } from "../../../scripts/support/find-program.ts";
import { tempFolder } from "../../../scripts/support/temp-folder.ts";

const PROGRAM = findProgram("AGENTWIRE_REDIS", ["redis-server"]);

/** In CI the tests fail in place of being skipped. */
export const isRedisMissing = PROGRAM === undefined && process.env["CI"] !== "true";
if (isRedisMissing)
  console.warn(
    "!!! NOT TESTED ON REDIS: no redis-server on the PATH. Install the package `redis-server`, or set AGENTWIRE_REDIS to the program.",
  );

export type TestClient = ReturnType<typeof connectTo>;

function connectTo(path: string, { failsFast = false }: ClientOptions) {
  const client = createClient({ socket: { path, reconnectStrategy: 5 }, disableOfflineQueue: failsFast });
  client.on("error", () => {}); // a test that ends the server expects them
  return client;
}

interface ClientOptions {
  /** A call without a connection rejects at once, not after 5 s. */
  readonly failsFast?: boolean;
}

export interface TestRedis extends AsyncDisposable {
  /** The socket. */
  readonly path: string;
  /** A new connected client. Closed with the server. */
  client(options?: ClientOptions): Promise<TestClient>;
  /** Has the server listen on a free port of the loopback, for replicas. Returns the arguments of `--replicaof`. */
  listen(): Promise<readonly [host: string, port: string]>;
  kill(): Promise<void>;
  /** Kills the server, and starts another one on the same socket: without its data, unless `settings` keep them. */
  restart(): Promise<void>;
}

/** Starts a server. `settings`: further arguments, such as `--maxmemory-policy allkeys-lru`. */
export async function startRedis(...settings: readonly string[]): Promise<TestRedis> {
  const folder = await tempFolder();
  const socket = join(folder.path, "redis.sock");
  const start = () => startServer(folder.path, socket, settings);
  let server = await start();
  const clients: TestClient[] = [];
  return {
    path: socket,
    async client(options = {}) {
      const client = connectTo(socket, options);
      clients.push(client);
      await client.connect();
      return client;
    },
    async listen() {
      const port = await freePort();
      await clients[0]?.configSet("port", port);
      return ["127.0.0.1", port];
    },
    kill: () => kill(server),
    async restart() {
      await kill(server);
      server = await start();
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) if (client.isOpen) client.destroy();
      await kill(server);
      await folder[Symbol.asyncDispose]();
    },
  };
}

type Server = ChildProcessByStdio<null, Readable, null>;

async function startServer(folder: string, socket: string, settings: readonly string[]): Promise<Server> {
  if (PROGRAM === undefined) throw new Error("there is no redis-server: run `bash .ci/redis`");
  const fixed = [
    "--port",
    "0",
    "--unixsocket",
    socket,
    "--dir",
    folder,
    "--save",
    "",
    "--appendonly",
    "no",
    "--repl-diskless-sync-delay",
    "0",
  ];
  const server = spawn(PROGRAM, [...fixed, ...settings], { stdio: ["ignore", "pipe", "inherit"] });
  const killNow = () => server.kill("SIGKILL");
  process.once("exit", killNow);
  server.once("exit", () => process.off("exit", killNow));
  for await (const line of createInterface({ input: server.stdout })) {
    if (!line.toLowerCase().includes("ready to accept connections")) continue;
    server.stdout.resume();
    return server;
  }
  throw new Error("redis-server ended at its start");
}

async function freePort(): Promise<string> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return String(address.port);
}

async function kill(server: Server): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, "exit");
  server.kill("SIGKILL");
  await gone;
}
