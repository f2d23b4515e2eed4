// What one client has said so far, over all its connections.
import { ClientHistory, TxidOrder } from "./mistakes.ts";
import type { Mistake } from "./record.ts";

/** What the client of one connection has said so far, here and, once its id is known, on earlier connections. */
export class ClientRecord {
  readonly #blame: (mistake: Mistake) => void;
  readonly #txids = new TxidOrder();
  #history = new ClientHistory();
  #identified = false;

  constructor(blame: (mistake: Mistake) => void) {
    this.#blame = blame;
  }

  sawTxid(txid: number): void {
    const mistake = this.#txids.next(txid);
    if (mistake) this.#blame(mistake);
    this.#history.sawTxid(txid);
  }

  /** An identify, taken or not: its id tells which client this is. */
  sawIdentify(sessionId: string, txid: number, history: ClientHistory): void {
    if (this.#identified) {
      this.#blame({ kind: "second-identify", detail: sessionId });
      return;
    }
    this.#identified = true;
    const mistake = history.reconnect(txid);
    if (mistake) this.#blame(mistake);
    history.sawTxid(txid);
    this.#history = history;
  }

  sawPrompt(promptId: string): void {
    const mistake = this.#history.sawPrompt(promptId);
    if (mistake) this.#blame(mistake);
  }
}
