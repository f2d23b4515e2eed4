import { ConnectError, ConnectTimeoutError, HandshakeError, isAgentwireError } from "../core/errors.ts";
import type { Credentials } from "./credentials.ts";
import { CassAuthError, type CassAuthReason } from "./errors.ts";
import type { CassCore, CassIdentity } from "./events.ts";
import { readToken } from "./jwt.ts";
import { type Connected, encode, type ServerMessage } from "./messages.ts";
import type { CassSettings } from "./options.ts";
import type { Session } from "./session.ts";
import { given } from "./turn.ts";

export interface HandshakeSetup {
  readonly settings: CassSettings;
  readonly credentials: Credentials;
  readonly core: CassCore;
}

/**
 * Who the server takes a connection for, and whether that is who the client wants to be.
 *
 *     greeting ──connected──▶ verified, or nobody is asked for ─────────────▶ ready
 *        │  │                                       ▲
 *        │  └─ connected (message method) ──▶ authenticating ──auth_success──┘
 *        │                                     ▲    │ refused, the first time
 *        │ refused, the first time             └────┤ (renewing: a fresh token)
 *        ▼                                          ▼
 *     another dial with a fresh token        refused again: closed for good
 */
export class Handshake {
  readonly #setup: HandshakeSetup;
  #identity: CassIdentity | undefined;
  /** What the present dial was made with. */
  #token: string | undefined;
  /** A token that the server does not take: the next dial needs another one. */
  #refused: string | undefined;
  /** Whether a fresh token was got because one was refused, which is done once. */
  #renewed = false;
  #dials = 0;

  constructor(setup: HandshakeSetup) {
    this.#setup = setup;
  }

  /** Who the server takes the present connection, or the last one, for. */
  get identity(): CassIdentity | undefined {
    return this.#identity;
  }

  /** Where to dial, and as whom. */
  async address(url: string): Promise<string> {
    const { credentials, settings } = this.#setup;
    const refused = this.#refused;
    const dial = ++this.#dials;
    const token = refused === undefined ? await credentials.current() : await credentials.fresh(refused);
    if (dial === this.#dials) this.#token = token; // or it took too long, and another dial has its own
    if (token === undefined || settings.auth === "message") return url;
    return `${url}${url.includes("?") ? "&" : "?"}token=${encodeURIComponent(token)}`;
  }

  /** The server takes the connection for another user from now on. */
  rebind(userId: string): void {
    const { sdkMode } = this.#identity ?? {};
    this.#identity = { userId, verified: userId === this.#expected, ...given("sdkMode", sdkMode) };
  }

  /** A socket has opened. */
  opened(session: Session): void {
    const { requireConnected, auth } = this.#setup.settings;
    if (requireConnected) return;
    if (auth === "message" && this.#token !== undefined) this.#authenticate(session);
    else this.#accept(session, { userId: null, verified: false });
  }

  /** Returns whether the message was the handshake's; an `error` behind it, say, is somebody else's. */
  receive(session: Session, message: ServerMessage): boolean {
    switch (session.phase) {
      case "greeting":
        return this.#onGreeting(session, message);
      case "authenticating":
        return this.#onAuthAnswer(session, message);
      case "renewing":
        return message.type === "error" || message.type === "auth_error"; // it has been understood before
      case "ready":
        return message.type === "connected" && this.#onLateGreeting(session, message);
      case "over":
        return true;
      default:
        return session.phase satisfies never;
    }
  }

  /** Returns whether it was the handshake's. */
  #onGreeting(session: Session, message: ServerMessage): boolean {
    const { connection, redactor } = this.#setup.core;
    switch (message.type) {
      case "connected":
        this.#onConnected(session, message);
        return true;
      case "auth_error": // a strict server's word on the token in the address
        this.#refuse(session, "rejected", redactor.redact(message.message));
        return true;
      case "error": {
        const said = redactor.redact(message.message);
        if (isInitializing(said)) connection.refuse(initializing(said));
        else if (/auth|token/i.test(said)) this.#refuse(session, "rejected", said);
        else connection.refuse(new ConnectError(`the server began with an error: ${said}`));
        return true;
      }
      default:
        return false;
    }
  }

  #onConnected(session: Session, { user_id: userId = null, sdk_mode: sdkMode }: Connected): void {
    session.sdkMode = sdkMode ?? undefined;
    if (this.#token === undefined || this.#setup.settings.auth === "query") this.#verify(session, userId);
    else this.#authenticate(session);
  }

  #authenticate(session: Session): void {
    const { connection } = this.#setup.core;
    const token = this.#token;
    if (token === undefined) return;
    session.phase = "authenticating";
    connection.askedAgain();
    connection.send(encode.auth(token));
  }

  /** The server did not greet, or did not answer `auth`. */
  timedOut(session: Session): void {
    const { settings, core } = this.#setup;
    const { connectTimeout } = settings.socket;
    if (session.phase === "authenticating") {
      const message = `the server did not answer \`auth\` within ${connectTimeout} ms`;
      core.connection.refuse(new CassAuthError("timeout", message, { expected: this.#expected }), "never");
    } else {
      core.connection.drop(new ConnectTimeoutError(connectTimeout, "greet"));
    }
  }

  #onAuthAnswer(session: Session, message: ServerMessage): boolean {
    switch (message.type) {
      case "auth_success":
        this.#verify(session, message.user_id);
        return true;
      case "auth_error":
      case "error": {
        const { connection, redactor } = this.#setup.core;
        const said = redactor.redact(message.message);
        if (isInitializing(said)) connection.refuse(initializing(said));
        else this.#refuse(session, "rejected", said);
        return true;
      }
      case "invalid":
        if (message.claims !== "auth_success") return false;
        this.#refuse(session, "rejected", message.problem);
        return true;
      default:
        return false;
    }
  }

  /** Who the client has to be, if anybody says it. */
  get #expected(): string | undefined {
    const { settings, credentials } = this.#setup;
    const token = this.#token;
    if (settings.expectedUserId !== undefined || token === undefined) return settings.expectedUserId;
    return readToken(token)?.userId ?? (credentials.known === token ? credentials.userId : undefined);
  }

  #verify(session: Session, got: string | null): void {
    const wrong = this.#wrongWith(got);
    if (wrong === undefined) this.#accept(session, this.#identityOf(got));
    else this.#refuse(session, wrong, undefined, got);
  }

  /** What is wrong with being this user; without a token, or with one that does not say whose it is, hardly anything. */
  #wrongWith(got: string | null): CassAuthReason | undefined {
    if (got === null) {
      return this.#token === undefined || this.#setup.settings.allowAnonymous ? undefined : "anonymous";
    }
    const expected = this.#expected;
    return expected === undefined || got === expected ? undefined : "identity-mismatch";
  }

  #identityOf(userId: string | null): CassIdentity {
    return { userId, verified: userId !== null && userId === this.#expected };
  }

  #accept(session: Session, identity: CassIdentity): void {
    const { core } = this.#setup;
    session.phase = "ready";
    this.#refused = undefined;
    this.#renewed = false;
    this.#identity = { ...identity, ...given("sdkMode", session.sdkMode) };
    core.events.emit("authenticated", this.#identity);
    core.connection.accept();
  }

  /** The server does not take the client for who it is. One fresh token is tried, if one is to be had. */
  #refuse(session: Session, reason: CassAuthReason, said?: string, got?: string | null): void {
    const { credentials, settings, core } = this.#setup;
    const error = this.#refusal(reason, said, got);
    if (this.#token === undefined || this.#renewed || !credentials.renewable) {
      core.connection.refuse(error, "never");
      return;
    }
    this.#renewed = true;
    this.#refused = this.#token;
    // Nothing is sent before the greeting, so a token that is refused before it is not tried again on this socket.
    if (settings.auth === "query" || session.phase === "greeting") core.connection.refuse(error, "at-once");
    else this.#renew(session, this.#token);
  }

  /** The message method tries the fresh token on the same socket. */
  #renew(session: Session, token: string): void {
    const { credentials, core } = this.#setup;
    const { connection, outbox } = core;
    session.phase = "renewing";
    connection.answered();
    // The token function is the caller's.
    outbox.tell(() => {
      credentials.fresh(token).then(
        (fresh) => outbox.run(() => this.#renewedWith(session, fresh)),
        (error: unknown) => outbox.run(() => this.#notRenewed(session, error)),
      );
    });
  }

  #renewedWith(session: Session, fresh: string): void {
    if (session.phase !== "renewing") return; // lost, or closed, meanwhile
    this.#token = fresh;
    this.#authenticate(session);
  }

  #notRenewed(session: Session, cause: unknown): void {
    if (session.phase !== "renewing") return;
    const error = isAgentwireError(cause)
      ? cause
      : new CassAuthError("refresh-failed", "no fresh token was to be had", { cause });
    this.#setup.core.connection.refuse(error, error.retryable ? undefined : "never");
  }

  /** Who the client is was settled without a greeting. One that comes late must not show that it is somebody else. */
  #onLateGreeting(session: Session, { user_id: userId = null, sdk_mode: sdkMode }: Connected): boolean {
    const { settings, core } = this.#setup;
    if (settings.requireConnected || (settings.auth === "message" && this.#token !== undefined)) return false;
    const wrong = this.#wrongWith(userId);
    if (wrong !== undefined) {
      core.connection.refuse(this.#refusal(wrong, undefined, userId), "never");
      return true;
    }
    session.sdkMode = sdkMode ?? undefined;
    this.#identity = { ...this.#identityOf(userId), ...given("sdkMode", session.sdkMode) };
    core.events.emit("authenticated", this.#identity);
    return true;
  }

  #refusal(reason: CassAuthReason, said: string | undefined, got: string | null | undefined): CassAuthError {
    const shown = typeof got === "string" ? this.#setup.core.redactor.redact(got) : got;
    return refused(reason, { said, expected: this.#expected, got: shown });
  }
}

function isInitializing(said: string): boolean {
  return /still initializing/i.test(said);
}

function initializing(said: string): HandshakeError {
  return new HandshakeError("initializing", `the server is not ready yet: ${said}`, { retryable: true });
}

function refused(
  reason: CassAuthReason,
  details: {
    readonly said: string | undefined;
    readonly expected: string | undefined;
    readonly got: string | null | undefined;
  },
): CassAuthError {
  const { said, expected, got } = details;
  const who = expected === undefined ? "this user" : `user ${expected}`;
  const what =
    reason === "rejected"
      ? `the server refuses the token${said === undefined ? "" : `: ${said}`}`
      : reason === "anonymous"
        ? `the server does not take this client for ${who}, but for nobody: the token is not valid, or has expired`
        : `the server takes this client for user ${got}, not for ${who}`;
  return new CassAuthError(reason, `${what}; log in again, and make a new client`, { expected, got });
}
