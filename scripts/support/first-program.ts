import { transform } from "esbuild";

/** Stands in README.md just before the first program, so that the check finds it and a reader sees nothing. */
export const MARKER = "<!-- first-program -->";

export interface Program {
  readonly language: "ts" | "js";
  readonly code: string;
  /** Of its first line in the README, counted from 1. */
  readonly line: number;
}

/** The first fence of TypeScript or JavaScript after the marker, or what is wrong with the README. */
export function findFirstProgram(readme: string): Program | string {
  const lines = readme.split(/\r?\n/);
  const marker = lines.findIndex((line) => line.trim() === MARKER);
  if (marker === -1) return `has no line ${MARKER} before its first program`;
  const open = lines.findIndex((line, index) => index > marker && line.startsWith("```"));
  const info = lines[open]?.slice("```".length).trim().split(/\s/, 1)[0] ?? "";
  const language = LANGUAGES.get(info);
  if (language === undefined)
    return `needs a \`\`\`ts or \`\`\`js fence after ${MARKER}, not "\`\`\`${info}"`;
  const close = lines.findIndex((line, index) => index > open && line.trimEnd() === "```");
  if (close === -1) return "has a fence that never closes after the marker";
  const code = lines.slice(open + 1, close).join("\n");
  if (code.trim() === "") return "has an empty first program";
  return { language, code: `${code}\n`, line: open + 2 };
}

const LANGUAGES: ReadonlyMap<string, Program["language"]> = new Map([
  ["ts", "ts"],
  ["typescript", "ts"],
  ["js", "js"],
  ["javascript", "js"],
]);

/** The program as an ES module that any supported Node runs: not each of them reads TypeScript. */
export async function toModule(program: Program): Promise<string> {
  const { code } = await transform(program.code, {
    loader: program.language,
    format: "esm",
    target: "node22",
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  return code;
}
