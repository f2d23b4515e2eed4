// The options of every client without a connection, with checks and defaults.
import { type Checks, checkCallOptions, checks, type Only } from "../checks.ts";
import { systemClock } from "../clock.ts";
import { Outbox } from "../tell/outbox.ts";
import type { LocalSettings } from "./local-core.ts";
import { type SocketClientOptions, turnLimits } from "./options.ts";

/** The options of every client without a connection. */
export interface LocalClientOptions
  extends Pick<
    SocketClientOptions, // the same meaning on every client
    | "maxQueuedTurns"
    | "maxQueuedBytes"
    | "maxBufferedBytes"
    | "maxTextBytes"
    | "signal"
    | "logger"
    | "debug"
    | "clock"
  > {
  /** The number of unread events at which the backend's output is read no further. @default 1_000 */
  readonly maxQueuedEvents?: number;
}

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
 * @param expected the checks of all options of the client. {@link LOCAL_CHECKS} has the shared ones
 * @throws InvalidInputError for the first unknown or wrong option.
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
