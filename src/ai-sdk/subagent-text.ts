// The text of a sub-agent, which its data part shows whole each time.
import { differences, emptyList, type List } from "../universal/transcript/list.ts";
import type { ChatPart } from "../universal/transcript/message.ts";

const textOf = (part: ChatPart | undefined): string => (part?.type === "text" ? part.text : "");

/** The texts of a sub-agent, joined. Reads only the parts that have changed. */
export class SubagentText {
  #parts: List<ChatPart> = emptyList();
  readonly #texts: number[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  see(parts: List<ChatPart>): void {
    const before = this.#parts;
    this.#parts = parts;
    for (const at of differences(before, parts))
      this.#length += textOf(parts.at(at)).length - textOf(before.at(at)).length;
    for (let at = before.length; at < parts.length; at++) {
      const part = parts.at(at);
      if (part?.type === "text") this.#texts.push(at);
      this.#length += textOf(part).length;
    }
  }

  toString(): string {
    return this.#texts.map((at) => textOf(this.#parts.at(at))).join("");
  }
}
