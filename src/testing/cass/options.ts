// The options of the mock.
import type { Clock } from "../../core/clock.ts";
import type { CassAnswer } from "./script.ts";
import type { CassProvider } from "./store.ts";
import type { MockCassSwitches } from "./switches.ts";
import type { CassClaims } from "./tokens.ts";

/** The options of `MockCassServer.start()`. Each switch can be set alone. The profile sets the others. */
export interface MockCassOptions extends MockCassSwitches {
  /**
   * The server that sets the defaults. `documented`: the published page. `v1`: the server of the page's time. `v2`: the
   * later server. `relay`: the server as clients see it behind a relay. @default "v2"
   */
  readonly profile?: "documented" | "v1" | "v2" | "relay";
  /**
   * The script that answers turns. One that throws is a failure of the model: on the real servers a lost link.
   * @default `Hello! <gesture:wave> <emote:happy:0.8>`
   */
  readonly answer?: CassAnswer;
  /** Returns switches for a new connection, for behaviour before a test can access the connection. */
  readonly perConnection?: (opening: CassOpening) => MockCassSwitches;
  /** The path prefix of the server, such as `/cass`. @default "" */
  readonly basePath?: string;
  /** The clock for delays, token expiry and time limits. @default systemClock */
  readonly clock?: Clock;
  /** The wall time when the clock is at zero, in ms since 1970. @default the clock's own wall time */
  readonly epoch?: number;
  /** The server's time zone, in minutes east of UTC. Timestamps are local and name no zone. @default -300 */
  readonly utcOffset?: number;
  /** Returns the id of a user, conversation or the like. @default a fresh UUID v4 */
  readonly id?: () => string;
  /** The secret that signs tokens. Servers with the same secret accept each other's tokens. @default "mock-cass" */
  readonly secret?: string;
  /** Returns the text of a token, to test clients that must not decode tokens. @default a JWT */
  readonly token?: (claims: CassClaims) => string;
  /** The first provider. @default "anthropic" */
  readonly provider?: CassProvider;
  /** The available providers. @default all */
  readonly providers?: readonly CassProvider[];
  /** The model of each provider. */
  readonly models?: { readonly [provider in CassProvider]?: string };
}

/** A new connection. */
export interface CassOpening {
  /** 1 for the first connection. */
  readonly number: number;
  /** The user of the token in the address; null without a valid token. */
  readonly userId: string | null;
}
