// The public types of each entry as one text, so that a change shows in a diff.
import { join, posix } from "node:path";
import ts from "typescript";
import { specifierOf } from "./entries.ts";
import { type Manifest, resolveTarget } from "./manifest.ts";

/** An entry, by what a user imports, with its declarations. */
interface Entry {
  readonly specifier: string;
  /** Relative to the root, such as `dist/codey.d.ts`. */
  readonly types: string;
}

/** Where a symbol is declared in the report, and how it is called there. */
interface Home {
  readonly entry: Entry;
  readonly name: string;
  readonly isExported: boolean;
}

const PRINTER = ts.createPrinter({ removeComments: true });

/**
 * The report of each entry of the package at `root`, by file name. A type that several entries export is declared in the first of them;
 * a type that is only reached is declared without `export`. The names that the build gives to files and to types of one name are left out.
 */
export function apiReports(root: string, manifest: Manifest): ReadonlyMap<string, string> {
  const entries = entriesOf(manifest);
  const program = ts.createProgram({
    rootNames: entries.map(({ types }) => join(root, types)),
    options: { noLib: true, types: [], module: ts.ModuleKind.NodeNext, noEmit: true },
    host: hostOf(),
  });
  return new Reporter(root, program, entries).reports();
}

/** The names of a report, each with its declarations. */
export function declarationsIn(report: string): ReadonlyMap<string, string> {
  const source = ts.createSourceFile("report.d.ts", report, ts.ScriptTarget.Latest, true);
  const found = new Map<string, string>();
  const add = (name: string, text: string): void => void found.set(name, (found.get(name) ?? "") + text);
  for (const statement of source.statements) {
    if (ts.isExportDeclaration(statement)) {
      const { exportClause, moduleSpecifier } = statement;
      if (exportClause && ts.isNamedExports(exportClause))
        for (const element of exportClause.elements)
          add(element.name.text, `${element.getText()} ${moduleSpecifier?.getText()}`);
    } else add(nameOf(statement), statement.getText());
  }
  return found;
}

function entriesOf(manifest: Manifest): readonly Entry[] {
  return Object.keys(manifest.exports).flatMap((subpath) => {
    const types = resolveTarget(manifest.exports[subpath], new Set(["node", "import", "types"]));
    if (types === undefined || !types.endsWith(".d.ts")) return [];
    return [{ specifier: specifierOf(manifest, subpath), types: posix.normalize(types) }];
  });
}

/** Resolves relative imports alone: what packages declare is no part of a report. */
function hostOf(): ts.CompilerHost {
  const options: ts.CompilerOptions = { noLib: true };
  const host = ts.createCompilerHost(options);
  return {
    ...host,
    resolveModuleNameLiterals: (literals, from) =>
      literals.map(({ text }) => {
        if (!text.startsWith(".")) return { resolvedModule: undefined };
        const resolvedFileName = posix.join(posix.dirname(from), text.replace(/\.js$/, ".d.ts"));
        return { resolvedModule: { resolvedFileName, extension: ts.Extension.Dts } };
      }),
  };
}

class Reporter {
  readonly #root: string;
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;
  readonly #entries: readonly Entry[];
  readonly #homes = new Map<ts.Symbol, Home>();

  constructor(root: string, program: ts.Program, entries: readonly Entry[]) {
    this.#root = root;
    this.#program = program;
    this.#checker = program.getTypeChecker();
    this.#entries = entries;
  }

  reports(): ReadonlyMap<string, string> {
    const exported = new Map(this.#entries.map((entry) => [entry, this.#exportsOf(entry)] as const));
    for (const [entry, symbols] of exported)
      for (const { name, symbol } of symbols)
        if (!this.#homes.has(symbol)) this.#homes.set(symbol, { entry, name, isExported: true });
    for (const [symbol, { entry }] of this.#homes) this.#reach(symbol, entry); // grows while it is read
    return new Map(
      [...exported].map(([entry, symbols]) => [
        posix.basename(entry.types),
        this.#text(
          entry,
          symbols.filter(({ symbol }) => this.#homes.get(symbol)?.entry !== entry),
        ),
      ]),
    );
  }

  #exportsOf({ types }: Entry): readonly { readonly name: string; readonly symbol: ts.Symbol }[] {
    const file = this.#program.getSourceFile(join(this.#root, types));
    const module = file && this.#checker.getSymbolAtLocation(file);
    if (!module) throw new Error(`${types} is no module: npm run build:types`);
    return this.#checker
      .getExportsOfModule(module)
      .map((symbol) => ({ name: symbol.name, symbol: this.#origin(symbol) }));
  }

  /** What an alias stands for; the alias itself where that is of a package. */
  #origin(symbol: ts.Symbol): ts.Symbol {
    if (!(symbol.flags & ts.SymbolFlags.Alias)) return symbol;
    const origin = this.#checker.getAliasedSymbol(symbol);
    return origin.declarations === undefined ? symbol : origin;
  }

  #reach(symbol: ts.Symbol, entry: Entry): void {
    for (const statement of statementsOf(symbol))
      this.#identifiers(statement, (_, used) => {
        if (this.#homes.has(used) || statementsOf(used).length === 0) return;
        this.#homes.set(used, { entry, name: plain(used.name), isExported: false });
      });
  }

  #identifiers(node: ts.Node, see: (node: ts.Identifier, symbol: ts.Symbol) => void): void {
    if (ts.isIdentifier(node)) {
      const symbol = this.#checker.getSymbolAtLocation(node);
      if (symbol) see(node, this.#origin(symbol));
    }
    node.forEachChild((child) => this.#identifiers(child, see));
  }

  #text(entry: Entry, elsewhere: readonly { readonly name: string; readonly symbol: ts.Symbol }[]): string {
    const bySource = new Map<string, string[]>();
    for (const { name, symbol } of elsewhere) {
      const home = this.#homes.get(symbol);
      if (!home) continue;
      const names = bySource.get(home.entry.specifier) ?? [];
      names.push(home.name === name ? name : `${home.name} as ${name}`);
      bySource.set(home.entry.specifier, names);
    }
    const lists = [...bySource].map(
      ([source, names]) =>
        `export {\n${names
          .sort()
          .map((name) => `  ${name},\n`)
          .join("")}} from "${source}";\n`,
    );
    const own = [...this.#homes]
      .filter(([, home]) => home.entry === entry)
      .map(([symbol, home]) => ({ name: home.name, text: this.#declarations(symbol, home) }));
    own.sort((one, other) => compare(one.name, other.name) || compare(one.text, other.text));
    return [`// ${entry.specifier}\n`, ...lists, ...own.map(({ text }) => text)].join("\n");
  }

  #declarations(symbol: ts.Symbol, { name, isExported }: Home): string {
    const statements = statementsOf(symbol);
    if (statements.length === 0) return `export { ${name} } from "another package";\n`;
    return statements
      .map((statement) => `${isExported ? "export " : ""}${this.#printed(statement)}\n`)
      .join("");
  }

  /** A statement without comments, its types by their names in the report. */
  #printed(statement: ts.Statement): string {
    const source = statement.getSourceFile();
    let text = "";
    let at = statement.getStart(source);
    this.#identifiers(statement, (node, symbol) => {
      const name = this.#homes.get(symbol)?.name;
      if (name === undefined || name === node.text) return;
      text += source.text.slice(at, node.getStart(source)) + name;
      at = node.end;
    });
    text += source.text.slice(at, statement.end);
    const parsed = ts.createSourceFile("one.d.ts", text, ts.ScriptTarget.Latest);
    return PRINTER.printFile(parsed)
      .trim()
      .replace(/^export /, "");
  }
}

/** The statements of a file that declare a symbol; none for a member, a parameter and what a package declares. */
function statementsOf({ declarations = [] }: ts.Symbol): readonly ts.Statement[] {
  const statements = declarations.flatMap((declaration) => {
    const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
    const isTop = node.parent && ts.isSourceFile(node.parent) && !ts.isImportDeclaration(node);
    return isTop && ts.isStatement(node) && !ts.isExportDeclaration(node) ? [node] : [];
  });
  return [...new Set(statements)];
}

function nameOf(statement: ts.Statement): string {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText()).join(", ");
  const name: unknown = "name" in statement ? statement.name : undefined;
  return typeof name === "object" && name !== null && "text" in name
    ? String(name.text)
    : statement.getText();
}

/** A name without the number that the build gives to the second of its kind. */
function plain(name: string): string {
  return name.replace(/\$\d+$/, "");
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
