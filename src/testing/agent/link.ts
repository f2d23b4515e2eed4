// The simulated connection of a mock client.
import { CLIENT_EVENTS, type ClientEvents } from "../../core/client/agent-client.ts";
import { ClientCore, type ClientProtocol } from "../../core/client/client-core.ts";
import { turnLimits } from "../../core/client/options.ts";
import type { CancelTimer } from "../../core/clock.ts";
import { type Deferred, deferred } from "../../core/deferred.ts";
import { type AgentwireError, ConnectError, ConnectionLostError } from "../../core/errors.ts";
import type { Gate } from "../../core/gate/gate.ts";
import type { ReconnectPolicy } from "../../core/link/backoff.ts";
import { linkLost } from "../../core/link/connection-errors.ts";
import type { SocketEnd } from "../../core/link/socket.ts";
import type { CloseEventLike, WebSocketLike } from "../../core/link/web-socket.ts";
import { Outbox } from "../../core/tell/outbox.ts";
import type { MockBackend } from "./backend.ts";
import { clientClock } from "./clock.ts";
import type { MockAgentEvent, MockAgentResult } from "./events.ts";
import type { MockLoss } from "./script.ts";

export type MockAgentClientEvents = ClientEvents<MockAgentEvent, MockAgentResult>;

export type MockCore = ClientCore<MockAgentEvent, MockAgentResult, MockAgentClientEvents>;

/** The address of the in-memory socket. No host ends in `.invalid`. */
const ADDRESS = "ws://mock-agent.invalid/";

export function newCore(backend: MockBackend): MockCore {
  const outbox = new Outbox();
  return new ClientCore({
    events: CLIENT_EVENTS,
    options: { url: ADDRESS, createWebSocket: () => new MemorySocket() },
    resolved: {
      outbox,
      clock: outbox.clock(clientClock(backend.clock)),
      connectTimeout: 0,
      keepalive: { interval: 0, timeout: 0 },
      reconnect: policyOf(backend),
      maxReceiveBytes: Infinity,
      ...turnLimits({}),
    },
    stableAfter: undefined,
    drainTimeout: 0,
    binary: "unreadable",
    proof: "frame",
  });
}

/** Reads the switch `reconnect` at each use, because the switch can change at any time. */
function policyOf(backend: MockBackend): ReconnectPolicy {
  const now = () => backend.settings.reconnect || { maxAttempts: 0, delay: 0 };
  return {
    get maxAttempts() {
      return now().maxAttempts;
    },
    get minDelay() {
      return now().delay;
    },
    get maxDelay() {
      return now().delay;
    },
  };
}

/** The parts of a client that its turns use. */
export interface Parts {
  readonly backend: MockBackend;
  readonly core: MockCore;
  readonly link: Link;
  readonly gate: Gate;
}

/** The turns that use the link. */
export interface LinkUser {
  readonly isBusy: boolean;
  /** The link is ready: send the queued turns. */
  pump(): void;
  /** The link was lost. `isFound`: the running turns continue after the reconnect. */
  lost(error: AgentwireError, isFound: boolean): void;
  forgotten(): void;
  /** The client is not connected and does not reconnect now. */
  unavailable(reason: AgentwireError): void;
}

/** The protocol of an in-process client: when it connects, and how it loses its link. There are no frames. */
export class Link implements ClientProtocol {
  readonly #backend: MockBackend;
  readonly #core: MockCore;
  #user: LinkUser | undefined;
  #cancelDial: CancelTimer = () => {};
  #back: Deferred<void> | undefined;
  #isFound = false;
  /** Whether the backend lost its memory with the last link. */
  hasForgotten = false;

  constructor(backend: MockBackend, core: MockCore) {
    this.#backend = backend;
    this.#core = core;
  }

  /** Sets the turns. They need the link first. */
  serve(user: LinkUser): void {
    this.#user = user;
  }

  get isReady(): boolean {
    const { status, connection } = this.#core;
    return status === "ready" && connection.writable;
  }

  /** Resolves when the link is ready; until then it stays pending. */
  back(): Promise<void> {
    if (this.isReady) return Promise.resolve();
    this.#back ??= deferred();
    return this.#back.promise;
  }

  /** Cuts the link, if the client is connected. */
  lose(loss: MockLoss): void {
    const { message = "the link was cut", back = true, recovers = false } = loss;
    const { forgets = false, forGood = false } = loss;
    const { connection, outbox, status } = this.#core;
    if (!connection.writable || (status !== "ready" && status !== "draining")) return;
    const { capabilities, settings } = this.#backend;
    if (!back) this.#backend.set({ refuseConnect: true });
    this.#isFound = recovers && !forgets && !forGood && settings.reconnect !== false && status === "ready";
    this.hasForgotten = forgets || !capabilities.survivesReconnect;
    const code = forgets ? "context-lost" : "connection-lost";
    outbox.run(() => connection.drop(new ConnectionLostError(message, { code, retryable: !forGood })));
  }

  // --- called by the connection ---

  carriesCredentials(): boolean {
    return false;
  }

  /** A connection attempt: waits for `connectDelay`, then succeeds or is refused. */
  async address(url: string): Promise<string> {
    const backend = this.#backend;
    backend.tried();
    const { connectDelay } = backend.settings;
    if (connectDelay > 0)
      await new Promise<void>((resolve) => {
        this.#cancelDial = this.#core.clock.setTimeout(resolve, connectDelay);
      });
    const reason = backend.refuse();
    if (reason !== undefined) throw new ConnectError(reason);
    return url;
  }

  opened(): void {
    const { connection, outbox } = this.#core;
    outbox.tell(() => outbox.run(() => connection.accept())); // after the listeners of `handshaking`
  }

  ready(): void {
    this.#core.connection.healthy();
    this.#back?.resolve();
    this.#back = undefined;
    this.#user?.pump();
  }

  lost(end: SocketEnd | AgentwireError): AgentwireError {
    const error = linkLost(end);
    this.#user?.lost(error, this.#isFound);
    if (this.hasForgotten) this.#user?.forgotten();
    return error;
  }

  busy(): boolean {
    return this.#user?.isBusy ?? false;
  }

  unavailable(reason: AgentwireError): void {
    this.#cancelDial();
    this.#user?.unavailable(reason);
  }

  // Unused: there are no frames, no handshake and no pings.

  message(): void {}

  spoiled(): void {}

  handshakeTimedOut(): void {}

  ping(): boolean {
    return false;
  }
}

const OPEN = 1;
const CLOSED = 3;

/** An open socket that sends nothing. */
class MemorySocket implements WebSocketLike {
  readyState = OPEN;
  #onClose: ((event: CloseEventLike) => void) | undefined;

  send(): void {}

  close(): void {
    this.readyState = CLOSED;
    this.#onClose?.({ code: 1000, reason: "" });
  }

  terminate(): void {
    this.readyState = CLOSED;
  }

  addEventListener(type: string, listener: (event: never) => void): void {
    if (type === "close") this.#onClose = listener as (event: CloseEventLike) => void;
  }

  removeEventListener(type: string): void {
    if (type === "close") this.#onClose = undefined;
  }
}
