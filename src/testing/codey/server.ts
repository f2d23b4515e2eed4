// `MockCodeyServer`: the mock codey-server on a port of 127.0.0.1.
//
// How to extend it:
// - a step: script.ts and turn.ts
// - a switch: options.ts, profiles.ts, and the file with the behaviour (call-round.ts, turn.ts, session.ts, peer.ts)
// - a client mistake: record.ts, and session.ts or frames.ts
// - a message: messages.ts, frames.ts and session.ts

import { checkMockNames } from "../names.ts";
import type { PortOption } from "../server/listen.ts";
import { LoopbackPort, type UpgradeAttempt, type UpgradeRefusal } from "../server/port.ts";
import { codeyBackendOf, MockCodey } from "./mock.ts";
import type { MockCodeyOptions } from "./options.ts";
import { acceptCodey } from "./peer.ts";
import { CODEY_OPTIONS } from "./profiles.ts";

/**
 * A mock codey-server on `ws://127.0.0.1:PORT`. It behaves like the only implementation, or as the guide promises. It
 * answers messages by script, records all events, and reports client mistakes.
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
  /** The server's address: `ws://127.0.0.1:PORT`. Any path works. */
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
      // codey-server has no HTTP and sends no reply.
      request: ({ socket }) => void socket.destroy(),
    });
  }

  /**
   * Starts a server on 127.0.0.1.
   * @throws InvalidInputError (also a TypeError) for an unknown option, or a `port` in use
   */
  static async start({ port = 0, ...options }: MockCodeyOptions & PortOption = {}): Promise<MockCodeyServer> {
    checkMockNames(options, { ...CODEY_OPTIONS, port: true }, "option");
    return await LoopbackPort.open(port, (opened) => new MockCodeyServer(options, opened));
  }

  /** Every attempt to connect, including refused ones. */
  get upgrades(): readonly UpgradeAttempt[] {
    return this.#port.upgrades;
  }

  /** Refuses all later upgrades; `undefined` accepts them again. */
  refuseUpgrades(how: UpgradeRefusal | undefined): void {
    this.#port.refuseUpgrades(how);
  }

  /** Stops running answers, timers, sessions, sockets and waits. Idempotent. It waits for no client. */
  override async stop(): Promise<void> {
    this.dropAll();
    await this.#port.stop();
    await super.stop();
  }
}
