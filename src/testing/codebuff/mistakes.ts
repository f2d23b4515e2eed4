// Records client mistakes that the real server accepts.
import { isDict } from "../server/dict.ts";
import type { Accepted } from "./check-frame.ts";
import type { Mistake } from "./record.ts";

/** Returns the mistakes in an accepted message. */
export function mistakesIn({ message, source }: Accepted): readonly Mistake[] {
  const mistakes: Mistake[] = [];
  const { txid, data } = source;
  for (const [prefix, fields] of [["", source] as const, ["data.", isDict(data) ? data : {}] as const])
    for (const [name, value] of Object.entries(fields))
      if (value === null) mistakes.push({ kind: "null-field", detail: prefix + name });
  if (!Number.isSafeInteger(txid) || Number(txid) < 0)
    mistakes.push({ kind: "txid-invalid", detail: JSON.stringify(txid) });
  if (message.type === "identify" && message.clientSessionId === "")
    mistakes.push({ kind: "empty-session-id", detail: "clientSessionId" });
  if ("topics" in message && message.topics.length === 0)
    mistakes.push({ kind: "empty-topics", detail: message.type });
  if (message.type === "action" && message.data.type === "prompt")
    for (const field of ["toolResults", "costMode"] as const)
      if (message.data[field] === undefined)
        mistakes.push({ kind: "missing-field", detail: `data.${field}` });
  return mistakes;
}

/** What a server remembers for one session id, across connections. */
export interface ClientHistory {
  lastTxid: number;
  readonly promptIds: Set<string>;
}

export const newHistory = (): ClientHistory => ({ lastTxid: Number.NEGATIVE_INFINITY, promptIds: new Set() });

/** What a client has sent on this connection, and on earlier connections of the same session id. */
export class ClientRecord {
  readonly #blame: (mistake: Mistake) => void;
  readonly #txids = new Set<number>();
  #lastTxid = Number.NEGATIVE_INFINITY;
  #history = newHistory();
  #identified = false;

  constructor(blame: (mistake: Mistake) => void) {
    this.#blame = blame;
  }

  sawTxid(txid: number): void {
    const detail = `${txid} after ${this.#lastTxid}`;
    if (this.#txids.has(txid)) this.#blame({ kind: "txid-reused", detail });
    else if (txid < this.#lastTxid) this.#blame({ kind: "txid-not-increasing", detail });
    this.#txids.add(txid);
    this.#lastTxid = Math.max(this.#lastTxid, txid);
    this.#history.lastTxid = Math.max(this.#history.lastTxid, txid);
  }

  /** Notes an identify. Even a refused identify names the client's session id. */
  sawIdentify(sessionId: string, txid: number, history: ClientHistory): void {
    if (this.#identified) {
      this.#blame({ kind: "second-identify", detail: sessionId });
      return;
    }
    this.#identified = true;
    const { lastTxid } = history;
    if (txid <= lastTxid)
      this.#blame({ kind: "txid-restarted", detail: `${txid} after ${lastTxid} on an earlier connection` });
    history.lastTxid = Math.max(lastTxid, txid);
    this.#history = history;
  }

  sawPrompt(promptId: string): void {
    const { promptIds } = this.#history;
    if (promptIds.has(promptId)) this.#blame({ kind: "prompt-id-reused", detail: promptId });
    promptIds.add(promptId);
  }
}
