// A relay of one chat on a real socket, written from the wire alone. A test says what it tells, and how it misbehaves.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { UniversalEvent } from "agentwire/universal";

export interface Misbehavior {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** The connection ends without an answer. */
  readonly lost?: true;
}

export interface GivenCommand {
  readonly key: string;
  readonly type: string;
  readonly [field: string]: unknown;
}

interface Viewer {
  readonly response: ServerResponse;
  /** The number of events that it has got. */
  at: number;
  isCaughtUp: boolean;
}

interface Queued {
  readonly key: string;
  readonly at: string;
  readonly by?: string;
  readonly input: { readonly text: string };
}

export class FakeRelay implements AsyncDisposable {
  readonly #server: Server;
  readonly #viewers = new Set<Viewer>();
  log = "log1";
  events: UniversalEvent[] = [];
  /** The first event that is kept, counted from 1. */
  first = 1;
  snapshot: { position: string; saved: unknown } | undefined;
  state: Record<string, unknown> = { source: "mock", driver: "running", busy: false, context_lost: false };
  queue: Queued[] = [];
  /** Events in one frame, when a viewer catches up. */
  frame = 500;
  /** Whether each command is executed: a prompt goes to the queue. */
  accepts = true;
  /** All accepted commands, each once. */
  readonly commands: GivenCommand[] = [];
  /** All posts, repeated ones too. */
  readonly posts: GivenCommand[] = [];
  /** The `Last-Event-ID` of each stream; null for the start. */
  readonly streams: (string | null)[] = [];
  readonly headers: IncomingMessage["headers"][] = [];
  /** The next answers to streams or commands. `lost` commands are executed all the same. */
  readonly nextStreams: Misbehavior[] = [];
  readonly nextCommands: Misbehavior[] = [];
  onCommand: (command: GivenCommand) => void = () => {};
  #changes = new Set<() => void>();

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<FakeRelay> {
    const relay = new FakeRelay();
    await new Promise<void>((resolve) => relay.#server.listen(0, "127.0.0.1", resolve));
    return relay;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/chats`;
  }

  get viewers(): number {
    return this.#viewers.size;
  }

  /** Resolves as soon as `holds()` is true. Looked at after each change. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#changes.add(resolve));
  }

  changed(): void {
    const changes = this.#changes;
    this.#changes = new Set();
    for (const change of changes) change();
  }

  /** Adds events to the log, in one batch. */
  tell(...events: readonly UniversalEvent[]): void {
    this.events.push(...events);
    for (const viewer of this.#viewers) this.#catchUp(viewer);
  }

  /** Changes the state, and tells it. */
  says(state: Record<string, unknown> = {}): void {
    Object.assign(this.state, state);
    for (const viewer of this.#viewers) if (viewer.isCaughtUp) this.#sendState(viewer);
  }

  /** Writes anything to all viewers. */
  write(text: string): void {
    for (const { response } of this.#viewers) response.write(text);
  }

  eventsFrame(last: number, events: readonly unknown[], log = this.log): string {
    return `id: ${log}.${last}\nevent: events\ndata: ${JSON.stringify(events)}\n\n`;
  }

  /** Ends all streams: cleanly, or by cutting their sockets. */
  end(how: "cleanly" | "cut"): void {
    for (const { response } of [...this.#viewers]) {
      if (how === "cleanly") response.end();
      else response.destroy();
    }
    this.#viewers.clear();
  }

  reset(): void {
    this.write('event: reset\ndata: {"reason":"rolled-back"}\n\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end("cut");
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.headers.push(request.headers);
    const path = request.url?.replace(/^\/chats\/[^/]+/, "");
    if (path === "/events") this.#stream(request, response);
    else if (path === "/snapshot") {
      if (this.snapshot) sendJson(response, 200, this.snapshot);
      else response.writeHead(204).end();
    } else if (path === "/commands" && request.method === "POST") await this.#command(request, response);
    else sendJson(response, 404, { code: "no-route", message: "no such route" });
    this.changed();
  }

  #stream(request: IncomingMessage, response: ServerResponse): void {
    const after = request.headers["last-event-id"];
    this.streams.push(typeof after === "string" ? after : null);
    const next = this.nextStreams.shift();
    if (next) {
      misbehave(response, next);
      return;
    }
    const [log, at] = typeof after === "string" ? (after.split(".") as [string, string]) : [this.log, "0"];
    if (log !== this.log)
      sendJson(response, 412, { code: "other-log", message: "another log", log: this.log });
    else if (Number(at) > this.events.length)
      sendJson(response, 409, { code: "ahead", message: "ahead", head: this.events.length });
    else if (Number(at) < this.first - 1)
      sendJson(response, 410, { code: "trimmed", message: "trimmed", first: this.first, snapshot: true });
    else {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("retry: 1000\n\n");
      const viewer: Viewer = { response, at: Number(at), isCaughtUp: false };
      this.#viewers.add(viewer);
      response.on("close", () => {
        this.#viewers.delete(viewer);
        this.changed();
      });
      this.#catchUp(viewer);
      viewer.isCaughtUp = true;
      this.#sendState(viewer);
    }
  }

  #catchUp(viewer: Viewer): void {
    while (viewer.at < this.events.length) {
      const events = this.events.slice(viewer.at, viewer.at + this.frame);
      viewer.at += events.length;
      viewer.response.write(this.eventsFrame(viewer.at, events));
    }
  }

  #sendState(viewer: Viewer): void {
    const { log, queue } = this;
    const state = { head: this.events.length, caught_up: true, log, ...this.state, queue };
    viewer.response.write(`event: state\ndata: ${JSON.stringify(state)}\n\n`);
  }

  async #command(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const command = JSON.parse(body) as GivenCommand;
    this.posts.push(command);
    const next = this.nextCommands.shift();
    if (next && !next.lost) {
      misbehave(response, next);
      return;
    }
    const again = this.commands.some(({ key }) => key === command.key);
    if (!again && this.accepts) {
      this.commands.push(command);
      if (command.type === "prompt") {
        const input = command["input"] as Queued["input"];
        this.queue.push({ key: command.key, at: new Date(0).toISOString(), by: "user_1", input });
      }
      if (command.type === "withdraw") this.queue = this.queue.filter(({ key }) => key !== command["target"]);
    }
    if (next) response.destroy();
    else sendJson(response, 202, { key: command.key, again });
    if (again) return;
    this.says();
    this.onCommand(command);
  }
}

function misbehave(response: ServerResponse, { status, body, headers, lost }: Misbehavior): void {
  if (lost) response.destroy();
  else if (typeof body === "string") response.writeHead(status, headers).end(body);
  else sendJson(response, status, body ?? { code: "x", message: "refused" }, headers);
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}
