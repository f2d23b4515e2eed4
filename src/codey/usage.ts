import type { Usage } from "../core/values.ts";
import type { FinishedUsage } from "./messages.ts";

/** Tokens of one turn, and of the session behind it. */
export interface CodeyUsage extends Usage {
  /** What this turn wrote: the difference of the session's count. */
  readonly outputTokens: number;
  /** What the session has written so far, as the server counts. */
  readonly totalOutputTokens: number;
  /** The last request's input, what it put into the cache and what it read from there included. */
  readonly contextTokens: number;
  readonly cacheCreationTokens: number;
  readonly cacheReadTokens: number;
  /**
   * `outputTokens` is an upper bound: a turn before this one was cancelled or failed, and its finished rounds count
   * here.
   */
  readonly inexact?: true;
}

/** What one connection's session has used, from which the use of a turn is told. */
export class UsageCount {
  #total = 0;
  #inexact = false;

  /** A turn ended without telling what it used. */
  missed(): void {
    this.#inexact = true;
  }

  /** The server told its count. `odd` when that went backwards, and the use is the raw count. */
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
