// The fate of each sent frame: acknowledged, refused or out of time.
import {
  type AgentwireError,
  ConnectionLostError,
  isAgentwireError,
  RequestError,
  RequestTimeoutError,
} from "../../core/errors.ts";
import type { CodebuffCore } from "../events.ts";
import { type Ack, encode } from "../messages.ts";
import type { CodebuffSettings } from "../options.ts";
import type { Identification } from "./handshake.ts";
import { refusal, refusesSession } from "./handshake.ts";
import type { Notice } from "./notices.ts";
import type { Begun, Sent, SocketSession } from "./session.ts";

/** The functions that acks and refusals call. */
export interface AcksHost {
  isCurrent(session: SocketSession): boolean;
  request(session: SocketSession, sent: Sent, frame: (txid: number) => string): void;
  promptEnded(promptId: string): void;
  promptAbandoned(promptId: string): void;
  retireIfIdle(): void;
}

export interface AcksSetup {
  readonly settings: CodebuffSettings;
  readonly core: CodebuffCore;
  readonly identification: Identification;
  readonly host: AcksHost;
}

/** Settles each sent frame: by an ack with its txid, by a refusal with or without txid, or by a time-out. */
export class Acks {
  readonly #setup: AcksSetup;

  constructor(setup: AcksSetup) {
    this.#setup = setup;
  }

  receive(session: SocketSession, ack: Ack): void {
    const { txid } = ack;
    if (txid === undefined || txid === null) {
      if (!ack.success) this.#onAnonymousRefusal(session, this.#clean(ack.error));
      return;
    }
    const sent = session.takeAck(txid);
    if (!sent) return; // a duplicate, or an ack of an unknown frame
    if (ack.success) this.#accepted(session, txid, sent);
    else this.#refused(session, txid, sent, this.#clean(ack.error));
    this.provesOver(session, txid); // last: when this prompt ends, a closing client may be done
  }

  /** The server answered this frame. A server that works in order has ended every earlier prompt. */
  provesOver(session: SocketSession, txid: number): void {
    for (const prompt of session.overSilently(txid)) prompt.overtaken(session);
  }

  #accepted(session: SocketSession, txid: number, sent: Sent): void {
    switch (sent.kind) {
      case "ping":
      case "cancel-user-input":
      case "tool-call-response":
      case "read-files-response":
      case "mcp-tool-data":
        return;
      case "prompt":
        sent.prompt.acked();
        return;
      case "init":
        session.initAcked(txid, sent);
        return;
      case "topics":
        sent.reply.resolve();
        return;
      default:
        sent satisfies never;
    }
  }

  #refused(session: SocketSession, txid: number | undefined, sent: Sent, serverMessage: string): void {
    const { host } = this.#setup;
    const error = new RequestError(`the server refused the ${sent.kind}: ${serverMessage}`, {
      txid,
      serverMessage,
    });
    this.#fail(sent, error);
    if (sent.kind === "prompt") host.promptEnded(sent.prompt.id); // no prompt-error follows a refusal
    if (!("instead" in sent) || sent.instead === undefined || session.server !== "codebuff") return;
    const { kind, instead } = sent;
    if (host.isCurrent(session)) host.request(session, { kind }, (id) => encode.action(id, instead)); // else the agent waits for ever
    host.retireIfIdle();
  }

  /** A refusal without txid. Such a refusal never fails an acknowledged prompt. */
  #onAnonymousRefusal(session: SocketSession, text: string): void {
    const { core, identification } = this.#setup;
    if (session.untouched && refusesSession(text)) {
      identification.refuse(refusal(text));
      return;
    }
    const sent = /Failed to initialize session/.test(text)
      ? session.takeInit()
      : /Failed to (un)?subscribe/.test(text)
        ? undefined
        : session.takeOnlyUnacked();
    if (sent && sent.kind !== "ping") this.#refused(session, undefined, sent, text);
    else {
      // Not logged: the text may quote a credential.
      const message = "the server refused something without saying what";
      core.warn("unattributed-refusal", message, { raw: text });
    }
  }

  #fail(sent: Sent, error: AgentwireError): void {
    if (sent.kind === "prompt") sent.prompt.fail(error);
    else if ("reply" in sent) sent.reply.reject(error);
    else if (sent.kind !== "ping" || isAgentwireError(error, "request-refused"))
      this.#noticeFailed(sent.kind, error);
  }

  /** No caller waits for a notice or a ping, so a warning is enough. The server's message may quote a credential. */
  #noticeFailed(kind: Notice | "ping", error: AgentwireError): void {
    const refused = isAgentwireError(error, "request-refused");
    const raw = refused ? { raw: error.serverMessage } : {};
    const how = refused ? "refused" : "did not take in";
    this.#setup.core.warn(`${kind}-failed`, `the server ${how} the ${kind}`, raw);
  }

  /**
   * A prompt was not acknowledged in time. A server that works in order acknowledges a prompt when the work on it starts. If nothing
   * older is running, the server never read the prompt. Cutting the link then stops no work, and later prompts need not wait for the
   * stall limit.
   */
  expired(session: SocketSession, txid: number, sent: Begun): void {
    const { settings, core, host } = this.#setup;
    const { ackTimeout: timeout } = settings;
    const message = `the server did not acknowledge the ${sent.kind} within ${timeout} ms; it may be stuck, or raise \`ackTimeout\``;
    this.#fail(sent, new RequestTimeoutError(message, { timeout, txid, delivery: "unknown" }));
    if (sent.kind === "prompt") {
      if (session.blocked) {
        const why = `a prompt was not acknowledged within ${timeout} ms`;
        core.connection.drop(new ConnectionLostError(why));
        return;
      }
      host.promptAbandoned(sent.prompt.id);
    }
    host.retireIfIdle();
  }

  /** Refusals may quote the client's input, tokens included. */
  #clean(text: string | null | undefined): string {
    return this.#setup.core.redactor.redact(text ?? "no reason given");
  }
}
