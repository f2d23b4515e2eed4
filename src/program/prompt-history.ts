// The prompts of earlier chats, for the history of the composer: a file for each folder and backend.
import { createHash } from "node:crypto";
import { appendFile, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { PromptHistory } from "../ink/index.ts";
import { programFolder } from "./chats.ts";

/** Prompts that are kept: as many as the composer goes back through. */
const MAX_PROMPTS = 200;
/** Lines at which the file is shortened, so that most prompts are only appended. */
const MAX_LINES = 2 * MAX_PROMPTS;
/** Characters of a kept prompt. Longer ones are mostly pasted. */
const MAX_LENGTH = 10_000;

/** @param folder where the agent works */
export async function promptHistory(backend: string, folder: string): Promise<PromptHistory> {
  const place = join(programFolder(), "history");
  const hash = createHash("sha256").update(resolve(folder)).digest("hex").slice(0, 16);
  const file = join(place, `${backend}.${hash}.jsonl`);
  const all = promptsIn(await textOf(file));
  const prompts = all.slice(-MAX_PROMPTS);
  if (all.length > MAX_LINES) {
    const half = `${file}.${process.pid}`;
    await writeFile(half, prompts.map(lineOf).join(""), { mode: 0o600 });
    await rename(half, file);
  }
  return {
    prompts,
    add: async (prompt) => {
      if (prompt.length > MAX_LENGTH) return;
      await mkdir(place, { recursive: true, mode: 0o700 });
      await appendFile(file, lineOf(prompt), { mode: 0o600 });
    },
  };
}

const lineOf = (prompt: string): string => `${JSON.stringify(prompt)}\n`;

/** A line that a crash has cut is left out. */
function promptsIn(text: string): readonly string[] {
  return text.split("\n").flatMap((line): string[] => {
    try {
      const prompt: unknown = JSON.parse(line);
      return typeof prompt === "string" ? [prompt] : [];
    } catch {
      return [];
    }
  });
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}
