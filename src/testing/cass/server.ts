// `MockCassServer`: the mock Cass server on a port of 127.0.0.1.
//
// How to extend it:
// - a step: script.ts and turn.ts
// - a switch: switches.ts, profiles.ts, and the file with the behaviour (peer.ts, turn.ts, response.ts, tags.ts, rest.ts)
// - a client mistake: record.ts, and frames.ts or client-rules.ts
// - a route: routes.ts, and rest-routes.ts or rest-conversations.ts

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
 * A mock Cass server on one port of 127.0.0.1, with WebSocket and REST. It answers turns by script, records all events,
 * and reports client mistakes.
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
  /** The WebSocket address: `ws://127.0.0.1:PORT/ws`, with the `basePath` before `/ws`. */
  readonly url: string;
  /** The base address of the REST routes: `http://127.0.0.1:PORT/`, with the `basePath`. */
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
   * @throws InvalidInputError (also a TypeError) for an unknown option, or a `port` in use
   */
  static async start({ port = 0, ...options }: MockCassOptions & PortOption = {}): Promise<MockCassServer> {
    checkMockNames(options, { ...CASS_OPTIONS, port: true }, "option");
    return await LoopbackPort.open(port, (opened) => new MockCassServer(options, opened));
  }

  /** Every attempt to connect, including refused ones. */
  get upgrades(): readonly UpgradeAttempt[] {
    return this.#port.upgrades;
  }

  /** Refuses all later upgrades; `undefined` accepts them again. Short for the switch `refuseUpgrade`. */
  refuseUpgrades(how: UpgradeRefusal | undefined): void {
    this.set({ refuseUpgrade: how ?? false });
  }

  /** Stops running answers, timers, sockets and waits. Idempotent. It waits for no client. */
  override async stop(): Promise<void> {
    cassBackendOf(this).die();
    this.dropAll();
    await this.#port.stop();
    await super.stop();
  }
}
