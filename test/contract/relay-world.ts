import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { remote } from "agentwire/remote";
import { createRelay, memoryLog, type Relay } from "agentwire/server";
import { relayListener } from "agentwire/server/node";
import { ManualClock, MockAgent, type UpgradeRefusal } from "agentwire/testing";
import { AgentScript } from "./agent-world.ts";
import {
  type Answer,
  type AnyClient,
  type Backend,
  type ContractOptions,
  type Facts,
  type Fixture,
  type Link,
  type LinkEnd,
  type Received,
  secretOf,
  type Universal,
  type World,
} from "./fixture.ts";
import { TappedStream } from "./tapped-stream.ts";

/** A fixture for viewers of one chat on a relay, over an agent without a wire. */
export function overRelay(name: string, facts: Facts): Fixture {
  return { name, facts, start: () => RelayWorld.start() };
}

/** No promise is about these limits. */
const LIMITS = { maxCommands: 10_000, maxQueued: 1_000 };

/** All clients view the same chat. The relay has a clock of its own. */
class RelayWorld implements World, Backend, Link {
  readonly clock = new ManualClock();
  readonly mistakes: string[] = [];
  readonly #script = new AgentScript();
  readonly #log = memoryLog();
  readonly #clients: AnyClient[] = [];
  readonly #source = remoteSource(() => this.#url);
  readonly #streams: TappedStream[] = [];
  readonly #open = new Set<ServerResponse>();
  readonly #heard: string[] = [];
  #relay: Relay | undefined;
  #server: Server | undefined;
  #url = "";
  #tries = 0;
  #watchers: (() => void)[] = [];
  #refusal: UpgradeRefusal | undefined;
  #nextEnd: { readonly frames: number; readonly how: LinkEnd } | undefined;

  static async start(): Promise<World> {
    const world = new RelayWorld();
    await world.start();
    return world;
  }

  get backend(): Backend {
    return this;
  }

  get link(): Link {
    return this;
  }

  client({ secrets = false }: ContractOptions = {}): AnyClient {
    const client = this.#source(this.clock, secrets).client();
    this.#clients.push(client);
    return client;
  }

  toUniversal(of: Parameters<Universal["toUniversal"]>[0]): ReturnType<Universal["toUniversal"]> {
    return this.#source(this.clock, false).toUniversal(of as never);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close({ force: true })));
    await this.stop();
    await this.#log.close();
  }

  // --- the backend ---

  get answer(): Answer {
    return this.#script.answer;
  }

  set answer(answer: Answer) {
    this.#script.answer = answer;
  }

  get prompts(): readonly Received[] {
    return this.#script.prompts;
  }

  received(count: number): Promise<void> {
    return this.#script.received(count);
  }

  get calls(): number {
    return this.#streams.length;
  }

  /** The log outlives the process: a relay comes back where it was. */
  async start(): Promise<void> {
    const agent = new MockAgent({ deltas: "whole", script: this.#script.play });
    const relay = createRelay({
      source: () => agent,
      log: this.#log,
      authorize: () => ({ user: "user_1" }),
      ...LIMITS,
    });
    const listener = relayListener(relay.handler);
    const server = createServer((request, response) => this.#serve(request, response, listener));
    server.listen(this.#url === "" ? 0 : Number(new URL(this.#url).port), "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (typeof address !== "object" || address === null) throw new Error("no port");
    this.#url = `http://127.0.0.1:${address.port}/chats`;
    this.#relay = relay;
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (!server?.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await this.#relay?.close({ drain: 0 });
    await closed;
  }

  fallSilent(): void {
    this.#script.fallSilent();
  }

  // --- the link ---

  get heard(): string {
    return this.#heard.join("\n");
  }

  get frames(): number {
    return this.#newest.frames;
  }

  say(frame: string | Uint8Array): void {
    this.#newest.say(frame);
  }

  /** The newest stream, and the requests under way: they share what has broken. */
  end(how: LinkEnd): void {
    this.#newest.end(how);
    if (how !== "cut") return;
    for (const response of this.#open) response.destroy();
  }

  endNextBehind(frames: number, how: LinkEnd): void {
    this.#nextEnd = { frames, how };
  }

  refuse(how: UpgradeRefusal | undefined): void {
    this.#refusal = how;
  }

  async tried(times: number): Promise<void> {
    while (this.#tries < times) await new Promise<void>((resolve) => this.#watchers.push(resolve));
  }

  get #newest(): TappedStream {
    const last = this.#streams.at(-1);
    if (!last) throw new Error("Nobody is connected yet");
    return last;
  }

  #serve(
    request: IncomingMessage,
    response: ServerResponse,
    listener: ReturnType<typeof relayListener>,
  ): void {
    const isStream = request.url?.endsWith("/events") ?? false;
    this.#heard.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    request.on("data", (bytes: Buffer) => void this.#heard.push(bytes.toString()));
    request.pause(); // the relay reads when it likes
    if (isStream) {
      this.#tries++;
      for (const tell of this.#watchers.splice(0)) tell();
    }
    if (this.#refusal !== undefined) {
      refuse(response, this.#refusal);
      return;
    }
    if (isStream) {
      this.#streams.push(new TappedStream(response, this.#nextEnd));
      this.#nextEnd = undefined;
    } else {
      this.#open.add(response);
      response.once("close", () => {
        this.#open.delete(response);
        if ([400, 405, 413, 415, 422].includes(response.statusCode))
          this.mistakes.push(`${request.method} ${request.url}: ${response.statusCode}`);
      });
    }
    listener(request, response);
  }
}

function remoteSource(url: () => string) {
  return (clock: ManualClock, secrets: boolean) =>
    remote({
      url: url(),
      chat: "contract",
      clock,
      ...(secrets ? { headers: () => ({ authorization: `Bearer ${secretOf("header")}` }) } : {}),
    });
}

function refuse(response: ServerResponse, how: UpgradeRefusal): void {
  if (how === "never-answered") return;
  if (how === "wrong-accept") response.writeHead(200, { "content-type": "text/html" }).end("<p>Welcome");
  else response.writeHead(how, { "content-type": "application/json" }).end("{}");
}
