import ts from "typescript";

/** One place where a module names another one. */
export interface ImportRecord {
  /** What is imported; `undefined` when the name is computed at run time. */
  readonly specifier: string | undefined;
  /**
   * Whether the import is gone at run time. `import { type A } from "x"` is not: the compiler keeps
   * `import "x"` (verbatimModuleSyntax), so only `import type` counts.
   */
  readonly typeOnly: boolean;
  /** Counted from 1. */
  readonly line: number;
}

/**
 * Reads every import of a TypeScript, JavaScript or declaration file: static and dynamic ones,
 * `export from`, `import x = require()`, `require()`, `import("x").Type`, and `/// <reference>`.
 */
export function readImports(file: string, text: string): readonly ImportRecord[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const records: ImportRecord[] = [];
  const lineAt = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1;
  const add = (name: ts.Node | undefined, typeOnly: boolean, at: ts.Node) => {
    const specifier = name !== undefined && ts.isStringLiteralLike(name) ? name.text : undefined;
    records.push({ specifier, typeOnly, line: lineAt(at.getStart(source)) });
  };

  for (const reference of [...source.typeReferenceDirectives, ...source.referencedFiles]) {
    records.push({ specifier: reference.fileName, typeOnly: true, line: lineAt(reference.pos) });
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword, node);
    } else if (ts.isExportDeclaration(node)) {
      if (node.moduleSpecifier !== undefined) add(node.moduleSpecifier, node.isTypeOnly, node);
    } else if (ts.isImportEqualsDeclaration(node)) {
      if (ts.isExternalModuleReference(node.moduleReference)) {
        add(node.moduleReference.expression, node.isTypeOnly, node);
      }
    } else if (ts.isImportTypeNode(node)) {
      add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, true, node);
    } else if (ts.isCallExpression(node) && isModuleCall(node)) {
      add(node.arguments[0], false, node);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return records;
}

function isModuleCall(call: ts.CallExpression): boolean {
  if (call.expression.kind === ts.SyntaxKind.ImportKeyword) return true;
  return ts.isIdentifier(call.expression) && call.expression.text === "require";
}
