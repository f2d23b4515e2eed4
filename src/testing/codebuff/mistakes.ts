// Notes mistakes of clients that the real server would accept.
import { type Dict, isDict } from "../server/dict.ts";
import type { Mistake } from "./record.ts";
import type { Accepted } from "./verdict.ts";

/** What is wrong with a message by itself although the server takes it. */
export function mistakesIn({ message, source, notes }: Accepted): readonly Mistake[] {
  const mistakes: Mistake[] = [...notes];
  for (const field of nullFields(source)) mistakes.push({ kind: "null-field", detail: field });
  const { txid } = source;
  if (!Number.isSafeInteger(txid) || Number(txid) < 0)
    mistakes.push({
      kind: "txid-invalid",
      detail: typeof txid === "bigint" ? String(txid) : JSON.stringify(txid),
    });
  switch (message.type) {
    case "identify":
      if (message.clientSessionId === "")
        mistakes.push({ kind: "empty-session-id", detail: "clientSessionId" });
      break;
    case "subscribe":
    case "unsubscribe":
      if (message.topics.length === 0) mistakes.push({ kind: "empty-topics", detail: message.type });
      break;
    case "action":
      if (message.data.type !== "prompt") break;
      for (const field of ["toolResults", "costMode"] as const)
        if (message.data[field] === undefined)
          mistakes.push({ kind: "missing-field", detail: `data.${field}` });
      break;
    case "ping":
      break;
  }
  return mistakes;
}

function nullFields(source: Dict): readonly string[] {
  const { data } = source;
  return [...nullKeys(source, ""), ...(isDict(data) ? nullKeys(data, "data.") : [])];
}

function nullKeys(dict: Dict, prefix: string): readonly string[] {
  return Object.keys(dict)
    .filter((key) => dict[key] === null)
    .map((key) => prefix + key);
}

/** The txids of one connection, in order. */
export class TxidOrder {
  readonly #used = new Set<number>();
  #last = Number.NEGATIVE_INFINITY;

  /** Takes note of the next one, and says what is wrong with it. */
  next(txid: number): Mistake | undefined {
    const reused = this.#used.has(txid);
    const late = txid < this.#last;
    const detail = `${txid} after ${this.#last}`;
    this.#used.add(txid);
    this.#last = Math.max(this.#last, txid);
    if (reused) return { kind: "txid-reused", detail };
    return late ? { kind: "txid-not-increasing", detail } : undefined;
  }
}

/** What a server remembers of one session id, over all its connections. */
export class ClientHistory {
  #lastTxid = Number.NEGATIVE_INFINITY;
  readonly #promptIds = new Set<string>();

  /** A new connection of this session id begins with this txid. */
  reconnect(txid: number): Mistake | undefined {
    if (txid > this.#lastTxid) return undefined;
    return { kind: "txid-restarted", detail: `${txid} after ${this.#lastTxid} on an earlier connection` };
  }

  sawTxid(txid: number): void {
    this.#lastTxid = Math.max(this.#lastTxid, txid);
  }

  sawPrompt(promptId: string): Mistake | undefined {
    if (this.#promptIds.has(promptId)) return { kind: "prompt-id-reused", detail: promptId };
    this.#promptIds.add(promptId);
    return undefined;
  }
}
