import { rmSync, symlinkSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { ManualClock } from "agentwire/testing";
import { type TempFolder, tempFolder } from "../../scripts/support/temp-folder.ts";
import { fastStart } from "../helpers/sources.ts";
import type {
  Answer,
  AnyClient,
  Backend,
  ContractOptions,
  Facts,
  Fixture,
  Link,
  Received,
  Step,
  Universal,
  World,
} from "./fixture.ts";
import { usual } from "./fixture.ts";

/** How a program was called. */
export interface Call {
  readonly argv: readonly string[];
  readonly key?: string;
}

/** What a client has to start. */
export interface Startable {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What a program writes, or how it ends. */
export type Saying = { readonly out: string } | { readonly err: string; readonly exit: number };

/** What differs between the protocols whose backend is a program. */
export interface ProcessProtocol extends Universal {
  readonly name: string;
  readonly facts: Facts;
  client(options: ContractOptions, program: Startable, clock: ManualClock): AnyClient;
  /** The prompt of a call, and the session that it goes on with. */
  read(call: Call): { readonly prompt: string; readonly session: string | undefined };
  say(step: Step): Saying;
  /** The last words of an answer, which tell the session. */
  end(session: string): Saying;
}

/** A fixture for a protocol whose backend is a program that the client starts. */
export function overProcesses(protocol: ProcessProtocol): Fixture {
  const { name, facts } = protocol;
  return { name, facts, start: () => ProcessWorld.start(protocol) };
}

const PROGRAM = fileURLToPath(new URL("programs/told.ts", import.meta.url));

/** A process has no link: there are its pipes, and they end with it. */
const NO_LINK = "a process has no link";

class ProcessWorld implements World, Backend {
  readonly clock = new ManualClock();
  answer: Answer = usual;
  readonly prompts: Received[] = [];
  readonly mistakes: readonly string[] = [];
  calls = 0;
  readonly #protocol: ProcessProtocol;
  readonly #folder: TempFolder;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #clients: AnyClient[] = [];
  readonly #said = new Map<string, readonly string[]>();
  #arrived: (() => void)[] = [];
  #isSilent = false;

  private constructor(protocol: ProcessProtocol, folder: TempFolder) {
    this.#protocol = protocol;
    this.#folder = folder;
    this.#server = createServer((socket) => this.#accept(socket));
  }

  static async start(protocol: ProcessProtocol): Promise<World> {
    const world = new ProcessWorld(protocol, await tempFolder());
    await new Promise<void>((resolve) => world.#server.listen(world.#address, resolve));
    await world.start();
    return world;
  }

  get #address(): string {
    return join(this.#folder.path, "told");
  }

  get #command(): string {
    return join(this.#folder.path, "program");
  }

  get backend(): Backend {
    return this;
  }

  get link(): Link {
    throw new Error(NO_LINK);
  }

  client(options: ContractOptions = {}): AnyClient {
    const env = { TOLD_BY: this.#address, ...fastStart() };
    const program = { command: this.#command, args: [PROGRAM], env };
    const client = this.#protocol.client(options, program, this.clock);
    this.#clients.push(client);
    return client;
  }

  toUniversal(of: Parameters<Universal["toUniversal"]>[0]): ReturnType<Universal["toUniversal"]> {
    return this.#protocol.toUniversal(of);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close({ force: true })));
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
    await this.#folder[Symbol.asyncDispose]();
  }

  async received(count: number): Promise<void> {
    while (this.prompts.length < count) await new Promise<void>((resolve) => this.#arrived.push(resolve));
  }

  async start(): Promise<void> {
    symlinkSync(process.execPath, this.#command);
  }

  async stop(): Promise<void> {
    rmSync(this.#command);
    for (const socket of this.#sockets) socket.destroy();
  }

  fallSilent(): void {
    this.#isSilent = true;
  }

  #accept(socket: Socket): void {
    this.calls++;
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    const lines = createInterface({ input: socket });
    for (const each of [socket, lines]) each.on("error", () => {}); // who is killed may reset it
    lines.once("line", (line) => void this.#play(socket, JSON.parse(line)));
  }

  async #play(socket: Socket, call: Call): Promise<void> {
    const { prompt, session } = this.#protocol.read(call);
    const known = (session !== undefined && this.#said.get(session)) || [];
    this.prompts.push({ text: prompt, known });
    for (const tell of this.#arrived.splice(0)) tell();
    const write = (saying: object): void => {
      if (!this.#isSilent && socket.writable) socket.write(`${JSON.stringify(saying)}\n`);
    };
    for await (const step of this.answer(prompt)) {
      const saying = this.#protocol.say(step);
      write(saying);
      if ("exit" in saying) return;
    }
    const told = `s-${this.prompts.length}`;
    this.#said.set(told, [...known, prompt]);
    write(this.#protocol.end(told));
    write({ exit: 0 });
  }
}
