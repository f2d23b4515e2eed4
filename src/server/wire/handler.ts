// Answers the requests of the wire.

import type { Drivers } from "../drive/drivers.ts";
import { DamagedLogError } from "../event-log.ts";
import type { RelayAction, RelayContext, RelaySettings } from "../options.ts";
import type { Channel } from "../view/channel.ts";
import { answer, refusalAnswer, unavailable, WireRefusal } from "./answers.ts";
import { CommandRequests } from "./commands.ts";
import { DurableReads } from "./durable-reads.ts";
import { OriginCheck } from "./origins.ts";
import { type ReadHost, ReadRequests } from "./reads.ts";
import { type ChatRoute, readRoute } from "./route.ts";

export interface RelayHandlerHost {
  readonly settings: RelaySettings;
  readonly drivers: Drivers;
  channel(id: string): Channel;
  tidy(channel: Channel): void;
  background(work: Promise<unknown>): void;
  failed(what: string, error: unknown): void;
}

/** `authorize` has answered the request itself. */
class OwnAnswer extends Error {
  readonly response: Response;

  constructor(response: Response) {
    super("authorize has answered");
    this.response = response;
  }
}

export class RelayHandler {
  /** The relay takes no more commands and viewers. */
  isClosing = false;
  readonly #host: RelayHandlerHost;
  readonly #door: OriginCheck;
  readonly #commands: CommandRequests;
  readonly #reads: ReadRequests;
  readonly #durable: DurableReads;

  constructor(host: RelayHandlerHost) {
    this.#host = host;
    this.#door = new OriginCheck(host.settings);
    const authorize: ReadHost["authorize"] = (request, chat, action) =>
      this.#authorize(request, chat, action);
    this.#commands = new CommandRequests({ ...host, authorize });
    const readHost = { ...host, authorize };
    this.#reads = new ReadRequests(readHost);
    this.#durable = new DurableReads(readHost, this.#reads);
  }

  close(): void {
    this.#commands.close();
  }

  async answer(request: Request, context: object = {}): Promise<Response> {
    let response: Response;
    try {
      response = await this.#answer(request, isContext(context) ? context : {});
    } catch (error) {
      response = error instanceof OwnAnswer ? error.response : refusalAnswer(this.#refusalOf(error));
    }
    return this.#withCors(request, response);
  }

  async #answer(request: Request, context: RelayContext): Promise<Response> {
    const url = new URL(request.url);
    const route = readRoute(request.method, url.pathname, this.#host.settings.basePath);
    this.#door.check(request, url);
    if (route.method === "OPTIONS") return answer(204, null, this.#door.preflight(request));
    if (this.isClosing)
      throw unavailable("closing", "This server is about to stop. Try again: another one answers.");
    return this.#route(route, request, url, context);
  }

  #route(
    { name, chat, method }: ChatRoute,
    request: Request,
    url: URL,
    context: RelayContext,
  ): Promise<Response> {
    switch (name) {
      case "chat":
        return method === "DELETE" ? this.#remove(request, chat) : this.#reads.head(request, chat);
      case "events":
        return this.#reads.events(request, chat, url);
      case "stream":
        return this.#durable.read(request, chat, url);
      case "snapshot":
        return this.#reads.snapshot(request, chat);
      case "commands":
        return this.#commands.take(request, chat, context);
      default:
        return name satisfies never;
    }
  }

  async #remove(request: Request, chat: string): Promise<Response> {
    await this.#authorize(request, chat, "remove");
    const { drivers, settings } = this.#host;
    await drivers.get(chat)?.end("removed");
    await settings.log.remove(chat);
    const channel = this.#host.channel(chat);
    channel.gone();
    this.#host.tidy(channel);
    return answer(204, null);
  }

  /** Returns the user's name. */
  async #authorize(request: Request, chat: string, action: RelayAction): Promise<string> {
    let verdict: unknown;
    try {
      verdict = await this.#host.settings.authorize(request, { chat, action });
    } catch (error) {
      this.#host.failed("`authorize` has thrown", error);
      throw unavailable("authorize-failed", "The server cannot check who you are.");
    }
    if (verdict === false) throw new WireRefusal(401, "unauthorized", "You may not do this. Sign in.");
    if (typeof verdict === "object" && verdict !== null) {
      if (verdict instanceof Response) throw new OwnAnswer(verdict);
      if ("user" in verdict && typeof verdict.user === "string" && verdict.user !== "") return verdict.user;
    }
    this.#host.failed("`authorize` has returned neither { user }, nor false, nor a Response", undefined);
    throw unavailable("authorize-failed", "The server cannot check who you are.");
  }

  #refusalOf(error: unknown): WireRefusal {
    if (error instanceof WireRefusal) return error;
    if (error instanceof DamagedLogError) {
      this.#host.failed("the log is damaged", error);
      return unavailable("log-damaged", "The events of this chat cannot be read.");
    }
    this.#host.failed("the log does not answer", error);
    return unavailable("log-unavailable", "The server cannot reach its log. Try again.");
  }

  #withCors(request: Request, response: Response): Response {
    const headers = Object.entries(this.#door.cors(request));
    try {
      for (const [name, value] of headers) response.headers.set(name, value);
    } catch {
      // Headers of a `Response` from elsewhere may be immutable: its maker sets its own.
    }
    return response;
  }
}

function isContext(context: object): context is RelayContext {
  return "waitUntil" in context && typeof context.waitUntil === "function";
}
