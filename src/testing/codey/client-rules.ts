// Notes what a client does wrong in the order of its messages.
import type { CodeyViolationKind, ReceivedDecision } from "./record.ts";

/** A violation before it is known whose. */
export interface CodeyMistake {
  readonly kind: CodeyViolationKind;
  readonly detail: string;
}

/** How a session stands when its client does something. */
export interface Standing {
  readonly running: boolean;
  /** Ids of calls undecided that a `Cancel` had found waiting. */
  readonly stale: readonly string[];
}

/** The rules for the order of a client's messages, which the server itself does not enforce. */
export class ClientRules {
  #barrier: "none" | "missing" | "under-way" = "none";
  /** How many frames had arrived when the `Pong` of the barrier was sent. */
  #arrivedBeforePong = 0;

  cancelled(): void {
    this.#barrier = "missing";
  }

  /** The `Pong` of a `Ping` is about to be sent, with so many frames arrived. */
  ponged(arrived: number): void {
    if (this.#barrier !== "missing") return; // a later Ping, such as a keepalive, moves no barrier
    this.#barrier = "under-way";
    this.#arrivedBeforePong = arrived;
  }

  /** A `SendMessage`, which was the `index`th frame to arrive. */
  sent(content: string, index: number, { running, stale }: Standing): readonly CodeyMistake[] {
    const mistakes: CodeyMistake[] = [];
    const detail = content.slice(0, 100);
    if (content.trim() === "") mistakes.push({ kind: "blank-content", detail: JSON.stringify(detail) });
    if (running) mistakes.push({ kind: "send-mid-turn", detail });
    const tooEarly =
      this.#barrier === "missing" || (this.#barrier === "under-way" && index <= this.#arrivedBeforePong);
    if (tooEarly) mistakes.push({ kind: "send-before-barrier", detail });
    this.#barrier = "none";
    return [...mistakes, ...undenied(stale)];
  }

  decided(callId: string, approved: boolean, outcome: ReceivedDecision["outcome"]): readonly CodeyMistake[] {
    const detail = callId;
    switch (outcome) {
      case "taken":
        return [];
      case "stale":
        return approved ? [{ kind: "decision-late", detail }] : [];
      case "early":
        return [{ kind: "decision-early", detail }];
      case "repeated":
        return [{ kind: "decision-repeated", detail }];
      case "late":
        return [{ kind: "decision-late", detail }];
      case "unknown":
        return [{ kind: "decision-unknown", detail }];
    }
  }

  left({ running, stale }: Standing): readonly CodeyMistake[] {
    const mistakes: CodeyMistake[] = running
      ? [{ kind: "left-mid-turn", detail: "Close without Cancel" }]
      : [];
    return [...mistakes, ...undenied(stale)];
  }
}

function undenied(callIds: readonly string[]): readonly CodeyMistake[] {
  return callIds.map((callId) => ({ kind: "approval-not-denied", detail: callId }));
}
