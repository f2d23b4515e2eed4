import { describe } from "../core/client-options.ts";
import { InvalidInputError } from "../core/errors.ts";
import type { Redactor } from "../core/redact.ts";

/** The client's token, as a value or from a function that is asked each time. Each one is kept out of what the library says. */
export class TokenSource {
  readonly #source: string | (() => string | Promise<string>) | undefined;
  readonly #redactor: () => Redactor;

  constructor(source: string | (() => string | Promise<string>) | undefined, redactor: () => Redactor) {
    this.#source = source;
    this.#redactor = redactor;
  }

  /** The token if it needs no asking: what the size of a frame can be reckoned with beforehand. */
  get known(): string | undefined {
    return typeof this.#source === "string" ? this.#source : undefined;
  }

  get exists(): boolean {
    return this.#source !== undefined;
  }

  /** At once where that is possible, so that prompts do not wait for nothing. A function that throws gives a rejection. */
  get(): string | undefined | Promise<string | undefined> {
    if (typeof this.#source !== "function") {
      this.#redactor().add(this.#source);
      return this.#source;
    }
    return this.#ask(this.#source);
  }

  async #ask(source: () => string | Promise<string>): Promise<string> {
    const token: unknown = await source();
    if (typeof token !== "string" || token === "") {
      throw new InvalidInputError(
        `\`authToken\` returned ${describe(token)}.`,
        "It must return the token, a string.",
      );
    }
    this.#redactor().add(token);
    return token;
  }
}

/** Adds a token to an action's JSON, which is an object with at least one member. */
export function withToken(json: string, token: string | undefined): string {
  if (token === undefined) return json;
  return `${json.slice(0, -1)},"authToken":${JSON.stringify(token)}}`;
}
