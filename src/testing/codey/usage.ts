// The running token count of a session.
import type { CodeyUsage } from "./messages.ts";

/** What one request to the model costs when its script does not say. */
const USUAL: CodeyUsage = {
  output_tokens: 10,
  context_tokens: 100,
  cache_creation_tokens: 0,
  cache_read_tokens: 0,
};

/** The figures of a session: output adds up, the rest is that of the last request. */
export class SessionUsage {
  #total: CodeyUsage = {
    output_tokens: 0,
    context_tokens: 0,
    cache_creation_tokens: 0,
    cache_read_tokens: 0,
  };

  /** A request ran to its end. */
  add(request: Partial<CodeyUsage>): void {
    const usual = { ...USUAL, ...request };
    this.#total = { ...usual, output_tokens: this.#total.output_tokens + usual.output_tokens };
  }

  get total(): CodeyUsage {
    return this.#total;
  }
}
