import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { parseFlags, type SearchFlags } from "../../../../src/codebuff-run/tools/search/flags.ts";
import { joinRanges, type LineRange } from "../../../../src/codebuff-run/tools/search/hits.ts";
import { findLines, findRanges } from "../../../../src/codebuff-run/tools/search/matching/find-lines.ts";
import {
  type PatternSource,
  translatePattern,
} from "../../../../src/codebuff-run/tools/search/matching/pattern.ts";
import { ripgrepArgs } from "../../../../src/codebuff-run/tools/search/ripgrep.ts";
import { EventReader } from "../../../../src/codebuff-run/tools/search/ripgrep-events.ts";
import { runs } from "../../../helpers/runs.ts";
import { line, pattern } from "./patterns.ts";

const MANY = 1_000;

const text = fc
  .array(fc.tuple(line, fc.constantFrom("\n", "\n", "\n\n", "\r\n")), { maxLength: 12 })
  .map((lines) => lines.flat().join(""));
const flags = fc
  .array(fc.constantFrom("-i", "-S", "-w", "-x", "-F", "-U", "-U --multiline-dotall"), { maxLength: 3 })
  .map((words) => {
    const parsed = parseFlags(words.join(" "));
    if (parsed.problem !== undefined) throw new Error(parsed.problem);
    return parsed.flags;
  });

/** The lines that ripgrep finds; `undefined`: it refuses the pattern. */
function byRipgrep(folder: string, wanted: string, of: SearchFlags): readonly LineRange[] | undefined {
  const { signal } = new AbortController();
  const search = {
    pattern: wanted,
    flags: of,
    maxPerFile: MANY,
    hidden: false,
    hiddenFolders: [],
    ignoreFiles: true,
    signal,
  };
  const { stdout, status } = spawnSync(rgPath, ripgrepArgs(search), { cwd: folder });
  if (status === 2) return undefined;
  const found: LineRange[] = [];
  const onFile = ({ ranges }: { ranges: readonly LineRange[] }): void => void found.push(...ranges);
  new EventReader({ maxPerFile: MANY, multiline: of.multiline, onFile }).feed(stdout);
  return joinRanges(found);
}

function byPattern(content: string, wanted: string, of: SearchFlags): readonly LineRange[] | undefined {
  let translated: PatternSource;
  try {
    translated = translatePattern(wanted, of);
  } catch {
    return undefined;
  }
  const find = of.multiline ? findRanges : findLines;
  const regex = new RegExp(translated.source, of.multiline ? `${translated.flags}g` : translated.flags);
  return joinRanges(find(content, regex, MANY));
}

/**
 * What both engines promise. Over several lines, only where the first match begins: the engines differ in how far an empty repetition goes,
 * and in whether a blank line at its end belongs to a match.
 */
function promised(found: readonly LineRange[] | undefined, { multiline }: SearchFlags): unknown {
  return multiline ? found?.[0]?.first : found;
}

test("a translated pattern matches the same lines as in ripgrep, and is refused if ripgrep refuses it", () => {
  const folder = mkdtempSync(join(tmpdir(), "regex-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  fc.assert(
    fc.property(text, pattern, flags, (content, wanted, of) => {
      writeFileSync(join(folder, "a"), content);
      const ours = byPattern(content, wanted, of);
      const theirs = byRipgrep(folder, wanted, of);
      expect(ours === undefined).toBe(theirs === undefined);
      expect(promised(ours, of)).toEqual(promised(theirs, of));
    }),
    runs(200),
  );
}, 600_000);
