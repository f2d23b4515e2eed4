import type { CancelTimer } from "../core/clock.ts";
import { HandshakeError } from "../core/errors.ts";
import { randomId } from "../core/random-id.ts";
import type { CodebuffCore } from "./events.ts";
import { type Ack, encode } from "./messages.ts";
import type { CodebuffSettings } from "./options.ts";
import type { Session } from "./session.ts";

/** What an ack means while the client identifies. */
export type IdentifyVerdict =
  /** Accepted, as far as an ack can say: a refusal may still follow it. */
  | { readonly verdict: "settle" }
  /** The original server, which knows no identify: ready at once. */
  | { readonly verdict: "legacy" }
  | { readonly verdict: "refused"; readonly error: HandshakeError }
  | { readonly verdict: "ignore" };

const LEGACY = /^Unknown message type/;

/**
 * Reads an ack during identification. `txid` is the identify's own; `acked` says that its success ack has
 * arrived, so that only a refusal without txid can still concern it.
 */
export function readIdentifyAck(ack: Ack, txid: number, acked: boolean): IdentifyVerdict {
  const anonymous = ack.txid === undefined || ack.txid === null;
  if (!anonymous && ack.txid !== txid) return { verdict: "ignore" };
  if (ack.success) return acked ? { verdict: "ignore" } : { verdict: "settle" };
  const text = ack.error ?? "";
  if (!acked && LEGACY.test(text)) return { verdict: "legacy" };
  return { verdict: "refused", error: refusal(text) };
}

/** Whether a refusal without txid is about the session as a whole. */
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

/** How often an id in use is tried again as it is: the server may not have noticed the end of its old connection. */
const DUPLICATE_RETRIES = 3;

/** How a client makes itself known on each new socket, and under which name. */
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

  /** A socket opened. `newTxid` gives the txid of the frame, if there is one: the original server knows no identify. */
  begin(session: Session, newTxid: () => number): void {
    const { connection } = this.#core;
    if (this.#settings.profile === "codebuff") {
      session.server = "codebuff";
      connection.accept();
      return;
    }
    session.identifyTxid = newTxid();
    connection.send(encode.identify(session.identifyTxid, this.#clientSessionId));
  }

  /** An ack came before the session was identified. */
  onAck(session: Session, ack: Ack): void {
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

  /** An id in use is tried again as it is, then with a suffix. */
  refuse(error: HandshakeError): void {
    if (error.reason === "duplicate" && ++this.#duplicates > DUPLICATE_RETRIES) {
      this.#clientSessionId = randomId(this.#settings.clientSessionId);
      this.#duplicates = 0;
    }
    this.end();
    this.#core.connection.refuse(error);
  }

  /** Something came behind the identification: the id is not in use elsewhere. */
  proven(): void {
    this.#duplicates = 0;
  }

  /** The socket is gone, or given up. */
  end(): void {
    this.#cancelSettle?.();
    this.#cancelSettle = undefined;
  }
}
