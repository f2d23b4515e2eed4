// `MockCodeyServer`: the mock codey-server on a port of 127.0.0.1.
//
// How to extend this mock, most common first:
//
// 1. A new way to answer a message: a step. Add it to `CodeyStep` and `codeyStep` in script.ts, perform it in
//    turn.ts.
// 2. A new misbehaviour of the server: a switch. Add it to options.ts (the option with its TSDoc) and profiles.ts
//    (what each server does), read it where the behaviour is: call-round.ts for calls, turn.ts for what a turn
//    says, session.ts for what messages of the client cause, peer.ts for the connection. Give it a test by its name.
// 3. A new mistake of clients to notice: a kind in record.ts; client-rules.ts for those of order, read-message.ts for
//    those that one message shows.
// 4. A new message of the server: messages.ts. Of the client: there too, read-message.ts, and its case in session.ts.
// 5. Faults beneath the protocol, and other transports: ../server, which all mocks share.

import { checkNames } from "../names.ts";
import type { PortOption } from "../server/listen.ts";
import { LoopbackPort, type UpgradeAttempt, type UpgradeRefusal } from "../server/port.ts";
import { backendOf, MockCodey } from "./mock.ts";
import { OPTIONS } from "./names.ts";
import type { MockCodeyOptions } from "./options.ts";

/**
 * A server that speaks the WebSocket protocol of codey-server, as the only implementation does or as its guide
 * promises, on `ws://127.0.0.1:PORT`. It records what happens, notes what a client does wrong, and answers messages
 * by script.
 *
 * @example
 * ```ts
 * await using server = await MockCodeyServer.start({
 *   answer: () => ["Let me look. ", codeyStep.calls(codeyTool.shell("ls", "a.txt\n")), "One file."],
 * });
 * const client = new CodeyClient({ url: server.url, onToolApproval: () => true });
 * ```
 */
export class MockCodeyServer extends MockCodey {
  /** Where to connect: `ws://127.0.0.1:PORT`. Any path will do. */
  readonly url: string;
  readonly #port: LoopbackPort;

  private constructor(options: MockCodeyOptions, port: LoopbackPort) {
    super(options);
    const backend = backendOf(this);
    this.#port = port;
    this.url = `ws://127.0.0.1:${port.number}`;
    port.serve({
      clock: backend.clock,
      refusalOf: () =>
        backend.full || backend.settings.frozen === "noUpgrade" ? "never-answered" : undefined,
      accept: (link) => backend.accept(link),
      changed: () => backend.journal.changed(),
      // It has no HTTP, and says not even that.
      request: ({ socket }) => void socket.destroy(),
    });
  }

  /**
   * Starts a server on 127.0.0.1.
   * @throws InvalidInputError for an option that does not exist, and for a `port` that is in use; a TypeError too
   */
  static async start({ port = 0, ...options }: MockCodeyOptions & PortOption = {}): Promise<MockCodeyServer> {
    checkNames(options, { ...OPTIONS, port: true }, "option");
    return await LoopbackPort.open(port, (opened) => new MockCodeyServer(options, opened));
  }

  /** Every attempt to connect, refused ones too. */
  get upgrades(): readonly UpgradeAttempt[] {
    return this.#port.upgrades;
  }

  /** Lets all upgrades from now on fail; `undefined` lets them in again. */
  refuseUpgrades(how: UpgradeRefusal | undefined): void {
    this.#port.refuseUpgrades(how);
  }

  /** Ends everything: running answers, timers, sessions, sockets, waits. Idempotent, and waits for no client. */
  override async stop(): Promise<void> {
    this.dropAll();
    await this.#port.stop();
    await super.stop();
  }
}
