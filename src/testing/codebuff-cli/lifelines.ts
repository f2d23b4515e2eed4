// Knows which processes of the fake still live.
import { createServer, type Server, type Socket } from "node:net";
import { createInterface } from "node:readline";
import type { Waiters } from "../waiters.ts";

/** What a process says first; more lines only say that its record has changed. */
function readGreeting(line: string): { readonly pid: number; readonly run?: string } | undefined {
  const value: unknown = JSON.parse(line);
  if (typeof value !== "object" || value === null || !("pid" in value) || typeof value.pid !== "number")
    return undefined;
  return { pid: value.pid, ...("run" in value && typeof value.run === "string" ? { run: value.run } : {}) };
}

/** The processes of the fake, each connected as long as it lives: so their end is known, even that by SIGKILL. */
export class Lifelines {
  readonly address: string;
  readonly #server: Server;
  readonly #waiters: Waiters;
  readonly #sockets = new Map<Socket, number | undefined>();
  readonly #released = new Set<string>();
  readonly #gone = new Set<number>();
  /** When which run was found to be gone, in ms since the epoch. */
  readonly #goneRuns = new Map<string, number>();

  private constructor(address: string, server: Server, waiters: Waiters) {
    this.address = address;
    this.#server = server;
    this.#waiters = waiters;
    server.on("connection", (socket) => this.#accept(socket));
  }

  /** @param address the path of a socket, or the name of a pipe on Windows */
  static async open(address: string, waiters: Waiters): Promise<Lifelines> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(address, resolve);
    });
    return new Lifelines(address, server, waiters);
  }

  /** Whether a process has been there, and is no more. */
  isGone(pid: number): boolean {
    return this.#gone.has(pid);
  }

  /** When a run was found to be no more, in ms since the epoch. */
  endOf(run: string): number | undefined {
    return this.#goneRuns.get(run);
  }

  release(name: string): void {
    this.#released.add(name);
    for (const socket of this.#sockets.keys()) socket.write(`${name}\n`);
  }

  /** Kills what lives, and resolves once it is dead. */
  async stop(): Promise<void> {
    // While its socket is open a process is alive, so no other one can have its number by now.
    for (const [socket, pid] of this.#sockets) {
      if (pid === undefined) socket.destroy();
      else kill(pid);
    }
    await new Promise((resolve) => this.#server.close(resolve));
    // The server may say so before the last of its sockets does.
    await this.#waiters.until(() => this.#sockets.size === 0);
  }

  #accept(socket: Socket): void {
    let run: string | undefined;
    this.#sockets.set(socket, undefined);
    const lines = createInterface({ input: socket });
    for (const each of [socket, lines]) each.on("error", () => {}); // a process that is killed may reset it
    lines.on("line", (line) => {
      const greeting = line === "" ? undefined : readGreeting(line);
      if (greeting) {
        this.#sockets.set(socket, greeting.pid);
        this.#gone.delete(greeting.pid); // numbers are used again
        run = greeting.run;
        // One that comes while all are being killed.
        if (!this.#server.listening) kill(greeting.pid);
      }
      this.#waiters.changed();
    });
    socket.on("close", () => {
      const pid = this.#sockets.get(socket);
      this.#sockets.delete(socket);
      if (pid !== undefined) this.#gone.add(pid);
      if (run !== undefined) this.#goneRuns.set(run, Date.now());
      this.#waiters.changed();
    });
    for (const name of this.#released) socket.write(`${name}\n`);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has just ended.
  }
}
