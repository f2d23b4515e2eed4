// `MockCodebuffServer`: the mock Codebuff server on a port of 127.0.0.1.
//
// How to extend this mock, most common first:
//
// 1. A new way to answer a prompt: a step. Add it to `step` in script.ts, or in request-steps.ts if the client answers it.
// 2. A new misbehaviour of the server: a switch. Add it to options.ts (the option with its TSDoc, what each real server does),
//    read it where the behaviour is: peer.ts for order and life cycle, handlers.ts for what messages cause, frames.ts
//    for how frames look, check-frame.ts for what is refused. Give it a test by its name.
// 3. A new fault beneath the protocol: a method in ../server/faults.ts; ../server/cable.ts is where every byte passes.
// 4. A new mistake of clients to notice: a kind in record.ts, and mistakes.ts if the message alone shows it.
// 5. A new profile: an entry in options.ts.
// 6. A new message of the client: a shape in check-frame.ts, its data in messages.ts, and its case in handlers.ts.
// 7. Another transport: a `PeerLink` (../server/link.ts) for `CodebuffBackend.accept()`. In ../server, port.ts,
//    server-socket.ts and cable.ts are the one for Node and `ws`, and the only ones that know them;
//    accepted-socket.ts is the one for sockets that others have made.
// 8. Another protocol: a folder beside this one, on the same rooms of ../server: a `Peer`, a `ProtocolMock`, and a
//    class with a `LoopbackPort`.

import { checkMockNames } from "../names.ts";
import type { PortOption } from "../server/listen.ts";
import { LoopbackPort, type UpgradeAttempt, type UpgradeRefusal } from "../server/port.ts";
import type { MockCodebuffOptions } from "./backend.ts";
import { codebuffBackendOf, MockCodebuff } from "./mock.ts";
import { CODEBUFF_OPTIONS } from "./options.ts";

const PATH = "/ws";

/**
 * A server that speaks the Codebuff WebSocket protocol like one of the two real servers, including their faults, on
 * `ws://127.0.0.1:PORT/ws`. It records all traffic and the client's mistakes, and answers prompts by script.
 *
 * @example
 * ```ts
 * await using server = await MockCodebuffServer.start({
 *   answer: () => ["Hello", step.delay(100), " again"],
 * });
 * const client = new CodebuffClient({ url: server.url });
 * ```
 */
export class MockCodebuffServer extends MockCodebuff {
  /** The server's URL: `ws://127.0.0.1:PORT/ws`. */
  readonly url: string;
  readonly #port: LoopbackPort;

  private constructor(options: MockCodebuffOptions, port: LoopbackPort) {
    super(options);
    const backend = codebuffBackendOf(this);
    this.#port = port;
    this.url = `ws://127.0.0.1:${port.number}${PATH}`;
    port.serve({
      clock: backend.clock,
      refusalOf: (url) => (url.split("?", 1)[0] === PATH ? undefined : 403),
      accept: (link) => backend.accept(link),
      changed: () => backend.journal.changed(),
    });
  }

  /**
   * Starts a server on 127.0.0.1.
   * @throws InvalidInputError, which is also a TypeError, for an unknown option or a `port` in use
   */
  static async start({
    port = 0,
    ...options
  }: MockCodebuffOptions & PortOption = {}): Promise<MockCodebuffServer> {
    checkMockNames(options, { ...CODEBUFF_OPTIONS, port: true }, "option");
    return await LoopbackPort.open(port, (opened) => new MockCodebuffServer(options, opened));
  }

  /** Every connection attempt, including refused ones. */
  get upgrades(): readonly UpgradeAttempt[] {
    return this.#port.upgrades;
  }

  /** Makes all later upgrades fail; `undefined` accepts them again. */
  refuseUpgrades(how: UpgradeRefusal | undefined): void {
    this.#port.refuseUpgrades(how);
  }

  /** Stops everything: running answers, timers, sockets, waits. Idempotent. Does not wait for clients. */
  override async stop(): Promise<void> {
    this.dropAll();
    await this.#port.stop();
    await super.stop();
  }
}
