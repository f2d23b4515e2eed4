// `MockCodebuff`: the mock without a port, for sockets from elsewhere.
import { ProtocolMock } from "../server/protocol-mock.ts";
import { CodebuffBackend, type MockCodebuffOptions } from "./backend.ts";
import type {
  MockConnection,
  ReceivedAnswer,
  ReceivedCancel,
  ReceivedPrompt,
  ViolationKind,
} from "./record.ts";
import type { ScriptedAnswer } from "./script.ts";

/** The internals of a mock, for the transports of this folder. Not exported. */
export let codebuffBackendOf: (mock: MockCodebuff) => CodebuffBackend;

/**
 * The Codebuff mock without a port. It uses WebSockets from elsewhere, such as msw. An app that opens the global
 * `WebSocket` at its own address needs no change.
 *
 * {@link MockCodebuffServer} has a port and transport faults.
 *
 * Over msw there are no TCP connections and no Close frames. Therefore:
 *
 * - `drop()` is a close event with 1006 and `wasClean: true`, without an error event before it.
 * - `closeReply: false` has no effect. A client that closes during a `pause()` is closed at once.
 * - A client's `close()` without a code is 1000 instead of 1005.
 * - `dropMidFrame()` equals `drop()`.
 *
 * msw replaces only the global `WebSocket`, after `listen()`. On Node, a client of this library uses `ws` by default.
 * msw accepts such a connection, but never delivers a frame: pass `WebSocket: globalThis.WebSocket`.
 *
 * @example
 * ```ts
 * import { ws } from "msw";
 * import { setupServer } from "msw/node";
 *
 * const mock = new MockCodebuff({ answer: () => ["Hello"] });
 * const agent = ws.link("wss://agent.example/ws");
 * const network = setupServer(agent.addEventListener("connection", mock.accept));
 * network.listen({ onUnhandledFrame: "error" });
 * ```
 */
export class MockCodebuff extends ProtocolMock<MockConnection, ViolationKind> {
  static {
    codebuffBackendOf = (mock) => mock.#backend;
  }

  readonly #backend: CodebuffBackend;

  constructor(options: MockCodebuffOptions = {}) {
    const backend = new CodebuffBackend(options);
    super(backend);
    this.#backend = backend;
  }

  /** All prompts that the server has started to process. */
  get prompts(): readonly ReceivedPrompt[] {
    return this.#backend.journal.prompts;
  }

  /** All answers to server requests, such as tool outputs. */
  get answers(): readonly ReceivedAnswer[] {
    return this.#backend.journal.answers;
  }

  /** All cancel-user-input messages. */
  get cancels(): readonly ReceivedCancel[] {
    return this.#backend.journal.cancels;
  }

  /** Sets the script for later prompts. Running prompts keep theirs. */
  get answer(): ScriptedAnswer {
    return this.#backend.answer;
  }

  set answer(answer: ScriptedAnswer) {
    this.#backend.answer = answer;
  }

  /** Returns the first prompt on the first call, the second on the second, and so on. Waits if needed. */
  nextPrompt(): Promise<ReceivedPrompt> {
    return this.#backend.journal.next(this.prompts);
  }

  /**
   * Shuts down like the real server: ends all connections and forgets the sessions. Closes with 1012 and no reason, or
   * as the switch `shutdown` says. New connections are accepted, as after a restart.
   */
  shutdown(): void {
    this.#backend.shutDown();
  }
}
