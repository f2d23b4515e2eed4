// `MockCodey`: the mock without a port. It uses sockets from elsewhere, such as msw.
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

/** Returns the mock's backend. For the transports in this folder, not part of the public API. */
export let codeyBackendOf: (mock: MockCodey) => CodeyBackend;

/**
 * The mock of codey-server without a port. It uses WebSockets from elsewhere, such as msw. An app that opens the global
 * `WebSocket` at a fixed address needs no change. For a server with a port, and for faults below the protocol, see
 * {@link MockCodeyServer}.
 *
 * msw has no TCP connections and no Close frames: `drop()` is a close event with 1006, the switch `closeReply` has no
 * effect, `frozen: "noUpgrade"` acts like `"noConnected"`, and `chunking` throws unless it is `huge`.
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

  /** Every message that the server understood, of any type, in the order of handling. */
  get received(): readonly CodeyReceived[] {
    return this.#backend.journal.received;
  }

  /** Every `SendMessage`. */
  get sends(): readonly ReceivedSend[] {
    return this.#backend.journal.sends;
  }

  /** Every `ToolDecision`, including those without effect. */
  get decisions(): readonly ReceivedDecision[] {
    return this.#backend.journal.decisions;
  }

  /** Every `Cancel`. */
  get cancels(): readonly ReceivedCodeyCancel[] {
    return this.#backend.journal.cancels;
  }

  /** The number of sessions: with a connection, and without one (see the switch `sessionAfterDisconnect`). */
  get sessions(): { readonly live: number; readonly leaked: number } {
    return this.#backend.sessions;
  }

  /** The script for new messages. Running turns keep their script. */
  get answer(): CodeyAnswer {
    return this.#backend.answer;
  }

  set answer(answer: CodeyAnswer) {
    this.#backend.answer = answer;
  }

  /**
   * Sets switches at any time. `frozen: "midSession"` freezes the open connections. `frozen: "off"` makes them send and
   * handle everything that waits.
   */
  set(switches: MockCodeySwitches): void {
    this.#backend.set(switches);
  }

  /** Resolves with the next `SendMessage`. The n-th call gets the n-th message, past or future. */
  nextSend(): Promise<ReceivedSend> {
    return this.#backend.journal.next(this.sends);
  }

  /** Resolves with the next `ToolDecision`. The n-th call gets the n-th decision, past or future. */
  nextDecision(): Promise<ReceivedDecision> {
    return this.#backend.journal.next(this.decisions);
  }

  /** Resolves with the next `Cancel`. The n-th call gets the n-th `Cancel`, past or future. */
  nextCancel(): Promise<ReceivedCodeyCancel> {
    return this.#backend.journal.next(this.cancels);
  }

  /** Stops running answers, timers, sessions, connections and waits. Idempotent. It waits for no client. */
  override async stop(): Promise<void> {
    this.#backend.die();
    await super.stop();
  }
}
