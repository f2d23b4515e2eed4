import type { Usage } from "../core/values.ts";
import type { FinishedUsage } from "./messages.ts";

/** Tokens of one turn, and of the session behind it. */
export interface CodeyUsage extends Usage {
  /** Output of this turn: what the session's count has grown by. */
  readonly outputTokens: number;
  /** Output of the session so far. */
  readonly totalOutputTokens: number;
  /** Input of the last request, with what it wrote to the cache and read from it. */
  readonly contextTokens: number;
  readonly cacheCreationTokens: number;
  readonly cacheReadTokens: number;
  /** `outputTokens` is an upper bound: it has the finished rounds of a turn before, which was cancelled or failed. */
  readonly inexact?: true;
}

/** Counts the tokens of one session, to tell what each of its turns has used. */
export class UsageCount {
  #total = 0;
  #inexact = false;

  /** A turn ended, and the server did not tell the count. */
  missed(): void {
    this.#inexact = true;
  }

  /** The server told its count. `odd`: the count went backwards, so the usage is the raw count. */
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
