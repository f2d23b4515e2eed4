// How a client identifies itself on each new socket.
import type { CancelTimer } from "../../core/clock.ts";
import { HandshakeError } from "../../core/errors.ts";
import { randomId } from "../../core/random-id.ts";
import type { CodebuffCore } from "../events.ts";
import { type Ack, encode } from "../messages.ts";
import type { CodebuffSettings } from "../options.ts";
import type { SocketSession } from "./session.ts";

/** The meaning of an ack during identification. */
export type IdentifyVerdict =
  /** Accepted so far. A refusal may still follow. */
  | { readonly verdict: "settle" }
  /** The original server does not know `identify`: ready at once. */
  | { readonly verdict: "legacy" }
  | { readonly verdict: "refused"; readonly error: HandshakeError }
  | { readonly verdict: "ignore" };

const LEGACY = /^Unknown message type/;

/**
 * Reads an ack during identification. `txid` is the txid of the `identify`. `acked`: the success ack has arrived, so only a refusal
 * without txid can still be about the `identify`.
 */
export function readIdentifyAck(ack: Ack, txid: number, acked: boolean): IdentifyVerdict {
  const anonymous = ack.txid === undefined || ack.txid === null;
  if (!anonymous && ack.txid !== txid) return { verdict: "ignore" };
  if (ack.success) return acked ? { verdict: "ignore" } : { verdict: "settle" };
  const text = ack.error ?? "";
  if (!acked && LEGACY.test(text)) return { verdict: "legacy" };
  return { verdict: "refused", error: refusal(text) };
}

/** Whether a refusal without txid is about the whole session. */
export function refusesSession(text: string): boolean {
  return DUPLICATE.test(text) || FULL.test(text);
}

const DUPLICATE = /already in use/;
const FULL = /^Maximum connections/;

export function refusal(text: string): HandshakeError {
  if (DUPLICATE.test(text)) {
    const message =
      "another connection holds this session id, or the server has not yet noticed that ours is gone";
    return new HandshakeError("duplicate", message, { retryable: true });
  }
  if (FULL.test(text))
    return new HandshakeError("full", `the server takes no more connections (${text})`, { retryable: true });
  return new HandshakeError(
    "nack",
    `the server refused to identify this client: ${text || "no reason given"}`,
  );
}

/** Retries with the same id when the id is in use: the server may not have noticed the end of its old connection. */
const DUPLICATE_RETRIES = 3;

/** Identifies the client on each new socket. Chooses the session id. */
export class Identification {
  readonly #settings: CodebuffSettings;
  readonly #core: CodebuffCore;
  #clientSessionId: string;
  #duplicates = 0;
  #cancelSettle: CancelTimer | undefined;

  constructor(settings: CodebuffSettings, core: CodebuffCore) {
    this.#settings = settings;
    this.#core = core;
    this.#clientSessionId = settings.clientSessionId;
  }

  get clientSessionId(): string {
    return this.#clientSessionId;
  }

  /** A socket opened. `newTxid` gives the txid of the `identify`; not called with `profile: "codebuff"`, which sends none. */
  begin(session: SocketSession, newTxid: () => number): void {
    const { connection } = this.#core;
    if (this.#settings.profile === "codebuff") {
      session.server = "codebuff";
      connection.accept();
      return;
    }
    session.identifyTxid = newTxid();
    connection.send(encode.identify(session.identifyTxid, this.#clientSessionId));
  }

  /** Handles an ack that came before the session was identified. */
  onAck(session: SocketSession, ack: Ack): void {
    const { profile, settleWindow } = this.#settings;
    const { redactor, connection, clock } = this.#core;
    const { identifyTxid } = session;
    if (identifyTxid === undefined) return;
    const error = typeof ack.error === "string" ? redactor.redact(ack.error) : ack.error;
    const read = readIdentifyAck({ ...ack, error }, identifyTxid, session.phase === "settling");
    switch (read.verdict) {
      case "ignore":
        return;
      case "refused":
        this.refuse(read.error);
        return;
      case "legacy":
        session.server = profile === "proxy" ? "proxy" : "codebuff";
        connection.accept();
        return;
      case "settle":
        session.server = "proxy";
        session.phase = "settling";
        connection.answered();
        if (settleWindow === 0) connection.accept();
        else this.#cancelSettle = clock.setTimeout(() => connection.accept(), settleWindow);
        return;
      default:
        read satisfies never;
    }
  }

  /** Handles a refusal. An id in use is tried again unchanged, then with a suffix. */
  refuse(error: HandshakeError): void {
    if (error.reason === "duplicate" && ++this.#duplicates > DUPLICATE_RETRIES) {
      this.#clientSessionId = randomId(this.#settings.clientSessionId);
      this.#duplicates = 0;
    }
    this.end();
    this.#core.connection.refuse(error);
  }

  /** A message followed the identification: the id is not in use elsewhere. */
  proven(): void {
    this.#duplicates = 0;
  }

  /** The socket has ended or was given up. */
  end(): void {
    this.#cancelSettle?.();
    this.#cancelSettle = undefined;
  }
}
