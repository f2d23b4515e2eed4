// The turn and the requests of a driven chat, by its events.

import { Recent } from "../../core/recent.ts";
import type { UniversalEvent } from "../../universal/events.ts";
import type { TurnTarget } from "../wire/command.ts";

/** A request of the agent. `by`: the key of the command that settled it, if a command did. */
interface Asked {
  readonly session: string;
  isSettled: boolean;
  by: string | undefined;
}

/** How many requests are remembered: a late command about an older one is stale. */
const REMEMBERED = 1_000;

export interface RunningTurn extends TurnTarget {
  /** The key of its prompt. */
  readonly prompt: string | undefined;
}

/** What runs and what waits in a driven chat. */
export class DrivenRequests {
  readonly #asked = new Recent<string, Asked>(REMEMBERED);
  /** The keys of the commands that decide, until their effect is seen. */
  readonly #deciding = new Recent<string, string>(REMEMBERED);
  #turn: RunningTurn | undefined;
  #open = 0;

  get turn(): RunningTurn | undefined {
    return this.#turn;
  }

  /** How many requests wait for a user. */
  get waiting(): number {
    return this.#open;
  }

  see({ type, data, session_id }: UniversalEvent): void {
    switch (type) {
      case "turn.started":
        this.#turn = { session_id, turn_id: data.turn_id, prompt: data.metadata?.prompt_id };
        return;
      case "turn.ended":
        this.#turn = undefined;
        return;
      case "permission.requested":
        this.#ask(data.permission_id, session_id);
        return;
      case "permission.resolved":
        this.#settle(data.permission_id);
        return;
      case "question.requested":
        this.#ask(data.question_id, session_id);
        return;
      case "question.resolved":
        this.#settle(data.question_id);
        return;
      default:
        return;
    }
  }

  /** A command decides on a request. */
  decides(request: string, key: string): void {
    this.#deciding.set(request, key);
  }

  /**
   * `open`: a command can settle it. `done`: the command with this key has settled it. `settled`: another has.
   * `unknown`: never asked, or long ago, or in another session.
   */
  statusOf(request: string, session: string, key: string): "open" | "done" | "settled" | "unknown" {
    const asked = this.#asked.get(request);
    if (!asked || asked.session !== session) return "unknown";
    if (!asked.isSettled) return "open";
    return asked.by === key ? "done" : "settled";
  }

  #ask(id: string, session: string): void {
    this.#open++;
    this.#asked.set(id, { session, isSettled: false, by: undefined });
  }

  #settle(id: string): void {
    const asked = this.#asked.get(id);
    if (!asked || asked.isSettled) return;
    this.#open--;
    asked.isSettled = true;
    asked.by = this.#deciding.get(id);
  }
}
