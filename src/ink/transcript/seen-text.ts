// A text that an agent writes, snapshot after snapshot.

/** Last known characters that are compared while the text grows. The end compares the whole text once. */
const COMPARED = 64;

/** Finds what is new. Linear in the new text; at the end, linear in the whole text. */
export class SeenText {
  #seen = "";

  /** `fresh`: what was added since the last call. `isOther`: the text before is not what it was; `fresh` is all. */
  next(text: string, isEnded: boolean): { readonly fresh: string; readonly isOther: boolean } {
    const isOther = !this.#continues(text, isEnded);
    const fresh = isOther ? text : text.slice(this.#seen.length);
    this.#seen = text;
    return { fresh, isOther };
  }

  #continues(text: string, isEnded: boolean): boolean {
    const { length } = this.#seen;
    if (text.length < length) return false;
    if (isEnded) return text.startsWith(this.#seen);
    const from = Math.max(0, length - COMPARED);
    return text.slice(from, length) === this.#seen.slice(from);
  }
}
