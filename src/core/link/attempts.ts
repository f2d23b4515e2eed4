// The loop of connection attempts: wait, dial, shake hands, again; at the end ready or given up.
import pRetry from "p-retry";
import { startLimit } from "../clock.ts";
import { type Deferred, deferred } from "../deferred.ts";
import { type AgentwireError, asAny, ConnectTimeoutError, isAgentwireError } from "../errors.ts";
import { loadAll } from "../late.ts";
import { AttemptCount } from "./backoff.ts";
import { BackoffWait } from "./backoff-wait.ts";
import { asConnectError, closedByCaller } from "./connection-errors.ts";
import type { ConnectionHost, ConnectionSetup, Lifecycle, Protocol, StateOf } from "./connection-state.ts";
import { Socket, type SocketUser } from "./socket.ts";

interface Dialled {
  readonly setup: ConnectionSetup;
  readonly host: ConnectionHost;
  readonly protocol: Pick<Protocol, "unavailable">;
  readonly life: Lifecycle;
  /** Gets the events of each socket, and drops an attempt that takes too long. */
  readonly user: SocketUser & { drop(error: AgentwireError): void };
}

/** Runs connection attempts with backoff, until the connection is ready or the last one has failed. */
export class Attempts {
  readonly #connection: Dialled;
  readonly count: AttemptCount;

  constructor(connection: Dialled) {
    this.#connection = connection;
    this.count = new AttemptCount(connection.setup.resolved.reconnect, connection.host);
  }

  /** Starts a run, which settles `next`. After a lost connection (`cause`), it starts with the backoff. */
  begin(next: Deferred<void>, cause?: AgentwireError): void {
    next.resolve(this.#run(next, cause));
  }

  /** Decides whether to reconnect after a loss. The caller's code may have closed the client. */
  comeBack(lost: StateOf<"lost">, error: AgentwireError): void {
    const { life, setup } = this.#connection;
    if (life.state !== lost) return;
    const triesAgain = this.count.failedWith(error);
    if (life.state !== lost) return;
    if (triesAgain) {
      this.begin(lost.next, error);
    } else {
      lost.next.reject(error);
      setup.resolved.outbox.run(() => this.#giveUp(error));
    }
  }

  async #run(next: Deferred<void>, lost: AgentwireError | undefined): Promise<void> {
    const { life, host, setup, user } = this.#connection;
    const { clock, connectTimeout, outbox } = setup.resolved;
    const expire = (): void =>
      user.drop(new ConnectTimeoutError(connectTimeout, "accept the connection", setup.connectTimeoutHint));
    const wait = async (cause: AgentwireError): Promise<void> => {
      const backoff = this.count.next(clock.random());
      const step = deferred<void>();
      const timer = new BackoffWait(clock, this.count, backoff.delay, step.resolve);
      const error = asAny(cause);
      outbox.run(() => {
        life.to({ name: "reconnecting", next, step, wait: timer });
        host.onReconnecting({ ...backoff, error });
      });
      await step.promise;
    };

    const attempt = async (): Promise<void> => {
      // The handshake may ask for another socket: then dial again at once.
      for (let end: string | undefined; end !== "ready"; ) {
        if (life.isOver) throw closedByCaller();
        const step = deferred<"ready" | "redial">();
        const cancelTimer = startLimit(clock, connectTimeout, expire);
        const state: StateOf<"connecting"> = { name: "connecting", next, step, cancelTimer };
        outbox.run(() => life.to(state));
        outbox.tell(() => void this.#dial(state)); // calls the caller's code
        end = await step.promise;
      }
    };

    try {
      if (lost) await wait(lost);
      // The delays of p-retry are off: `wait` takes the injected clock, and full jitter.
      await pRetry(attempt, {
        retries: Number.POSITIVE_INFINITY,
        minTimeout: 0,
        onFailedAttempt: async ({ error }) => {
          const cause = asConnectError(error, host);
          const triesAgain = !life.isOver && this.count.failedWith(cause);
          if (!triesAgain || life.isOver) throw cause; // `shouldReconnect` may have closed the client
          await wait(cause);
        },
      });
    } catch (error) {
      const failure = asConnectError(error, host);
      if (!life.isOver) outbox.run(() => this.#giveUp(failure));
      throw failure;
    }
  }

  async #dial(state: StateOf<"connecting">): Promise<void> {
    const { life, host, setup, user } = this.#connection;
    if (life.state !== state) return; // a status listener has closed the client
    loadAll(setup.late)?.catch(() => {}); // `whenLoaded` tries again, and reports the failure
    try {
      const webSocket = await host.dial(() => life.state === state);
      const socket = new Socket(webSocket, setup.resolved.outbox, setup.binary, user);
      if (life.state === state) state.socket = socket;
      else socket.terminate(); // the attempt was dropped during the dial
    } catch (error) {
      state.step.reject(asConnectError(error, host));
    }
  }

  #giveUp(error: AgentwireError): void {
    const { life, protocol } = this.#connection;
    const forGood = this.count.wasReady || (isAgentwireError(error, "handshake-refused") && !error.retryable);
    this.count.forgive();
    life.to(forGood ? { name: "closed", reason: error } : { name: "idle" });
    protocol.unavailable(error);
  }
}
