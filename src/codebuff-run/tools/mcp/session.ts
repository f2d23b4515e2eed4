// One session with an MCP server: handshake, list of tools, calls, end.
import type { Client, Transport } from "@modelcontextprotocol/client";
import type { ToolOutput } from "../../../codebuff-events/print-mode.ts";
import { fieldsOf, isObject } from "../../../core/checks.ts";
import { type Clock, MAX_DELAY } from "../../../core/clock.ts";
import { AgentwireError, ClosedError, ConnectError, said } from "../../../core/errors.ts";
import { Waits } from "../../../core/http/waits.ts";
import { Redactor } from "../../../core/tell/redact.ts";
import type { StandardSchema } from "../../calls/tool-schema.ts";
import { failure } from "../../calls/toolbox.ts";
import type { Target } from "./config.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import { withoutDeepMessages } from "./nesting.ts";
import { loadPeer, type McpClientPackage } from "./peer.ts";
import { outputOf } from "./results.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** Limits of one server, in ms; 0 disables a limit. */
export interface McpLimits {
  readonly startTimeout: number;
  readonly listTimeout: number;
  readonly callTimeout: number;
}

export interface McpSessionSetup {
  readonly name: string;
  readonly target: Target;
  readonly limits: McpLimits;
  readonly environment: (env: Readonly<Record<string, string>>) => NodeJS.ProcessEnv;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
}

/** Pages of the tool list. Bounds an endless list. */
const MAX_PAGES = 64;

/** ms for ending the session on the server. */
const LEAVE_GRACE = 1_000;

/** Characters of a server's error message. */
const MAX_WORDS = 4_000;

/** Accepts any object. The package would reject a whole answer for one unknown part. */
const ANY_OBJECT = {
  "~standard": {
    version: 1,
    vendor: "agentwire",
    validate: (value: unknown) =>
      isObject(value) ? { value } : { issues: [{ message: "the answer is no object" }] },
  },
} as const satisfies StandardSchema;

/** Disables the package's timeout, which ignores the injected clock. */
const NO_LIMIT = { timeout: MAX_DELAY };

const NO_RECONNECTION = {
  maxRetries: 0,
  initialReconnectionDelay: 0,
  maxReconnectionDelay: 0,
  reconnectionDelayGrowFactor: 1,
};

/** One session with a server, from start to end. Cannot be reopened. */
export class McpSession {
  readonly #setup: McpSessionSetup;
  readonly #waits: Waits;
  readonly #redactor = new Redactor();
  #client: Client | undefined;
  #transport: Transport | undefined;
  #leave: () => Promise<void> = async () => {};
  #closing: Promise<void> | undefined;
  isOver = false;
  #calls = 0;

  constructor(setup: McpSessionSetup) {
    this.#setup = setup;
    this.#waits = new Waits(setup.clock);
    this.#redactor.use(this, ...setup.target.secrets);
  }

  get isBusy(): boolean {
    return this.#calls > 0;
  }

  /** Starts the server and does the handshake. @throws UnsupportedError without the package; ConnectError */
  async open(): Promise<void> {
    const { limits } = this.#setup;
    const peer = await loadPeer();
    if (this.#closing) throw new ClosedError("the client was closed while the server started");
    const transport = this.#transportOf(peer);
    const client = new peer.Client({ name: "agentwire", version: "1" }, { capabilities: {} });
    client.onclose = () => {
      this.isOver = true;
    };
    client.onerror = () => {}; // unreadable messages; calls have their own limit
    this.#transport = transport;
    this.#client = client;
    try {
      await this.#waits.run({ what: "the handshake", timeout: limits.startTimeout }, (signal) =>
        client.connect(transport, { signal, ...NO_LIMIT }),
      );
    } catch (error) {
      throw new ConnectError(this.#wordsOf(error));
    }
  }

  /** A remote transport does not reconnect. A broken stream fails its call; the next run connects again. */
  #transportOf(peer: McpClientPackage): Transport {
    const { target, environment, fetch, clock } = this.#setup;
    if (target.kind === "stdio") {
      const { command, args, env, cwd } = target;
      return new StdioTransport({ command, args, env: environment(env), cwd, clock });
    }
    const { kind, url, headers } = target;
    const requestInit = { headers: { ...headers } };
    if (kind === "sse") {
      const lost = (): void => void this.#client?.close(); // the stream has ended: no answers follow
      const options = { requestInit, fetch: guardedFetch(fetch, lost) };
      return withoutDeepMessages(new peer.SSEClientTransport(url, options));
    }
    const transport = new peer.StreamableHTTPClientTransport(url, {
      requestInit,
      fetch: guardedFetch(fetch, () => {}),
      reconnectionOptions: NO_RECONNECTION,
    });
    this.#leave = () => transport.terminateSession();
    return withoutDeepMessages(transport);
  }

  async tools(signal: AbortSignal): Promise<readonly unknown[]> {
    const client = this.#client;
    if (!client?.getServerCapabilities()?.tools) return [];
    const timeout = this.#setup.limits.listTimeout;
    try {
      return await this.#waits.run({ what: "the list of tools", timeout, signal }, (inner) =>
        this.#allTools(client, inner),
      );
    } catch (error) {
      throw new ConnectError(this.#wordsOf(error));
    }
  }

  async #allTools(client: Client, signal: AbortSignal): Promise<readonly unknown[]> {
    const all: unknown[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const request = { method: "tools/list", params };
      const read: unknown = await client.request(request, ANY_OBJECT, { signal, ...NO_LIMIT });
      const { tools, nextCursor } = fieldsOf(read);
      if (Array.isArray(tools)) all.push(...(tools as readonly unknown[]));
      if (typeof nextCursor !== "string") return all;
      cursor = nextCursor;
    }
    throw new Error(`the list of tools has more than ${MAX_PAGES} pages`);
  }

  /** Calls a tool. Failures become results. Throws only if `signal` aborts; the server is then notified. */
  async call(
    name: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<readonly ToolOutput[]> {
    const client = this.#client;
    if (!client || this.isOver) return failure(this.#callFailure(new Error("the session is over")));
    const timeout = this.#setup.limits.callTimeout;
    const request = { method: "tools/call", params: { name, arguments: input } };
    this.#calls++;
    try {
      const result = await this.#waits.run({ what: name, timeout, signal }, (inner) =>
        client.request(request, ANY_OBJECT, { signal: inner, ...NO_LIMIT }),
      );
      return outputOf(result);
    } catch (error) {
      signal.throwIfAborted();
      return failure(this.#callFailure(error));
    } finally {
      this.#calls--;
    }
  }

  #callFailure(error: unknown): string {
    const words = this.#wordsOf(error);
    return isAnswer(error) ? words : `The MCP server ${this.#setup.name} has failed: ${words}`;
  }

  /** The error text. If the server has ended, the reason for its end. */
  #wordsOf(error: unknown): string {
    const ended = this.#transport instanceof StdioTransport ? this.#transport.why : undefined;
    return this.#redactor.redact(ended ?? wordsOf(error)).slice(0, MAX_WORDS);
  }

  /** Ends the session, and a local server with its processes. Never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#waits.close();
    this.isOver = true;
    const { clock } = this.#setup;
    const limits = { what: "the end of the session", timeout: LEAVE_GRACE };
    await new Waits(clock).run(limits, () => this.#leave()).catch(() => {}); // the server notices later
    await this.#transport?.close();
  }
}

function isAnswer(error: unknown): boolean {
  return error instanceof Error && error.name === "ProtocolError";
}

/** The error's message with HTTP status and cause: `fetch` gives the reason in the cause. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return said(error);
  if (error instanceof AgentwireError) return error.message;
  const { message, cause } = error;
  const status: unknown = Reflect.get(error, "status");
  return [
    typeof status === "number" ? `HTTP ${status}: ` : "",
    message,
    cause instanceof Error ? `: ${cause.message}` : "",
  ].join("");
}
