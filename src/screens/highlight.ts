// Colours for code. The highlighter is the app's.

export type CodeKind = "plain" | "keyword" | "string" | "number" | "comment" | "name" | "type";

/** A piece of code of one kind. The texts of all pieces, joined, are the code. */
export interface CodePiece {
  readonly text: string;
  readonly kind: CodeKind;
}

/** Returns undefined for a language that it does not know. */
export type Highlighter = (code: string, language: string) => readonly CodePiece[] | undefined;
