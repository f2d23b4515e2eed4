import { transform } from "esbuild";
import { readFences } from "./fences.ts";

/** Stands in README.md just before the first program, so that the check finds it and a reader sees nothing. */
export const MARKER = "<!-- first-program -->";

export interface Program {
  readonly language: "ts" | "js";
  readonly code: string;
  /** Of its first line in the README, counted from 1. */
  readonly line: number;
}

/** The first fence after the marker, which is TypeScript or JavaScript, or what is wrong with the README. */
export function findFirstProgram(readme: string): Program | string {
  const marker = readme.split(/\r?\n/).findIndex((line) => line.trim() === MARKER);
  if (marker === -1) return `has no line ${MARKER} before its first program`;
  const { fences, mistakes } = readFences(readme);
  const fence = fences.find(({ line }) => line > marker);
  const language = /^(ts|js|typescript|javascript)$/.exec(fence?.language ?? "")?.[0];
  if (!fence || language === undefined)
    return `needs a \`\`\`ts or \`\`\`js fence after ${MARKER}, not "\`\`\`${fence?.language ?? ""}"`;
  if (mistakes.some(({ line }) => line === fence.line))
    return "has a fence that never closes after the marker";
  if (fence.code.trim() === "") return "has an empty first program";
  return { language: /^t/.test(language) ? "ts" : "js", code: `${fence.code}\n`, line: fence.line + 1 };
}

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
