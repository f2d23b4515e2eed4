// JSON-RPC with an agent: lines in and out, in one order, with the SDK for requests and answers.
import { isObject } from "../core/checks.ts";
import { Queue } from "../core/queue.ts";
import type { Outbox } from "../core/tell/outbox.ts";
import { isTooDeep, parseJson } from "../core/text.ts";
import { LineSplitter } from "../process/lines.ts";
import { AgentRefusal, RPC } from "./errors.ts";
import type { AcpSdk } from "./peer.ts";

/** What the wire tells its link. */
interface WireHost {
  readonly outbox: Outbox;
  /** Writes a line to the agent. */
  write(line: string): void;
  /** A message of the agent. Called in the input that handles it. */
  heard(line: string, message: unknown): void;
  /** A line of the agent that is no message. Nothing is written to the agent for it. */
  stray(line: string, problem: string): void;
  /** A `session/update`. Never throws. */
  update(params: unknown): void;
  /** A notification of another kind. */
  notified(method: string, params: unknown): void;
  /** A request of the agent. Rejects with an AgentRefusal; any other error becomes an internal error without words. */
  requested(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
}

type Message = Readonly<Record<string, unknown>>;
type Connection = ReturnType<ReturnType<AcpSdk["client"]>["connect"]>;

/**
 * The messages of one agent. Updates are handled at once and in order, and never reach the SDK, which drops those it
 * does not know. Any other message goes to the SDK; the next message waits until the SDK has handed it over, so that
 * all keep their order. Lines that are no messages never reach the SDK: it would answer them.
 */
export class AcpWire {
  readonly #host: WireHost;
  readonly #lines: LineSplitter;
  readonly #inbox = new Queue<{ readonly line: string; readonly message: Message }>();
  /** The ids of requests that the agent has not answered. */
  readonly #asked = new Set<unknown>();
  #connection: Connection | undefined;
  #sdk: AcpSdk | undefined;
  #toSdk: ((message: Message) => void) | undefined;
  #isHandingOver = false;
  #drained: (() => void) | undefined;

  constructor(host: WireHost, maxLineBytes: number) {
    this.#host = host;
    this.#lines = new LineSplitter(maxLineBytes);
  }

  /** Begins to handle messages. Those that came before wait. */
  connect(sdk: AcpSdk): void {
    this.#sdk = sdk;
    const readable = new ReadableStream<Message>({
      start: (controller) => {
        this.#toSdk = (message) => controller.enqueue(message);
      },
    });
    const writable = new WritableStream<Message>({ write: (message) => this.#write(message) });
    const app = sdk
      .client({ name: "agentwire" })
      .onRequest("*", ({ method, params, signal }) => this.#onRequest(method, params, signal))
      .onNotification("*", ({ method, params }) =>
        this.#host.outbox.run(() => this.#host.notified(method, params)),
      );
    // The SDK's types of messages are wider than its checks.
    this.#connection = app.connect({ readable, writable } as unknown as Parameters<typeof app.connect>[0]);
    this.#pump();
  }

  /** Output of the agent. */
  push(piece: Uint8Array): void {
    for (const line of this.#lines.push(piece)) this.#onLine(line);
    this.#pump();
  }

  /** The output has ended. Calls `drained` when all of it is handled. */
  end(drained: () => void): void {
    const line = this.#lines.end();
    if (line !== undefined) this.#onLine(line);
    this.#drained = drained;
    this.#pump();
  }

  /** @throws AgentRefusal if the agent refuses; never settles once the wire has closed */
  request(method: string, params: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#connection?.agent.request(method, params).then(resolve, (error: unknown) => {
        // The end of the link is told by the link.
        if (this.#sdk && error instanceof this.#sdk.RequestError)
          reject(new AgentRefusal(error.code, error.message, error.data));
      });
    });
  }

  notify(method: string, params: unknown): void {
    this.#connection?.agent.notify(method, params).catch(() => {}); // the link has ended, and tells it
  }

  close(): void {
    this.#connection?.close();
    this.#toSdk = undefined;
    this.#asked.clear();
  }

  #onLine(line: string | { readonly skipped: number }): void {
    const { outbox } = this.#host;
    if (typeof line !== "string") {
      outbox.run(() => this.#host.stray("", `a line of ${line.skipped} bytes`));
      return;
    }
    if (line.trim() === "") return;
    let message: unknown;
    try {
      message = parseJson(line, "null");
    } catch {
      const problem = isTooDeep(line) ? "a line that is nested too deeply" : "a line that is not JSON";
      outbox.run(() => this.#host.stray(line, problem));
      return;
    }
    const problem = this.#problemOf(message);
    if (problem === undefined) this.#inbox.add({ line, message: message as Message });
    else outbox.run(() => this.#host.stray(line, problem));
  }

  /** Why a value is no message, or none that is awaited. */
  #problemOf(message: unknown): string | undefined {
    if (!isObject(message) || message["jsonrpc"] !== "2.0")
      return "a line that is no message of JSON-RPC 2.0";
    const { id, method } = message;
    const isId = typeof id === "string" || typeof id === "number";
    if (typeof method === "string") return "id" in message && !isId ? "a request with a wrong id" : undefined;
    if (method !== undefined || !isId) return "a message without a method and an id";
    if (!this.#asked.delete(id)) return "an answer that nothing was asked for";
    return undefined;
  }

  #pump(): void {
    while (!this.#isHandingOver && this.#toSdk) {
      const next = this.#inbox.take();
      if (!next) {
        const drained = this.#drained;
        this.#drained = undefined;
        drained?.();
        return;
      }
      const { line, message } = next;
      const isUpdate = message["method"] === "session/update" && !("id" in message);
      this.#host.outbox.run(() => {
        this.#host.heard(line, message);
        if (isUpdate) this.#host.update(message["params"]);
        else this.#handOver(message);
      });
    }
    if (!this.#toSdk) {
      // Nothing will be handled any more.
      this.#drained?.();
      this.#drained = undefined;
    }
  }

  /** The SDK hands a message over in microtasks: all have run before the next macrotask. */
  #handOver(message: Message): void {
    this.#isHandingOver = true;
    this.#toSdk?.(message);
    setImmediate(() => {
      this.#isHandingOver = false;
      this.#pump();
    });
  }

  #write(message: Message): void {
    const { id, method } = message;
    if (id === null) return; // an answer to a message that could not be read: it would only confuse an agent
    if (typeof method === "string" && id !== undefined) this.#asked.add(id);
    this.#host.outbox.run(() => this.#host.write(JSON.stringify(message)));
  }

  async #onRequest(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    const { outbox } = this.#host;
    try {
      return await outbox.run(() => this.#host.requested(method, params, signal));
    } catch (error) {
      if (!this.#sdk) throw error;
      if (error instanceof AgentRefusal)
        throw new this.#sdk.RequestError(error.code, error.message, error.data);
      throw new this.#sdk.RequestError(RPC.internal, "the client has failed"); // no words: they may name paths
    }
  }
}
