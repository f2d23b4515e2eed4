// The options of the mock.
import type { Clock } from "../../core/clock.ts";
import type { CassAnswer } from "./script.ts";
import type { CassProvider } from "./store.ts";
import type { MockCassSwitches } from "./switches.ts";
import type { CassClaims } from "./tokens.ts";

/** What `MockCassServer.start()` takes. Every switch can be set alone; the rest is as the profile has it. */
export interface MockCassOptions extends MockCassSwitches {
  /**
   * The server that sets the defaults: `documented` does as the published page says, `v1` is the server at the time of the
   * page, `v2` the later one, and `relay` what clients see behind a relay. @default "v2"
   */
  readonly profile?: "documented" | "v1" | "v2" | "relay";
  /** How turns are answered. @default `Hello! <gesture:wave> <emote:happy:0.8>` */
  readonly answer?: CassAnswer;
  /** Switches for a connection that is about to open, for what happens before a test can reach it. */
  readonly perConnection?: (opening: CassOpening) => MockCassSwitches;
  /** The path under which the server lives, such as `/cass`. @default "" */
  readonly basePath?: string;
  /** The source of time: for delays, for tokens that expire, and for rules about time. @default systemClock */
  readonly clock?: Clock;
  /** The time of day at which the clock stands at zero, in ms since 1970. @default as the clock itself has it */
  readonly epoch?: number;
  /** The server's time zone, in minutes east of UTC: its timestamps are local, and do not say so. @default -300 */
  readonly utcOffset?: number;
  /** Makes the ids of users, conversations and the like. @default a fresh UUID v4 */
  readonly id?: () => string;
  /** What tokens are signed with. Two servers with one secret trust each other. @default "mock-cass" */
  readonly secret?: string;
  /** Makes the text of a token, for clients that must not look into it. @default a JWT */
  readonly token?: (claims: CassClaims) => string;
  /** The provider that the server begins with. @default "anthropic" */
  readonly provider?: CassProvider;
  /** The providers that can be chosen. @default all */
  readonly providers?: readonly CassProvider[];
  /** The model of each provider. */
  readonly models?: { readonly [provider in CassProvider]?: string };
}

/** A connection that is about to open. */
export interface CassOpening {
  /** 1 for the first connection, and so on. */
  readonly number: number;
  /** Whose token is in its address; null for nobody's. */
  readonly userId: string | null;
}
