import ts from "typescript";
import { read } from "./page.ts";

/** The doc comment of a declaration of a file of `src/`, in one line. */
export function docOf(file: string, name: string): string {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
  return textOf(declarationIn(source, name));
}

/** The doc comments of the public members of an interface or a class of `src/`, each in one line; empty where there is none. */
export function memberDocs(file: string, name: string): ReadonlyMap<string, string> {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
  const declaration = declarationIn(source, name);
  if (!ts.isInterfaceDeclaration(declaration) && !ts.isClassDeclaration(declaration))
    throw new Error(`${name} has no members`);
  const docs = new Map<string, string>();
  for (const member of declaration.members)
    if (member.name && ts.isIdentifier(member.name)) docs.set(member.name.text, textOf(member));
  return docs;
}

function declarationIn(source: ts.SourceFile, name: string): ts.Node {
  const found = source.statements.find(
    (statement) =>
      (ts.isInterfaceDeclaration(statement) ||
        ts.isClassDeclaration(statement) ||
        ts.isTypeAliasDeclaration(statement)) &&
      statement.name?.text === name,
  );
  if (!found) throw new Error(`${source.fileName} does not declare ${name}`);
  return found;
}

function textOf(node: ts.Node): string {
  const comments = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  return comments
    .map((comment) =>
      comment
        .getText()
        .replace(/^\/\*\*|\*\/$/g, "")
        .replace(/\s*\n\s*\* ?/g, " ")
        .trim(),
    )
    .join(" ");
}
