import type { CodebuffCore } from "./events.ts";
import { checkFrame } from "./frame-limit.ts";
import { toJson } from "./input.ts";
import { encode } from "./messages.ts";
import type { Notice } from "./notices.ts";
import type { CodebuffSettings } from "./options.ts";
import type { Session } from "./session.ts";
import type { Wire } from "./wire.ts";

/** What everything that deals with the server's requests has. */
export interface RequestsBase {
  readonly settings: CodebuffSettings;
  readonly core: CodebuffCore;
  readonly wire: Wire;
}

/** Answers the server's requests, each on the session that it came from, or not at all. */
export class Responses {
  readonly #setup: RequestsBase;

  constructor(setup: RequestsBase) {
    this.#setup = setup;
  }

  /** @throws InvalidInputError or PayloadTooLargeError for an answer that cannot be sent. */
  write({ server }: Session, type: Notice, fields: object): string {
    const { settings, wire } = this.#setup;
    const json = toJson({ type, ...fields }, "the answer");
    checkFrame(encode.action(wire.nextTxid, json), settings, server);
    return json;
  }

  /** There is nothing to answer with but a refusal, which is short. */
  refuse(session: Session, type: Notice, fields: object): void {
    this.send(session, type, JSON.stringify({ type, ...fields }));
  }

  /** `otherwise` is sent when the original server refuses the answer: its agent would go on waiting. */
  send(session: Session, kind: Notice, json: string, otherwise?: object): void {
    const { wire } = this.#setup;
    const instead = otherwise && JSON.stringify({ type: kind, ...otherwise });
    // With its connection the server has forgotten the request.
    if (wire.isCurrent(session))
      wire.request(session, { kind, instead }, (txid) => encode.action(txid, json));
    wire.retireIfIdle();
  }
}
