import { fileURLToPath } from "node:url";
import ts from "typescript";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** The docstring of one name. */
export interface Entry {
  /** The words, without tags, in one line. */
  readonly text: string;
  /** What follows `@default`, in one line. */
  readonly default: string | undefined;
}

/** The docstrings of an entry's exports: what the API reference shows. */
export class Reference {
  readonly #checker: ts.TypeChecker;
  readonly #exports: ReadonlyMap<string, ts.Symbol>;

  /** @param entry such as `codebuff-cli`, of `src/codebuff-cli/index.ts` */
  constructor(entry: string) {
    const file = `${ROOT}src/${entry}/index.ts`;
    const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(
      { ...config, files: [file], include: [] },
      ts.sys,
      ROOT,
    );
    const program = ts.createProgram([file], options);
    this.#checker = program.getTypeChecker();
    const module = this.#checker.getSymbolAtLocation(program.getSourceFile(file) as ts.SourceFile);
    const symbols = module ? this.#checker.getExportsOfModule(module) : [];
    this.#exports = new Map(symbols.map((symbol) => [symbol.name, this.#target(symbol)]));
  }

  /** The docstring of an export. */
  of(name: string): Entry {
    return this.#entry(this.#symbol(name));
  }

  /** The docstrings of a type's or a class's members, also of inherited ones. */
  members(name: string): ReadonlyMap<string, Entry> {
    const type = this.#checker.getDeclaredTypeOfSymbol(this.#symbol(name));
    return new Map(
      this.#checker.getPropertiesOfType(type).map((symbol) => [symbol.name, this.#entry(symbol)]),
    );
  }

  /** The comments of the members of a union of literals or objects, by their text in the source. */
  union(name: string): ReadonlyMap<string, string> {
    const [declaration] = this.#symbol(name).declarations ?? [];
    if (!declaration || !ts.isTypeAliasDeclaration(declaration) || !ts.isUnionTypeNode(declaration.type))
      throw new Error(`${name} is no union`);
    const source = declaration.getSourceFile();
    return new Map(
      declaration.type.types.map((member) => [member.getText(source), commentBefore(member, source)]),
    );
  }

  #symbol(name: string): ts.Symbol {
    const symbol = this.#exports.get(name);
    if (!symbol) throw new Error(`nothing is exported as ${name}`);
    return symbol;
  }

  #target(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
  }

  #entry(symbol: ts.Symbol): Entry {
    const tag = symbol.getJsDocTags(this.#checker).find(({ name }) => name === "default");
    return {
      text: oneLine(ts.displayPartsToString(symbol.getDocumentationComment(this.#checker))),
      default: tag && oneLine(ts.displayPartsToString(tag.text)),
    };
  }
}

/** The comment in front of a member, which may stand in front of its `|`. */
function commentBefore(node: ts.Node, source: ts.SourceFile): string {
  const before = source.getFullText().slice(0, node.getStart(source));
  return oneLine(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*\|?\s*$/.exec(before)?.[1] ?? "");
}

function oneLine(text: string): string {
  return text
    .replace(/^\s*\* ?/gm, "")
    .replace(/\s+/g, " ")
    .trim();
}

/**
 * The default that a docstring begins with, such as `5_000` or `"ask"`: its value. Undefined for `none`, for words, and
 * without a default.
 */
export function defaultIn({ default: told = "" }: Entry): unknown {
  const [json] = /^(?:\d[\d_]*(?:\.\d+)?|true|false|\{\}|\[.*?\]|".*?")(?=$|[;:, ])/.exec(told) ?? [];
  return json === undefined ? undefined : empty(JSON.parse(json.replaceAll("_", "")));
}

/** An empty list or object as `undefined`: docstrings say `none` for both. */
export function empty(value: unknown): unknown {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0 ? undefined : value;
}
