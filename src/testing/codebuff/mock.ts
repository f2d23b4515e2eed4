// `MockCodebuff`: the mock without a port, for sockets that something else hands it.
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

/** What is behind a mock: for the transports in this folder, and no part of what users see. */
export let codebuffBackendOf: (mock: MockCodebuff) => CodebuffBackend;

/**
 * The Codebuff mock without a port: it speaks over the WebSockets that something else hands it, such as msw. With an
 * app that opens the global `WebSocket` at an address of its own, nothing in the app has to change. For a server
 * with a port, and faults beneath the protocol, see {@link MockCodebuffServer}.
 *
 * Over msw there are no TCP connection and no Close frames, which shows in four places: `drop()` is a close event
 * with 1006 but without the error event before it, and with `wasClean: true`; `closeReply: false` has no effect, and
 * a client that closes during a `pause()` is done at once; a client's `close()` without a code is 1000 instead
 * of 1005; and `dropMidFrame()` is `drop()`.
 *
 * msw carries the global `WebSocket` only, as it is after `listen()`. On Node a client of this library takes `ws` unless
 * it is given `WebSocket: globalThis.WebSocket`; msw would let that one connect, and then never deliver a frame.
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

  /** Every prompt whose turn has come. */
  get prompts(): readonly ReceivedPrompt[] {
    return this.#backend.journal.prompts;
  }

  /** Every answer to a request of the server, such as a tool's output. */
  get answers(): readonly ReceivedAnswer[] {
    return this.#backend.journal.answers;
  }

  /** Every cancel-user-input. */
  get cancels(): readonly ReceivedCancel[] {
    return this.#backend.journal.cancels;
  }

  /** How prompts are answered from now on; those that run are not touched. */
  get answer(): ScriptedAnswer {
    return this.#backend.answer;
  }

  set answer(answer: ScriptedAnswer) {
    this.#backend.answer = answer;
  }

  /** The first prompt on the first call, the second on the second, whether it is there already or not. */
  nextPrompt(): Promise<ReceivedPrompt> {
    return this.#backend.journal.next(this.prompts);
  }

  /**
   * Ends every connection as a real server does that shuts down, and forgets its sessions: with 1012 and
   * no reason, or as the switch `shutdown` says. New connections are still taken, as by one that has
   * started anew.
   */
  shutdown(): void {
    this.#backend.shutDown();
  }
}
