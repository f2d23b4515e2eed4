// The declarations of CommonJS: those of the ES modules, under the same names. Node loads the same module for `require`,
// so the types are the same too.
import { posix } from "node:path";
import ts from "typescript";

const { SymbolFlags } = ts;

/** The text of `<entry>.d.cts`, for each of the `entries`: paths of `.d.ts` files. */
export function commonJsTypes(entries: readonly string[]): ReadonlyMap<string, string> {
  const program = ts.createProgram([...entries], {
    module: ts.ModuleKind.NodeNext,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
  });
  return new Map(
    entries.map((entry) => [entry.replace(/\.d\.ts$/, ".d.cts"), textFor(entry, program)] as const),
  );
}

function textFor(entry: string, program: ts.Program): string {
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(entry);
  const module = file && checker.getSymbolAtLocation(file);
  if (file === undefined || module === undefined) throw new Error(`${entry} is no module`);
  const from = `"./${posix.basename(entry, ".d.ts")}.js" with { "resolution-mode": "import" }`;
  const exported = checker.getExportsOfModule(module);
  const names = new Map(exported.map((symbol) => [origin(symbol, checker), symbol.name] as const));
  const nameOf = (node: ts.Identifier): string | undefined => {
    const symbol = checker.getSymbolAtLocation(node);
    return symbol && names.get(origin(symbol, checker));
  };

  const lines = [`import type * as module from ${from};`, `export type * from ${from};`];
  for (const symbol of exported) {
    const { name } = symbol;
    const target = origin(symbol, checker);
    if (!(target.flags & SymbolFlags.Value)) continue;
    lines.push(`${docOf(target)}export declare const ${name}: typeof module.${name};`);
    if (!(target.flags & SymbolFlags.Type)) continue;
    // A value hides the type of its name that `export type *` brings.
    const parameters = parametersOf(target);
    const declared = list(parameters.map((parameter) => qualified(parameter, nameOf)));
    const used = list(parameters.map((parameter) => parameter.name.text));
    lines.push(`export type ${name}${declared} = module.${name}${used};`);
  }
  const [reference] = /^\/\/\/ <reference .*$/m.exec(file.text) ?? [];
  return `${[...(reference ? [reference] : []), ...lines].join("\n")}\n`;
}

function origin(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  return symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function parametersOf(symbol: ts.Symbol): readonly ts.TypeParameterDeclaration[] {
  for (const declaration of symbol.declarations ?? []) {
    if (
      ts.isClassLike(declaration) ||
      ts.isInterfaceDeclaration(declaration) ||
      ts.isTypeAliasDeclaration(declaration)
    ) {
      return declaration.typeParameters ?? [];
    }
  }
  return [];
}

/** The declaration of a type's parameter, where the types that it names are those of the module. */
function qualified(
  parameter: ts.TypeParameterDeclaration,
  nameOf: (node: ts.Identifier) => string | undefined,
): string {
  const source = parameter.getSourceFile();
  const own = new Set(ownersOf(parameter).map(({ name }) => name.text));
  let text = "";
  let at = parameter.getStart(source);
  const visit = (node: ts.Node): void => {
    if (ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName) && !own.has(node.typeName.text)) {
      const name = nameOf(node.typeName);
      if (name === undefined)
        throw new Error(`${source.fileName}: ${parameter.getText()} names what is not exported`);
      text += `${source.text.slice(at, node.typeName.getStart(source))}module.${name}`;
      at = node.typeName.end;
    }
    node.forEachChild(visit);
  };
  visit(parameter);
  return text + source.text.slice(at, parameter.end);
}

/** The parameters that are declared beside one. */
function ownersOf({ parent }: ts.TypeParameterDeclaration): readonly ts.TypeParameterDeclaration[] {
  return "typeParameters" in parent ? (parent.typeParameters ?? []) : [];
}

function list(items: readonly string[]): string {
  return items.length > 0 ? `<${items.join(", ")}>` : "";
}

/** The docstring of what a symbol stands for, with a line break; empty without one. */
function docOf(symbol: ts.Symbol): string {
  const [declaration] = symbol.declarations ?? [];
  const node = declaration && ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  const doc = node && ts.getJSDocCommentsAndTags(node).find(ts.isJSDoc);
  return doc ? `${doc.getText().replaceAll(/\n[ \t]+\*/g, "\n *")}\n` : "";
}
