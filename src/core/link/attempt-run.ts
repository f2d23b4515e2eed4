import pRetry from "p-retry";
import type { CancelTimer, Clock } from "../clock.ts";
import { type Deferred, deferred } from "../deferred.ts";
import { type AgentwireError, asAny, ConnectTimeoutError } from "../errors.ts";
import type { Attempts } from "./backoff.ts";
import { BackoffWait } from "./backoff-wait.ts";
import { asConnectError, closedByCaller } from "./connection-errors.ts";
import type { ConnectionHost, ConnectionSetup, Lifecycle, StateOf } from "./connection-state.ts";
import { Socket, type SocketUser } from "./socket.ts";

/** The connection that a run of attempts is for. */
export interface Dialled {
  readonly setup: ConnectionSetup;
  readonly host: ConnectionHost;
  readonly life: Lifecycle;
  readonly attempts: Attempts;
  /** Hears of each socket, and gives up an attempt that takes too long. */
  readonly user: SocketUser & { drop(error: AgentwireError): void };
}

/** One run of attempts, with back-off between them: until one is ready, the last one has failed, or the client is closed. */
export class AttemptRun {
  readonly #for: Dialled;
  readonly #next: Deferred<void>;

  /** `next` settles with the run, and is for the states of the run to hold. */
  constructor(connection: Dialled, next: Deferred<void>) {
    this.#for = connection;
    this.#next = next;
  }

  /** `cause` is why a ready link ended: then a wait comes first. Rejects with why no further attempt follows. */
  async start(cause: AgentwireError | undefined): Promise<void> {
    if (cause) await this.#wait(cause);
    const { life, attempts } = this.#for;
    // The delays of p-retry are off: the wait is in `onFailedAttempt`, on the injected clock and with full jitter.
    await pRetry(() => this.#attempt(), {
      retries: Number.POSITIVE_INFINITY,
      minTimeout: 0,
      onFailedAttempt: async ({ error }) => {
        const failure = this.#asConnectError(error);
        const triesAgain = !life.isOver && attempts.failedWith(failure);
        if (!triesAgain || life.isOver) throw failure; // `shouldReconnect` may have closed the client
        await this.#wait(failure);
      },
    });
  }

  /** Dials until a socket is ready or fails; a server that asks for another socket at once gets it. */
  async #attempt(): Promise<void> {
    const { life, setup, user } = this.#for;
    const { clock, connectTimeout, outbox } = setup.resolved;
    const expire = (): void =>
      user.drop(new ConnectTimeoutError(connectTimeout, "accept the connection", setup.connectTimeoutHint));
    for (let end: string | undefined; end !== "ready"; ) {
      if (life.isOver) throw closedByCaller();
      const step = deferred<"ready" | "redial">();
      const cancelTimer = limited(clock, connectTimeout, expire);
      const state: StateOf<"connecting"> = { name: "connecting", next: this.#next, step, cancelTimer };
      outbox.run(() => life.to(state));
      outbox.tell(() => void this.#dial(state)); // asks the caller for an address, a token and a socket
      end = await step.promise;
    }
  }

  async #dial(state: StateOf<"connecting">): Promise<void> {
    const { life, host, setup, user } = this.#for;
    if (life.state !== state) return; // a listener that was told of the attempt has closed the client
    try {
      const webSocket = await host.dial(() => life.state === state);
      const socket = new Socket(webSocket, setup.resolved.outbox, setup.binary, user);
      if (life.state === state) state.socket = socket;
      else socket.terminate(); // the attempt was given up during the dial
    } catch (error) {
      state.step.reject(this.#asConnectError(error));
    }
  }

  /** Waits out the back-off before the next attempt. */
  async #wait(error: AgentwireError): Promise<void> {
    const { life, host, setup, attempts } = this.#for;
    const { clock, outbox } = setup.resolved;
    const { attempt, delay } = attempts.next(clock.random());
    const step = deferred<void>();
    const wait = new BackoffWait(clock, attempts, delay, step.resolve);
    outbox.run(() => {
      life.to({ name: "reconnecting", next: this.#next, step, wait });
      host.onReconnecting({ attempt, delay, error: asAny(error) });
    });
    await step.promise;
  }

  #asConnectError(error: unknown): AgentwireError {
    const { host } = this.#for;
    return asConnectError(error, host.target(), (text) => host.redact(text));
  }
}

/** The time limit of one step, in ms; 0 is none. */
export function limited(clock: Clock, limit: number, expire: () => void): CancelTimer {
  return limit === 0 ? () => {} : clock.setTimeout(expire, limit);
}
