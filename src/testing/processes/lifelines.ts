// Tracks which processes of a program are alive, and talks to them.
import { randomUUID } from "node:crypto";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Dict, isDict } from "../server/dict.ts";
import type { Waiters } from "../waiters.ts";
import type { Greeting } from "./lifeline.ts";

/** Hears what one process says behind its greeting, and that it has ended. */
export interface LifelineListener {
  line(text: string): void;
  ended(): void;
}

/** Called when a process has greeted. Without a listener, its later lines only signal a changed record. */
type Listen = (greeting: Dict, say: (line: string) => void) => LifelineListener | undefined;

/** Reads the first line that a process sends. */
function readGreeting(line: string): (Greeting & Dict) | undefined {
  const value: unknown = JSON.parse(line);
  if (!isDict(value) || typeof value["pid"] !== "number") return undefined;
  const { pid, run } = value;
  return { ...value, pid, ...(typeof run === "string" ? { run } : {}) };
}

export class Lifelines {
  readonly address: string;
  readonly #server: Server;
  readonly #waiters: Waiters;
  readonly #listen: Listen;
  readonly #sockets = new Map<Socket, number | undefined>();
  readonly #released = new Set<string>();
  readonly #gone = new Set<number>();
  /** When each run ended, in ms since the epoch. */
  readonly #goneRuns = new Map<string, number>();

  private constructor(address: string, server: Server, waiters: Waiters, listen: Listen) {
    this.address = address;
    this.#server = server;
    this.#waiters = waiters;
    this.#listen = listen;
    server.on("connection", (socket) => this.#accept(socket));
  }

  /** @param folder an existing folder for the socket; on Windows a pipe is used */
  static async open(folder: string, waiters: Waiters, listen: Listen = () => undefined): Promise<Lifelines> {
    const address = process.platform === "win32" ? `\\\\.\\pipe\\${randomUUID()}` : join(folder, "lifeline");
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(address, resolve);
    });
    return new Lifelines(address, server, waiters, listen);
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
    let listener: LifelineListener | undefined;
    this.#sockets.set(socket, undefined);
    const lines = createInterface({ input: socket });
    for (const each of [socket, lines]) each.on("error", () => {}); // a killed process may reset the connection
    lines.on("line", (line) => {
      const greeting = line === "" || listener ? undefined : readGreeting(line);
      if (greeting) {
        this.#sockets.set(socket, greeting.pid);
        this.#gone.delete(greeting.pid); // pids are reused
        run = greeting.run;
        listener = this.#listen(greeting, (text) => socket.write(`${text}\n`));
        // The process connected during `stop()`.
        if (!this.#server.listening) kill(greeting.pid);
      } else listener?.line(line);
      this.#waiters.changed();
    });
    socket.on("close", () => {
      const pid = this.#sockets.get(socket);
      this.#sockets.delete(socket);
      if (pid !== undefined) this.#gone.add(pid);
      if (run !== undefined) this.#goneRuns.set(run, Date.now());
      listener?.ended();
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
