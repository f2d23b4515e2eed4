// The tokens of each turn, computed from the session's running count.
import type { Usage } from "../core/values.ts";
import type { FinishedUsage } from "./messages.ts";

/** Tokens of one turn and of its session so far. */
export interface CodeyUsage extends Usage {
  /** Output of this turn: the increase of the session's count. */
  readonly outputTokens: number;
  /** Output of the session so far. */
  readonly totalOutputTokens: number;
  /** Input of the last request, with its cache writes and reads. An upper bound: the real server may count one request several times. */
  readonly contextTokens: number;
  readonly cacheCreationTokens: number;
  readonly cacheReadTokens: number;
  /** `outputTokens` is an upper bound: it includes finished rounds of an earlier turn that was cancelled or failed. */
  readonly inexact?: true;
}

/** Counts the tokens of one session, and computes the usage of each turn. */
export class UsageCount {
  #total = 0;
  #inexact = false;

  /** A turn ended without a count from the server. */
  missed(): void {
    this.#inexact = true;
  }

  /** Takes the server's count. `odd`: the count decreased, so the usage is the raw count. */
  take(told: FinishedUsage): { readonly usage: CodeyUsage; readonly odd: boolean } {
    const difference = told.output_tokens - this.#total;
    const odd = difference < 0;
    const usage: CodeyUsage = {
      outputTokens: odd ? told.output_tokens : difference,
      totalOutputTokens: told.output_tokens,
      contextTokens: told.context_tokens,
      cacheCreationTokens: told.cache_creation_tokens,
      cacheReadTokens: told.cache_read_tokens,
      ...(this.#inexact ? { inexact: true } : {}),
    };
    this.#total = told.output_tokens;
    this.#inexact = false;
    return { usage, odd };
  }
}
