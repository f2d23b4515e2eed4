// Redis with a replica: killed and started again with its files, or replaced by its replica.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createClient } from "redis";
import { findProgram } from "../../../scripts/support/find-program.ts";

const PROGRAM = findProgram("AGENTWIRE_REDIS", ["redis-server"]);

type Client = ReturnType<typeof clientOf>;

function clientOf(port: number) {
  const client = createClient({ socket: { host: "127.0.0.1", port, reconnectStrategy: 20 } });
  client.on("error", () => {}); // the server is killed now and then
  return client;
}

interface Member {
  readonly port: number;
  readonly folder: string;
  process: ChildProcess;
}

export class RedisPair {
  readonly #folder: string;
  #count = 0;
  #primary: Member | undefined;
  #replica: Member | undefined;
  readonly #clients = new Set<Client>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The port of the primary. Undefined while it is down. */
  port: number | undefined;

  async start(): Promise<void> {
    this.#primary = await this.#spawn();
    this.port = this.#primary.port;
    await this.#follow();
  }

  /** Kills the primary, and starts it again with its append-only file after so many ms. */
  async restart(down: number): Promise<void> {
    const primary = this.#primary;
    if (!primary) return;
    this.port = undefined;
    await kill(primary.process);
    await setTimeout(down);
    primary.process = await this.#run(primary.port, primary.folder);
    this.port = primary.port;
    await this.#synced();
  }

  /**
   * The replica takes over.
   * @param apart ms in which the old primary still answers and the replica no longer follows. What it confirms then is
   * lost
   * @param down ms without a primary
   */
  async promote(apart: number, down: number): Promise<void> {
    const [primary, replica] = [this.#primary, this.#replica];
    if (!primary || !replica) return;
    await this.#call(replica, ["REPLICAOF", "NO", "ONE"]);
    await setTimeout(apart);
    this.port = undefined;
    await kill(primary.process);
    await setTimeout(down);
    this.#primary = replica;
    this.#replica = undefined;
    this.port = replica.port;
    await this.#follow();
  }

  /** Starts a replica of the primary. Resolves once it has all that the primary has. */
  async #follow(): Promise<void> {
    if (!this.#primary) return;
    this.#replica = await this.#spawn("--replicaof", "127.0.0.1", String(this.#primary.port));
    await this.#synced();
  }

  async #synced(): Promise<void> {
    for (;;) {
      if (!this.#replica) return;
      const info = String(await this.#call(this.#replica, ["INFO", "replication"]));
      if (info.includes("master_link_status:up")) return;
      await setTimeout(20);
    }
  }

  async stop(): Promise<void> {
    this.port = undefined;
    for (const client of this.#clients) client.destroy();
    this.#clients.clear();
    await Promise.all([this.#primary, this.#replica].map((member) => member && kill(member.process)));
  }

  /** Asks a server on a connection of its own. */
  async #call({ port }: Member, command: readonly string[]): Promise<unknown> {
    const client = clientOf(port);
    this.#clients.add(client);
    try {
      await client.connect();
      return await client.sendCommand([...command]);
    } finally {
      if (this.#clients.delete(client)) client.destroy();
    }
  }

  async #spawn(...settings: readonly string[]): Promise<Member> {
    const folder = join(this.#folder, `redis-${++this.#count}`);
    await mkdir(folder);
    const port = await freePort();
    return { port, folder, process: await this.#run(port, folder, ...settings) };
  }

  async #run(port: number, folder: string, ...settings: readonly string[]): Promise<ChildProcess> {
    if (PROGRAM === undefined) throw new Error("there is no redis-server: run `bash .ci/redis`");
    const fixed = {
      port: String(port),
      bind: "127.0.0.1",
      dir: folder,
      save: "",
      appendonly: "yes",
      "repl-diskless-sync-delay": "0",
    };
    const flags = Object.entries(fixed).flatMap(([name, value]) => [`--${name}`, value]);
    const server = spawn(PROGRAM, [...flags, ...settings], { stdio: ["ignore", "ignore", "inherit"] });
    const killNow = (): void => void server.kill("SIGKILL");
    process.once("exit", killNow);
    server.once("exit", () => process.off("exit", killNow));
    const client = clientOf(port);
    await client.connect();
    while ((await client.ping().catch(() => "loading")) !== "PONG") await setTimeout(10);
    client.destroy();
    return server;
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

async function kill(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, "exit");
  server.kill("SIGKILL");
  await gone;
}
