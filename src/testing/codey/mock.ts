// `MockCodey`: the mock without a port, for sockets that something else hands it.
import { ProtocolMock } from "../server/protocol-mock.ts";
import { CodeyBackend } from "./backend.ts";
import type { MockCodeyOptions, MockCodeySwitches } from "./options.ts";
import { acceptCodey } from "./peer.ts";
import type {
  CodeyConnection,
  CodeyFrame,
  CodeyReceived,
  CodeyViolationKind,
  ReceivedCodeyCancel,
  ReceivedDecision,
  ReceivedSend,
} from "./record.ts";
import type { CodeyAnswer } from "./script.ts";

/** What is behind a mock: for the transports in this folder, and no part of what users see. */
export let codeyBackendOf: (mock: MockCodey) => CodeyBackend;

/**
 * The mock of codey-server without a port: it speaks over the WebSockets that something else hands it, such as msw.
 * With an app that opens the global `WebSocket` at an address of its own, nothing in the app has to change. For a
 * server with a port, and faults beneath the protocol, see {@link MockCodeyServer}.
 *
 * Over msw there are no TCP connection and no Close frames: `drop()` is a close event with 1006, the switch
 * `closeReply` has no effect, `frozen: "noUpgrade"` is `"noConnected"`, and `chunking` throws unless it is `huge`.
 *
 * @example
 * ```ts
 * import { ws } from "msw";
 * import { setupServer } from "msw/node";
 *
 * const mock = new MockCodey({ answer: () => ["Hello"] });
 * const agent = ws.link("ws://127.0.0.1:9999/");
 * const network = setupServer(agent.addEventListener("connection", mock.accept));
 * network.listen({ onUnhandledFrame: "error" });
 * ```
 */
export class MockCodey extends ProtocolMock<CodeyConnection, CodeyViolationKind, CodeyFrame> {
  static {
    codeyBackendOf = (mock) => mock.#backend;
  }

  readonly #backend: CodeyBackend;

  constructor(options: MockCodeyOptions = {}) {
    const backend = new CodeyBackend(options);
    const { journal, peers } = backend;
    super({ journal, peers, accept: (link) => acceptCodey(backend, link) });
    this.#backend = backend;
  }

  /** Every message that the server understood, of all types, in the order in which they were handled. */
  get received(): readonly CodeyReceived[] {
    return this.#backend.journal.received;
  }

  /** Every `SendMessage`. */
  get sends(): readonly ReceivedSend[] {
    return this.#backend.journal.sends;
  }

  /** Every `ToolDecision`, also those that changed nothing. */
  get decisions(): readonly ReceivedDecision[] {
    return this.#backend.journal.decisions;
  }

  /** Every `Cancel`. */
  get cancels(): readonly ReceivedCodeyCancel[] {
    return this.#backend.journal.cancels;
  }

  /** How many sessions there are: with a connection, and without one (see the switch `sessionAfterDisconnect`). */
  get sessions(): { readonly live: number; readonly leaked: number } {
    return this.#backend.sessions;
  }

  /** How messages are answered from now on; turns that run are not touched. */
  get answer(): CodeyAnswer {
    return this.#backend.answer;
  }

  set answer(answer: CodeyAnswer) {
    this.#backend.answer = answer;
  }

  /**
   * Sets switches anew, at any time: `frozen: "midSession"` freezes the connections there are, `frozen: "off"` lets
   * them say and handle what has piled up.
   */
  set(switches: MockCodeySwitches): void {
    this.#backend.set(switches);
  }

  /** The first `SendMessage` on the first call, the second on the second, whether it is there already or not. */
  nextSend(): Promise<ReceivedSend> {
    return this.#backend.journal.next(this.sends);
  }

  /** The first `ToolDecision` on the first call, the second on the second, whether it is there already or not. */
  nextDecision(): Promise<ReceivedDecision> {
    return this.#backend.journal.next(this.decisions);
  }

  /** The first `Cancel` on the first call, the second on the second, whether it is there already or not. */
  nextCancel(): Promise<ReceivedCodeyCancel> {
    return this.#backend.journal.next(this.cancels);
  }

  /** Ends everything: running answers, timers, sessions, connections, waits. Idempotent, and waits for no client. */
  override async stop(): Promise<void> {
    this.#backend.die();
    await super.stop();
  }
}
