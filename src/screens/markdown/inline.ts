// Reads the text inside a block. Linear in its length.
import type { Inline } from "./blocks.ts";
import { entityAt, isEscapable } from "./characters.ts";
import { type Address, angledAt, type BareAddress, mailAddressAt, targetAt, webAddressAt } from "./links.ts";
import { type MarkRun, markRunOf, pairMarks, type Trace } from "./marks.ts";

export interface InlineContext {
  /** The text goes on: half-finished marks are closed. */
  readonly unfinished?: boolean;
  /** What stands before the text, in the part before. */
  readonly before?: string;
  readonly trace?: Trace;
}

export function readInline(text: string, context: InlineContext = {}): readonly Inline[] {
  return new InlineReader(text, context).read();
}

interface Bracket {
  readonly image: boolean;
  /** The index of its node. */
  readonly index: number;
  readonly at: number;
}

const PLAIN = /[^\\`*_~[\]!<&\n:@]+/y;
const RUN = /\*+|_+|~+|`+/y;

class InlineReader {
  readonly #text: string;
  readonly #context: InlineContext;
  readonly #nodes: (Inline | MarkRun)[] = [];
  readonly #brackets: Bracket[] = [];
  /** Brackets below this one have a link inside: they are none. */
  #barren = 0;
  /** Text that is not yet a node. */
  #plain = "";
  /** Spaces before the end of the line. */
  #spaces = 0;
  #at = 0;
  /** Where the node before ends. */
  #from = 0;
  #ticks: ReadonlyMap<number, number[]> | undefined;

  constructor(text: string, context: InlineContext) {
    this.#text = text;
    this.#context = context;
  }

  read(): Inline[] {
    while (this.#at < this.#text.length) this.#step();
    for (const { at } of this.#brackets) this.#context.trace?.lone(at);
    this.#flush();
    return pairMarks(this.#nodes, this.#context.unfinished === true, this.#context.trace);
  }

  #step(): void {
    this.#takePlain();
    switch (this.#text.charAt(this.#at)) {
      case "\\":
        this.#escape();
        break;
      case "`":
        this.#code();
        break;
      case "*":
      case "_":
      case "~":
        this.#mark();
        break;
      case "[":
        this.#open("[");
        break;
      case "]":
        if (!this.#close()) this.#take(1);
        break;
      case "<":
        this.#address(angledAt(this.#text, this.#at));
        break;
      case "&":
        this.#entity();
        break;
      case "\n":
        this.#lineBreak();
        break;
      case ":":
        this.#bare(webAddressAt(this.#text, this.#at, this.#from, this.#brackets.length > 0));
        break;
      case "@":
        this.#bare(mailAddressAt(this.#text, this.#at, this.#from));
        break;
      default:
        if (this.#text.startsWith("![", this.#at)) this.#open("![");
        else this.#take(1);
    }
  }

  /** Without spaces at the end of a line. */
  #takePlain(): void {
    const plain = this.#match(PLAIN);
    this.#at += plain.length;
    let end = plain.length;
    if (this.#text.charCodeAt(this.#at) === 10) while (end > 0 && plain.charCodeAt(end - 1) === 32) end -= 1;
    this.#spaces = plain.length - end;
    this.#plain += plain.slice(0, end);
  }

  #match(expression: RegExp): string {
    expression.lastIndex = this.#at;
    return expression.exec(this.#text)?.[0] ?? "";
  }

  #take(length: number): void {
    this.#plain += this.#text.slice(this.#at, this.#at + length);
    this.#at += length;
  }

  #flush(): void {
    if (this.#plain !== "") this.#nodes.push({ type: "text", text: this.#plain });
    this.#plain = "";
  }

  #push(node: Inline | MarkRun, end: number): void {
    this.#flush();
    this.#nodes.push(node);
    this.#at = end;
    this.#from = end;
  }

  #escape(): void {
    const next = this.#text.charAt(this.#at + 1);
    if (next === "\n") this.#push({ type: "break" }, this.#at + 2);
    else if (isEscapable(next)) {
      this.#plain += next;
      this.#at += 2;
    } else if (next === "" && this.#context.unfinished) this.#at += 1;
    else this.#take(1);
  }

  /** Two spaces before it, or more, are a break. */
  #lineBreak(): void {
    this.#at += 1;
    if (this.#spaces < 2) this.#plain += "\n";
    else this.#push({ type: "break" }, this.#at);
  }

  #code(): void {
    const { length } = this.#match(RUN);
    const from = this.#at + length;
    const end = this.#closingTicks(length, from);
    if (end !== undefined) {
      this.#context.trace?.pair(this.#at, end + length);
      this.#push({ type: "code", text: codeText(this.#text.slice(from, end)) }, end + length);
      return;
    }
    this.#context.trace?.lone(this.#at);
    if (!this.#context.unfinished) {
      this.#take(length);
      return;
    }
    const text = codeText(withoutTicks(this.#text.slice(from), length));
    if (text !== "") this.#push({ type: "code", text }, this.#text.length);
    this.#at = this.#text.length;
  }

  /** Where the next run of this length is. All runs are found once, and none is looked at again. */
  #closingTicks(length: number, from: number): number | undefined {
    this.#ticks ??= tickRuns(this.#text);
    const runs = this.#ticks.get(length);
    while (runs !== undefined && (runs.at(-1) ?? from) < from) runs.pop();
    return runs?.pop();
  }

  #mark(): void {
    const run = this.#match(RUN);
    const end = this.#at + run.length;
    // A run at the very end is half typed: what it closes is closed anyway.
    if (this.#context.unfinished && end === this.#text.length) {
      this.#at = end;
      return;
    }
    const before =
      this.#at === 0 ? (this.#context.before ?? "") : this.#text.slice(Math.max(0, this.#at - 2), this.#at);
    const mark = markRunOf(run, this.#at, before, this.#text.slice(end, end + 2));
    if (mark === undefined || !(mark.opens || mark.closes)) this.#take(run.length);
    else this.#push(mark, end);
  }

  #open(text: "[" | "!["): void {
    this.#flush();
    this.#brackets.push({ image: text === "![", index: this.#nodes.length, at: this.#at });
    this.#push({ type: "text", text }, this.#at + text.length);
  }

  /** Returns whether a link or an image ends here. */
  #close(): boolean {
    const bracket = this.#brackets.pop();
    const barren = this.#brackets.length < this.#barren;
    this.#barren = Math.min(this.#barren, this.#brackets.length);
    if (bracket === undefined || (barren && !bracket.image)) return false;
    const target = targetAt(this.#text, this.#at + 1);
    if (target === undefined) return false;
    const { url, end } = target;
    if (end === undefined) this.#context.trace?.lone(bracket.at);
    if (end === undefined && !this.#context.unfinished) return false;
    this.#flush();
    const content = pairMarks(this.#nodes.splice(bracket.index).slice(1), false);
    if (end === undefined) {
      // The address is half typed.
      this.#nodes.push(...content);
      this.#at = this.#text.length;
      return true;
    }
    this.#context.trace?.pair(bracket.at, end);
    if (bracket.image) {
      this.#push({ type: "image", url, alt: plainText(content) }, end);
    } else {
      this.#barren = this.#brackets.length;
      this.#push({ type: "link", url, content: withoutLinks(content) }, end);
    }
    return true;
  }

  #entity(): void {
    const entity = entityAt(this.#text, this.#at);
    this.#plain += entity?.text ?? "&";
    this.#at = entity?.end ?? this.#at + 1;
  }

  #address(address: Address | undefined): void {
    if (address === undefined) {
      this.#take(1);
      return;
    }
    const { url, text, end } = address;
    this.#context.trace?.pair(this.#at, end);
    this.#push({ type: "link", url, content: [{ type: "text", text }] }, end);
  }

  #bare(address: BareAddress | undefined): void {
    if (address !== undefined) this.#plain = this.#plain.slice(0, -address.taken);
    this.#address(address);
  }
}

/** The places of the runs of backticks by their length, the last first. */
function tickRuns(text: string): Map<number, number[]> {
  const runs = new Map<number, number[]>();
  for (let at = text.length; at > 0; ) {
    const end = text.lastIndexOf("`", at - 1) + 1;
    if (end === 0) break;
    at = end - 1;
    while (at > 0 && text.charCodeAt(at - 1) === 96) at -= 1;
    const places = runs.get(end - at);
    if (places === undefined) runs.set(end - at, [at]);
    else places.push(at);
  }
  return runs;
}

/** Line breaks are spaces; one space at each side is none, so that backticks can stand beside it. */
function codeText(text: string): string {
  const line = text.replaceAll("\n", " ");
  const padded = line.startsWith(" ") && line.endsWith(" ") && line.trim() !== "";
  return padded ? line.slice(1, -1) : line;
}

/** Without the beginning of the run that will close it. */
function withoutTicks(text: string, length: number): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 96) end -= 1;
  return text.length - end < length ? text.slice(0, end) : text;
}

function plainText(content: readonly Inline[]): string {
  return content.map(textOf).join("");
}

function textOf(node: Inline): string {
  switch (node.type) {
    case "text":
    case "code":
      return node.text;
    case "image":
      return node.alt;
    case "break":
      return " ";
    default:
      return plainText(node.content);
  }
}

/** A link has no links inside. */
function withoutLinks(content: readonly Inline[]): Inline[] {
  return content.flatMap((node): readonly Inline[] => {
    if (node.type === "link") return withoutLinks(node.content);
    return "content" in node ? [{ ...node, content: withoutLinks(node.content) }] : [node];
  });
}
