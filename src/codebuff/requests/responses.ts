// Sends the answer to a request on the session that asked, or not at all.
import type { CodebuffCore } from "../events.ts";
import { toJson } from "../input.ts";
import { encode } from "../messages.ts";
import type { CodebuffSettings } from "../options.ts";
import { checkFrameSize } from "../session/frame-limit.ts";
import type { Notice } from "../session/notices.ts";
import type { SocketSession } from "../session/session.ts";
import type { CodebuffWire } from "../wire.ts";

/** The setup that all parts for the server's requests share. */
export interface RequestsBase {
  readonly settings: CodebuffSettings;
  readonly core: CodebuffCore;
  readonly wire: CodebuffWire;
}

/** Responds to the server's requests, each on its own session or not at all. */
export class Responses {
  readonly #setup: RequestsBase;

  constructor(setup: RequestsBase) {
    this.#setup = setup;
  }

  /** @throws InvalidInputError or PayloadTooLargeError for an answer that cannot be sent. */
  write({ server }: SocketSession, type: Notice, fields: object): string {
    const { settings, wire } = this.#setup;
    const json = toJson({ type, ...fields }, "the answer");
    checkFrameSize(encode.action(wire.nextTxid, json), settings, server);
    return json;
  }

  /** Sends a refusal. A refusal is short, so its size needs no check. */
  refuse(session: SocketSession, type: Notice, fields: object): void {
    this.send(session, type, JSON.stringify({ type, ...fields }));
  }

  /** Sends a response. If the original server refuses the response, sends `otherwise`: the agent would wait without end. */
  send(session: SocketSession, kind: Notice, json: string, otherwise?: object): void {
    const { wire } = this.#setup;
    const instead = otherwise && JSON.stringify({ type: kind, ...otherwise });
    // A server forgets its requests when their connection ends.
    if (wire.isCurrent(session))
      wire.request(session, { kind, instead }, (txid) => encode.action(txid, json));
    wire.retireIfIdle();
  }
}
