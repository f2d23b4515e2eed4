// `MockCodeyServer`: the mock codey-server on a port of 127.0.0.1.
//
// To extend it: a step goes into script.ts and turn.ts; a switch into options.ts, profiles.ts and where the behaviour is
// (call-round.ts, turn.ts, session.ts, peer.ts); a mistake of clients into record.ts and session.ts or frames.ts; a message
// into messages.ts, frames.ts and session.ts.

import { checkMockNames } from "../names.ts";
import type { PortOption } from "../server/listen.ts";
import { LoopbackPort, type UpgradeAttempt, type UpgradeRefusal } from "../server/port.ts";
import { codeyBackendOf, MockCodey } from "./mock.ts";
import type { MockCodeyOptions } from "./options.ts";
import { acceptCodey } from "./peer.ts";
import { CODEY_OPTIONS } from "./profiles.ts";

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
    const backend = codeyBackendOf(this);
    this.#port = port;
    this.url = `ws://127.0.0.1:${port.number}`;
    port.serve({
      clock: backend.clock,
      refusalOf: () =>
        backend.full || backend.settings.frozen === "noUpgrade" ? "never-answered" : undefined,
      accept: (link) => acceptCodey(backend, link),
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
    checkMockNames(options, { ...CODEY_OPTIONS, port: true }, "option");
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
