// `MockCassServer`: the mock Cass server on a port of 127.0.0.1.
//
// To extend it: a step goes into script.ts and turn.ts; a switch into switches.ts, profiles.ts and where the behaviour is
// (peer.ts, turn.ts, response.ts, tags.ts, rest.ts); a mistake of clients into record.ts and frames.ts or client-rules.ts;
// a route into routes.ts and rest.ts or rest-conversations.ts.

import { checkMockNames } from "../names.ts";
import { listenWith } from "../server/http.ts";
import type { PortOption } from "../server/listen.ts";
import { LoopbackPort, type UpgradeAttempt, type UpgradeRefusal } from "../server/port.ts";
import { userIn } from "./identity.ts";
import { cassBackendOf, MockCass } from "./mock.ts";
import type { MockCassOptions } from "./options.ts";
import { acceptCass } from "./peer.ts";
import { CASS_OPTIONS } from "./profiles.ts";

/**
 * A server that speaks the WebSocket protocol of Cass and answers its REST routes, on one port of 127.0.0.1. It records
 * what happens, notes what a client does wrong, and answers turns by script.
 *
 * @example
 * ```ts
 * await using server = await MockCassServer.start({
 *   answer: ({ message }) => [`You said ${message}. <gesture:nod>`],
 * });
 * const user = server.addUser();
 * const client = new CassClient({ url: server.url, token: user.accessToken });
 * ```
 */
export class MockCassServer extends MockCass {
  /** Where to connect: `ws://127.0.0.1:PORT/ws`, with the `basePath` before `/ws`. */
  readonly url: string;
  /** What REST routes are relative to: `http://127.0.0.1:PORT/`, with the `basePath`. */
  readonly httpUrl: string;
  readonly #port: LoopbackPort;

  private constructor(options: MockCassOptions, port: LoopbackPort) {
    super(options);
    const backend = cassBackendOf(this);
    const path = `${backend.basePath}/ws`;
    const authority = `127.0.0.1:${port.number}`;
    this.#port = port;
    this.url = `ws://${authority}${path}`;
    this.httpUrl = `http://${authority}${backend.basePath}/`;
    // `localhost` and `127.0.0.1` are different origins on the same port.
    backend.origins = { own: `http://${authority}`, foreign: `http://localhost:${port.number}` };
    port.serve({
      clock: backend.clock,
      refusalOf: (url) => {
        const { refuseUpgrade } = backend.settings;
        const refusal = refuseUpgrade === false ? undefined : refuseUpgrade;
        const refused = refusal ?? (url.split("?", 1)[0] === path ? undefined : 403);
        if (refused !== undefined) backend.noteAttempt(userIn(url, backend), () => true);
        return refused;
      },
      accept: (link) => acceptCass(backend, link),
      changed: () => backend.journal.changed(),
      request: listenWith(this.fetch),
    });
  }

  /**
   * Starts a server on 127.0.0.1.
   * @throws InvalidInputError for an option that does not exist, and for a `port` that is in use; a TypeError too
   */
  static async start({ port = 0, ...options }: MockCassOptions & PortOption = {}): Promise<MockCassServer> {
    checkMockNames(options, { ...CASS_OPTIONS, port: true }, "option");
    return await LoopbackPort.open(port, (opened) => new MockCassServer(options, opened));
  }

  /** Every attempt to connect, refused ones too. */
  get upgrades(): readonly UpgradeAttempt[] {
    return this.#port.upgrades;
  }

  /** Lets all upgrades from now on fail; `undefined` lets them in again. The switch `refuseUpgrade`, in short. */
  refuseUpgrades(how: UpgradeRefusal | undefined): void {
    this.set({ refuseUpgrade: how ?? false });
  }

  /** Ends everything: running answers, timers, sockets, waits. Idempotent, and waits for no client. */
  override async stop(): Promise<void> {
    cassBackendOf(this).die();
    this.dropAll();
    await this.#port.stop();
    await super.stop();
  }
}
