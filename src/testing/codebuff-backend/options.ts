// The options of the mock backend.
import type { Clock } from "../../core/clock.ts";
import type { BackendScript } from "./script.ts";
import type { MockCodebuffBackendSwitches } from "./switches.ts";
import type { BackendUser } from "./user.ts";

/** What `MockCodebuffBackend.start()` takes. */
export interface MockCodebuffBackendOptions extends MockCodebuffBackendSwitches {
  /** What the model says. @default `Hello!` */
  readonly answer?: BackendScript;
  /** Who has an API key. @default one user, `user-1`, with the key `test-key` */
  readonly users?: readonly Partial<BackendUser>[];
  /** The source of time: for delays, gaps, heartbeats and timestamps. @default systemClock */
  readonly clock?: Clock;
}
