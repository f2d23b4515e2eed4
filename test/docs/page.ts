import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The text of a file of the repository. */
export function read(path: string): string {
  return readFileSync(fileURLToPath(new URL(path, new URL("../../", import.meta.url))), "utf8");
}

/** A page, taken apart by its headings. */
export class Page {
  readonly text: string;

  constructor(path: string) {
    this.text = read(path);
  }

  /** The text of a section, without its heading. */
  section(title: string): string {
    const [, text = ""] = this.text.split(`\n## ${title}\n`);
    return text.split("\n## ")[0] ?? "";
  }

  /** The cells of a section's tables, row by row, without rules. */
  rows(title: string): string[][] {
    return this.section(title)
      .split("\n")
      .filter((line) => line.startsWith("| ") && !line.startsWith("| ---"))
      .map((line) => line.slice(2, -2).split(" | "));
  }
}

/** What is written as code in prose. */
export function codeIn(text: string): string[] {
  return [...text.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
}

/** Every name of a type, which the compiler holds complete. */
export function names<Name extends string>(of: Readonly<Record<Name, true>>): Name[] {
  return Object.keys(of) as Name[];
}
