// The options that a command was called with, checked as they are read.
import { wrongCall } from "./failure.ts";

/** The options of one call, by their names. */
export class Given {
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(values: ReadonlyMap<string, unknown>) {
    this.#values = values;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  flag(name: string): boolean {
    return this.#values.get(name) === true;
  }

  /** Undefined if it was not given, or was given without its value. */
  text(name: string): string | undefined {
    const value = this.#values.get(name);
    return typeof value === "string" ? value : undefined;
  }

  list(name: string): readonly string[] {
    const value = this.#values.get(name);
    return Array.isArray(value) ? value.map(String) : [];
  }

  /** @throws Failure for a value outside of the bounds, or no number */
  number(name: string, least: number, most: number): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (text.trim() !== "" && value >= least && value <= most) return value;
    throw wrongCall(`--${name} is ${JSON.stringify(text)}.`, `Pass a number from ${least} to ${most}.`);
  }

  /** @throws Failure for another word */
  oneOf<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const found = words.find((word) => word === text);
    if (found !== undefined) return found;
    throw wrongCall(`--${name} is ${JSON.stringify(text)}.`, `Pass one of ${words.join(", ")}.`);
  }
}
