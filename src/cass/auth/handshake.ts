// Compares the user that the server reports with the user of the token.
import { ConnectError, ConnectTimeoutError, HandshakeError, isAgentwireError } from "../../core/errors.ts";
import { CassAuthError, type CassAuthReason } from "../errors.ts";
import type { CassCore, CassIdentity } from "../events.ts";
import { type CassServerMessage, type Connected, encode, givenField } from "../messages.ts";
import type { CassSettings } from "../options.ts";
import type { Credentials } from "./credentials.ts";
import { readToken } from "./jwt.ts";

/**
 * The verification of one connection's user.
 *
 *     over ──socket open──▶ greeting ──connected──▶ the user is verified ──────────────▶ ready
 *      ▲                      │  │                               ▲
 *      │                      │  └─ connected (message method) ─▶ authenticating ──auth_success──┘
 *      │                      │                                  │    ▲
 *      │                      │ refused                  refused │    │ a fresh token
 *      │                      ▼                                  ▼    │
 *      └──── another dial with a fresh token                   renewing
 *
 * A second refusal closes the client for good.
 */
type Phase =
  | { readonly name: "over" }
  | { readonly name: "greeting" }
  | { readonly name: "authenticating" | "renewing"; readonly sdkMode: boolean | undefined }
  | { readonly name: "ready" };

const OVER: Phase = { name: "over" };

/** Verifies the identity of a connection. */
export class Handshake {
  readonly #core: CassCore;
  readonly #settings: CassSettings;
  readonly #credentials: Credentials;
  #phase: Phase = OVER;
  #identity: CassIdentity | undefined;
  /** The current dial. */
  #dial: { token: string | undefined } = { token: undefined };
  /** The first token that the server has refused since it last accepted one. The client then tries one fresh token. */
  #refused: string | undefined;

  constructor(core: CassCore, settings: CassSettings, credentials: Credentials) {
    this.#core = core;
    this.#settings = settings;
    this.#credentials = credentials;
  }

  /** The identity of the current or last connection. */
  get identity(): CassIdentity | undefined {
    return this.#identity;
  }

  /** Whether a socket is open. */
  get isOpen(): boolean {
    return this.#phase.name !== "over";
  }

  get isReady(): boolean {
    return this.#phase.name === "ready";
  }

  /** The address to dial, with the token if the method is `query`. */
  async address(url: string): Promise<string> {
    const refused = this.#refused;
    const credentials = this.#credentials;
    const dial = { token: this.#dial.token };
    this.#dial = dial; // a token that arrives during a later dial must not change that dial
    const token = refused === undefined ? await credentials.current() : await credentials.fresh(refused);
    dial.token = token;
    if (token === undefined || this.#settings.auth === "message") return url;
    return `${url}${url.includes("?") ? "&" : "?"}token=${encodeURIComponent(token)}`;
  }

  /** The server assigns the connection to another user from now on. */
  rebind(userId: string): void {
    const { sdkMode } = this.#identity ?? {};
    this.#identity = { userId, verified: userId === this.#expected, ...givenField("sdkMode", sdkMode) };
  }

  /** A socket opened. */
  opened(): void {
    this.#phase = { name: "greeting" };
    const { requireConnected, auth } = this.#settings;
    if (requireConnected) return;
    const { token } = this.#dial;
    if (auth === "message" && token !== undefined) this.#authenticate(token, undefined);
    else this.#accept({ userId: null, verified: false });
  }

  /** The socket has ended. */
  closed(): void {
    this.#phase = OVER;
  }

  /** Handles a message. Returns whether the message belongs to the handshake. */
  receive(message: CassServerMessage): boolean {
    const phase = this.#phase;
    switch (phase.name) {
      case "greeting":
        return message.type === "connected" ? this.#onConnected(message) : this.#onRefusal(message, phase);
      case "authenticating":
        if (message.type !== "auth_success") return this.#onRefusal(message, phase);
        this.#verify(message.user_id, phase.sdkMode);
        return true;
      case "renewing":
        return message.type === "error" || message.type === "auth_error"; // the refusal is repeated
      case "ready":
        return message.type === "connected" && this.#onLateGreeting(message);
      case "over":
        return true;
      default:
        return phase satisfies never;
    }
  }

  #onConnected({ user_id: userId, sdk_mode }: Connected): true {
    const { token } = this.#dial;
    const sdkMode = sdk_mode ?? undefined;
    if (token === undefined || this.#settings.auth === "query") this.#verify(userId ?? null, sdkMode);
    else this.#authenticate(token, sdkMode);
    return true;
  }

  /** Handles a refusal. A strict server answers the token in the address with `auth_error`, before any greeting. */
  #onRefusal(message: CassServerMessage, { name }: Phase): boolean {
    const { connection, redactor } = this.#core;
    if (message.type === "invalid" && message.claims === "auth_success" && name === "authenticating") {
      this.#refuse("rejected", message.problem);
      return true;
    }
    if (message.type !== "auth_error" && message.type !== "error") return false;
    const said = redactor.redact(message.message);
    if (/still initializing/i.test(said)) {
      const problem = `the server is not ready yet: ${said}`;
      connection.refuse(new HandshakeError("initializing", problem, { retryable: true }));
    } else if (message.type === "auth_error" || name === "authenticating" || /auth|token/i.test(said)) {
      this.#refuse("rejected", said);
    } else {
      connection.refuse(new ConnectError(`the server began with an error: ${said}`));
    }
    return true;
  }

  #authenticate(token: string, sdkMode: boolean | undefined): void {
    const { connection } = this.#core;
    this.#phase = { name: "authenticating", sdkMode };
    connection.askedAgain();
    connection.send(encode.auth(token));
  }

  /** The server did not greet, or did not answer `auth`, in time. */
  timedOut(): void {
    const { connection } = this.#core;
    const { connectTimeout } = this.#settings.socket;
    if (this.#phase.name !== "authenticating") {
      connection.drop(new ConnectTimeoutError(connectTimeout, "greet"));
      return;
    }
    const message = `the server did not answer \`auth\` within ${connectTimeout} ms`;
    connection.refuse(new CassAuthError("timeout", message, { expected: this.#expected }), "never");
  }

  /** The user that the client must be, if known. */
  get #expected(): string | undefined {
    const { token } = this.#dial;
    const { expectedUserId } = this.#settings;
    if (expectedUserId !== undefined || token === undefined) return expectedUserId;
    const { known, userId } = this.#credentials;
    return readToken(token)?.userId ?? (known === token ? userId : undefined);
  }

  #verify(userId: string | null, sdkMode: boolean | undefined): void {
    const wrong = this.#wrongWith(userId);
    if (wrong === undefined) this.#accept(this.#identityOf(userId, sdkMode));
    else this.#refuse(wrong, undefined, userId);
  }

  /** The reason to refuse an identity. Without a token, or with a token that names no user, nearly every identity is accepted. */
  #wrongWith(got: string | null): CassAuthReason | undefined {
    if (got === null) {
      return this.#dial.token === undefined || this.#settings.allowAnonymous ? undefined : "anonymous";
    }
    const expected = this.#expected;
    return expected === undefined || got === expected ? undefined : "identity-mismatch";
  }

  #identityOf(userId: string | null, sdkMode: boolean | undefined): CassIdentity {
    const verified = userId !== null && userId === this.#expected;
    return { userId, verified, ...givenField("sdkMode", sdkMode) };
  }

  #accept(identity: CassIdentity): void {
    this.#phase = { name: "ready" };
    this.#refused = undefined;
    this.#identity = identity;
    this.#core.events.emit("authenticated", identity);
    this.#core.connection.accept();
  }

  /** The server does not accept the client as its user. Tries one fresh token, if possible. */
  #refuse(reason: CassAuthReason, said?: string, got?: string | null): void {
    const { connection } = this.#core;
    const { token } = this.#dial;
    const error = this.#refusal(reason, said, got);
    if (token === undefined || this.#refused !== undefined || !this.#credentials.renewable) {
      connection.refuse(error, "never");
      return;
    }
    this.#refused = token;
    const phase = this.#phase;
    // Only after the greeting may the client send another token on this socket.
    if (phase.name === "authenticating") this.#renew(token, phase.sdkMode);
    else connection.refuse(error, "at-once");
  }

  /** The message method sends the fresh token on the same socket. */
  #renew(refused: string, sdkMode: boolean | undefined): void {
    const { connection, outbox } = this.#core;
    const phase: Phase = { name: "renewing", sdkMode };
    this.#phase = phase;
    connection.answered();
    const renewed = (fresh: string): void => {
      if (this.#phase !== phase) return; // lost or closed meanwhile
      this.#dial.token = fresh;
      this.#authenticate(fresh, sdkMode);
    };
    const failed = (cause: unknown): void => {
      if (this.#phase !== phase) return;
      const error = isAgentwireError(cause)
        ? cause
        : new CassAuthError("refresh-failed", "no fresh token was to be had", { cause });
      connection.refuse(error, error.retryable ? undefined : "never");
    };
    // The token function is the caller's code.
    outbox.tell(() => {
      this.#credentials.fresh(refused).then(
        (fresh) => outbox.run(() => renewed(fresh)),
        (error: unknown) => outbox.run(() => failed(error)),
      );
    });
  }

  /** With `requireConnected: false` the connection was accepted without a greeting. A late greeting must not name another user. */
  #onLateGreeting({ user_id: userId = null, sdk_mode: sdkMode }: Connected): boolean {
    const { requireConnected, auth } = this.#settings;
    if (requireConnected || (auth === "message" && this.#dial.token !== undefined)) return false;
    const wrong = this.#wrongWith(userId);
    if (wrong !== undefined) {
      this.#core.connection.refuse(this.#refusal(wrong, undefined, userId), "never");
      return true;
    }
    this.#identity = this.#identityOf(userId, sdkMode ?? undefined);
    this.#core.events.emit("authenticated", this.#identity);
    return true;
  }

  #refusal(
    reason: CassAuthReason,
    said: string | undefined,
    unsafe: string | null | undefined,
  ): CassAuthError {
    const expected = this.#expected;
    const got = typeof unsafe === "string" ? this.#core.redactor.redact(unsafe) : unsafe;
    const who = expected === undefined ? "this user" : `user ${expected}`;
    const what =
      reason === "rejected"
        ? `the server refuses the token${said === undefined ? "" : `: ${said}`}`
        : reason === "anonymous"
          ? `the server does not take this client for ${who}, but for nobody: the token is not valid, or has expired`
          : `the server takes this client for user ${got}, not for ${who}`;
    return new CassAuthError(reason, `${what}; log in again, and make a new client`, { expected, got });
  }
}
