// The options that every client without a connection takes, with their checks and defaults.
import { type Checks, checkCallOptions, checks, type Only } from "../checks.ts";
import { systemClock } from "../clock.ts";
import { Outbox } from "../tell/outbox.ts";
import type { LocalSettings } from "./local-core.ts";
import { type SocketClientOptions, turnLimits } from "./options.ts";

/** The options that every client without a connection takes. */
export interface LocalClientOptions
  extends Pick<
    SocketClientOptions, // options with the same meaning on every client
    | "maxQueuedTurns"
    | "maxQueuedBytes"
    | "maxBufferedBytes"
    | "maxTextBytes"
    | "signal"
    | "logger"
    | "debug"
    | "clock"
  > {
  /**
   * Events that wait for a slow reader before the backend's output is read no further. Lower the option if memory is short.
   * @default 1_000
   */
  readonly maxQueuedEvents?: number;
}

/** The checks of the options that every client without a connection takes. */
export const LOCAL_CHECKS: Checks<LocalClientOptions> = {
  maxQueuedEvents: checks.count,
  maxQueuedTurns: checks.count,
  maxQueuedBytes: checks.count,
  maxBufferedBytes: checks.count,
  maxTextBytes: checks.count,
  signal: checks.signal,
  logger: checks.logger,
  debug: checks.boolean,
  clock: checks.object,
};

/**
 * @param expected the checks of every option of the client: {@link LOCAL_CHECKS} has the shared ones
 * @throws InvalidInputError for the first option that does not exist or is wrong.
 */
export function resolveLocalOptions<Options extends LocalClientOptions, Table extends Checks<Options>>(
  options: Options,
  expected: Table & Only<Options, Table>,
): LocalSettings {
  checkCallOptions<Options, Table>(options, expected);
  const { logger, signal, debug = false, maxQueuedEvents = 1_000, clock = systemClock } = options;
  const outbox = new Outbox();
  return {
    outbox,
    clock: outbox.clock(clock),
    debug,
    maxQueuedEvents,
    ...turnLimits(options),
    ...(logger ? { logger } : {}),
    ...(signal ? { signal } : {}),
  };
}
