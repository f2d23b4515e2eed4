// Colours for code. The highlighter is the app's.

export type CodeKind = "plain" | "keyword" | "string" | "number" | "comment" | "name" | "type";

/** A piece of code of one kind. The texts of all pieces, joined, are the code. */
export interface CodePiece {
  readonly text: string;
  readonly kind: CodeKind;
}

/** Returns undefined for a language that it does not know. */
export type Highlighter = (code: string, language: string) => readonly CodePiece[] | undefined;

/** What is used of a lowlight instance, version 3: `createLowlight(common)`. */
export interface Lowlight {
  registered(language: string): boolean;
  highlight(language: string, code: string): { readonly children: readonly LowlightNode[] };
}

/** A node of the tree that lowlight returns. */
export interface LowlightNode {
  readonly type: string;
  readonly value?: unknown;
  readonly properties?: { readonly className?: unknown };
  readonly children?: readonly LowlightNode[];
}

/** Longer code stays plain: the grammars take about a millisecond for 4,000 characters. */
const MAX_CODE = 20_000;

/** Nested deeper, code stays plain. */
const MAX_NESTED = 200;

/** The names of highlight.js. */
const NAMES: Readonly<Record<CodeKind, string>> = {
  keyword: "keyword literal operator meta selector-tag",
  plain: "tag subst",
  string: "string regexp char symbol link addition code",
  number: "number bullet",
  comment: "comment quote deletion",
  name: "title name attr attribute property section variable selector-id selector-class selector-attr template-variable",
  type: "type built_in template-tag",
};
const KINDS = Object.keys(NAMES) as readonly CodeKind[];

/**
 * Makes a highlighter of a lowlight instance. Code of more than 20,000 characters stays plain, as does code that the instance fails on.
 *
 * @example
 * ```ts
 * import { common, createLowlight } from "lowlight";
 * const highlight = highlightWith(createLowlight(common));
 * ```
 */
export function highlightWith(lowlight: Lowlight): Highlighter {
  return (code, language) => {
    const name = language.toLowerCase();
    if (name === "" || code.length > MAX_CODE) return undefined;
    try {
      if (!lowlight.registered(name)) return undefined;
      const pieces: CodePiece[] = [];
      collect(lowlight.highlight(name, code).children, "plain", 0, pieces);
      return pieces.map(({ text }) => text).join("") === code ? pieces : undefined;
    } catch {
      // Code without colours is complete. A grammar's mistake is no reason to lose it.
      return undefined;
    }
  };
}

function collect(nodes: readonly LowlightNode[], kind: CodeKind, depth: number, into: CodePiece[]): void {
  if (depth > MAX_NESTED)
    throw new RangeError(`the highlighted code is nested deeper than ${MAX_NESTED} levels`);
  for (const node of nodes) {
    if (typeof node.value === "string") add(into, node.value, kind);
    if (node.children !== undefined) collect(node.children, kindOf(node) ?? kind, depth + 1, into);
  }
}

function kindOf({ properties }: LowlightNode): CodeKind | undefined {
  const names: readonly unknown[] = Array.isArray(properties?.className) ? properties.className : [];
  const [name] = names;
  if (typeof name !== "string") return undefined;
  const known = name.replace(/^hljs-/, "");
  if (known === "title" && names.includes("class_")) return "type";
  return KINDS.find((kind) => NAMES[kind].split(" ").includes(known));
}

function add(into: CodePiece[], text: string, kind: CodeKind): void {
  const last = into.at(-1);
  if (last?.kind === kind) into[into.length - 1] = { text: last.text + text, kind };
  else if (text !== "") into.push({ text, kind });
}
