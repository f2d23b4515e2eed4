// Tracks which processes of the fake are alive.
import { createServer, type Server, type Socket } from "node:net";
import { createInterface } from "node:readline";
import type { Waiters } from "../waiters.ts";
import type { Greeting } from "./program/lifeline.ts";

/** Reads the first line that a process sends. Later lines only signal a changed record. */
function readGreeting(line: string): Greeting | undefined {
  const value: unknown = JSON.parse(line);
  if (typeof value !== "object" || value === null || !("pid" in value) || typeof value.pid !== "number")
    return undefined;
  return { pid: value.pid, ...("run" in value && typeof value.run === "string" ? { run: value.run } : {}) };
}

export class Lifelines {
  readonly address: string;
  readonly #server: Server;
  readonly #waiters: Waiters;
  readonly #sockets = new Map<Socket, number | undefined>();
  readonly #released = new Set<string>();
  readonly #gone = new Set<number>();
  /** When each run ended, in ms since the epoch. */
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

  /** Whether a known process has ended. */
  isGone(pid: number): boolean {
    return this.#gone.has(pid);
  }

  endOf(run: string): number | undefined {
    return this.#goneRuns.get(run);
  }

  release(name: string): void {
    this.#released.add(name);
    for (const socket of this.#sockets.keys()) socket.write(`${name}\n`);
  }

  /** Kills all live processes, and resolves when they are dead. */
  async stop(): Promise<void> {
    // An open socket means that the process is alive, so no other process has its pid.
    for (const [socket, pid] of this.#sockets) {
      if (pid === undefined) socket.destroy();
      else kill(pid);
    }
    await new Promise((resolve) => this.#server.close(resolve));
    // The server may close before its last socket does.
    await this.#waiters.until(() => this.#sockets.size === 0);
  }

  #accept(socket: Socket): void {
    let run: string | undefined;
    this.#sockets.set(socket, undefined);
    const lines = createInterface({ input: socket });
    for (const each of [socket, lines]) each.on("error", () => {}); // a killed process may reset the connection
    lines.on("line", (line) => {
      const greeting = line === "" ? undefined : readGreeting(line);
      if (greeting) {
        this.#sockets.set(socket, greeting.pid);
        this.#gone.delete(greeting.pid); // pids are reused
        run = greeting.run;
        // The process connected during `stop()`.
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
  } catch {}
}
