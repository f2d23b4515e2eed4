import { posix } from "node:path";
import ts from "typescript";

/** A regular expression in the code of a module. */
export interface Expression {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** The literal or the call as written, in one line. */
  readonly code: string;
  /** `undefined` for an expression that is made of values known only at run time. */
  readonly form: Form | undefined;
}

export interface Form {
  readonly source: string;
  readonly flags: string;
}

/** The regular expressions of all modules: literals, `new RegExp(...)` and `RegExp(...)`. @param texts the modules by path */
export function readExpressions(texts: ReadonlyMap<string, string>): readonly Expression[] {
  const modules = new Map([...texts].map(([file, text]) => [file, new Module(file, text)]));
  return [...modules.values()].flatMap((module) => [...expressionsIn(module, modules)]);
}

type Modules = ReadonlyMap<string, Module>;

/** What a name stands for: its value, or the name of another module that it was imported from. */
type Meaning = ts.Expression | { readonly file: string; readonly name: string };

class Module {
  readonly source: ts.SourceFile;
  /** `undefined` for a name without a constant value, and for a name that is declared twice. */
  readonly meanings = new Map<string, Meaning | undefined>();

  constructor(file: string, text: string) {
    this.source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    for (const node of nodesIn(this.source)) {
      if (ts.isImportSpecifier(node)) this.#declare(node.name.text, importOf(node, file));
      else if (ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node))
        if (ts.isIdentifier(node.name)) this.#declare(node.name.text, constantOf(node));
    }
  }

  #declare(name: string, meaning: Meaning | undefined): void {
    this.meanings.set(name, this.meanings.has(name) ? undefined : meaning);
  }
}

function* nodesIn(node: ts.Node): Generator<ts.Node> {
  yield node;
  for (const child of node.getChildren()) yield* nodesIn(child);
}

function importOf({ name, propertyName, parent }: ts.ImportSpecifier, file: string): Meaning | undefined {
  const from = parent.parent.parent.moduleSpecifier;
  if (!ts.isStringLiteral(from) || !from.text.startsWith(".")) return undefined;
  return { file: posix.join(posix.dirname(file), from.text), name: (propertyName ?? name).text };
}

function constantOf(node: ts.VariableDeclaration | ts.ParameterDeclaration | ts.BindingElement) {
  const isConstant = ts.isVariableDeclaration(node) && (node.parent.flags & ts.NodeFlags.Const) !== 0;
  return isConstant ? node.initializer : undefined;
}

function* expressionsIn(module: Module, modules: Modules): Generator<Expression> {
  const { source } = module;
  for (const node of nodesIn(source)) {
    const form = formOf(node, module, modules);
    if (form === undefined) continue;
    const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
    const code = node.getText(source).replace(/\s+/g, " ");
    yield { file: source.fileName, line, code, form: form === "dynamic" ? undefined : form };
  }
}

function formOf(node: ts.Node, module: Module, modules: Modules): Form | "dynamic" | undefined {
  if (ts.isRegularExpressionLiteral(node)) {
    const end = node.text.lastIndexOf("/");
    return { source: node.text.slice(1, end), flags: node.text.slice(end + 1) };
  }
  if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return undefined;
  if (!ts.isIdentifier(node.expression) || node.expression.text !== "RegExp") return undefined;
  const [pattern, options] = node.arguments ?? [];
  const source = pattern && valueOfConstant(pattern, module, modules);
  const flags = options ? valueOfConstant(options, module, modules) : "";
  return source === undefined || flags === undefined ? "dynamic" : { source, flags };
}

/** The text that an expression of constants stands for. */
function valueOfConstant(node: ts.Expression, module: Module, modules: Modules): string | undefined {
  if (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)) return node.text;
  if (ts.isSatisfiesExpression(node)) return valueOfConstant(node.expression, module, modules);
  if (ts.isIdentifier(node)) return meaningOf(node.text, module, modules);
  if (ts.isTaggedTemplateExpression(node))
    return node.tag.getText() === "String.raw" ? textOf(node.template, true, module, modules) : undefined;
  return ts.isTemplateExpression(node) ? textOf(node, false, module, modules) : undefined;
}

function meaningOf(name: string, module: Module, modules: Modules): string | undefined {
  const meaning = module.meanings.get(name);
  if (meaning === undefined) return undefined;
  if ("kind" in meaning) return valueOfConstant(meaning, module, modules);
  const other = modules.get(meaning.file);
  return other && meaningOf(meaning.name, other, modules);
}

function textOf(node: ts.TemplateLiteral, isRaw: boolean, module: Module, modules: Modules) {
  const wordsOf = (part: ts.TemplateLiteralLikeNode) => (isRaw ? part.rawText : part.text) ?? "";
  if (ts.isNoSubstitutionTemplateLiteral(node)) return wordsOf(node);
  let text = wordsOf(node.head);
  for (const { expression, literal } of node.templateSpans) {
    const value = valueOfConstant(expression, module, modules);
    if (value === undefined) return undefined;
    text += value + wordsOf(literal);
  }
  return text;
}
