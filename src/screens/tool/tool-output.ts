// The output of a tool call as plain pieces. Shapes are recognised, never names of tools: content of universal events,
// MCP and ACP, then the results of this library's own tools.
import { fieldsOf, isObject } from "../../core/checks.ts";
import type { ToolPreview } from "../../core/values.ts";
import type { ChatToolPart } from "../../universal/transcript/message.ts";
import { readable } from "./readable.ts";

/** A text, of a file if there is a path; or a change of a file. */
export type ToolPiece =
  | { readonly type: "text"; readonly text: string; readonly path?: string }
  | ({ readonly type: "diff" } & Pick<ToolPreview, "path" | "diff">);

export interface ToolOutput {
  readonly pieces: readonly ToolPiece[];
  /** How a command failed: an exit code other than 0, or a signal. */
  readonly exit: number | string | undefined;
}

/** Characters of an output that are read as JSON: it takes about 10 ms. Longer outputs are shown as they are. */
const MAX_PARSED = 1_000_000;

export function toolOutput({ output, content, input, locations = [] }: ChatToolPart): ToolOutput {
  const values: unknown[] = [];
  const changes: ToolPiece[] = [];
  for (const part of content) {
    if (part.type === "json") values.push(part.json);
    if (part.type === "text") values.push(part.text);
    if (part.type !== "file_ref") continue;
    const { path, diff } = part;
    if (diff !== null) changes.push({ type: "diff", path, diff });
    else if (!locations.some((known) => known.path === path)) values.push(path);
  }
  const parsed = parse(output);
  const isText = output !== "" && parsed === undefined;
  const said = values.length > 0 || parsed === undefined ? values : [parsed];
  const pieces = said.flatMap((value) => piecesIn(value, input) ?? (isText ? [] : [textOf(readable(value))]));
  // Beside a text of its own, data repeats the text for programs, or is a change.
  const shown = isText ? [textOf(output), ...pieces.filter(({ type }) => type === "diff")] : pieces;
  return { pieces: merged([...shown, ...changes]), exit: said.map(exitOf).find((exit) => exit !== undefined) };
}

function textOf(text: string): ToolPiece {
  return { type: "text", text };
}

/** An object or a list. Undefined for anything else: it is text. */
function parse(output: string): unknown {
  if (!/^\s*[[{]/.test(output) || output.length > MAX_PARSED) return undefined;
  try {
    return JSON.parse(output);
  } catch {
    return undefined;
  }
}

/** Texts that follow each other are one. Empty texts are left out. */
function merged(pieces: readonly ToolPiece[]): readonly ToolPiece[] {
  const all: ToolPiece[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    const isPlain = piece.type === "text" && piece.path === undefined;
    if (isPlain && piece.text.trim() === "") continue;
    if (isPlain && last?.type === "text" && last.path === undefined)
      all[all.length - 1] = textOf(`${last.text.replace(/\n$/, "")}\n${piece.text}`);
    else all.push(piece);
  }
  return all;
}

function exitOf(value: unknown): number | string | undefined {
  const { exit_code, exitCode = exit_code, signal } = fieldsOf(value);
  if (typeof exitCode === "number" && exitCode !== 0) return exitCode;
  return typeof signal === "string" && signal !== "" ? signal : undefined;
}

/** The pieces of a known shape. Undefined for any other value. */
function piecesIn(value: unknown, input: unknown): readonly ToolPiece[] | undefined {
  if (typeof value === "string") return [textOf(value)];
  if (!Array.isArray(value)) return isObject(value) ? fieldPieces(value, input) : undefined;
  const all = value.map((each) => piecesIn(each, input));
  return all.length > 0 && all.every((pieces) => pieces !== undefined) ? all.flat() : undefined;
}

/** Texts of results, in the order in which they are shown. */
const TEXTS = ["errorMessage", "text", "stdout", "stderr", "message"];

/** Fields that the outcome says. */
const SAID = ["exitCode", "exit_code", "signal"];

/** Takes the known fields out of an object. What is left over is shown as it is. */
function fieldPieces(
  value: Readonly<Record<string, unknown>>,
  input: unknown,
): readonly ToolPiece[] | undefined {
  const { content, file, path = file, type, files, count } = value;
  const rest = new Map(Object.entries(value));
  const take = (name: string): string | undefined => {
    const field = rest.get(name);
    if (typeof field !== "string") return undefined;
    rest.delete(name);
    return field;
  };
  const pieces: ToolPiece[] = [];
  const inner = typeof content === "object" ? piecesIn(content, input) : undefined;
  if (inner && rest.delete("content")) {
    pieces.push(...inner);
    rest.delete("structuredContent"); // the same for programs
  }
  if (typeof path === "string") {
    const text = take("content");
    if (text !== undefined) pieces.push({ type: "text", path, text });
    const after = take("newText");
    if (after !== undefined) pieces.push({ type: "diff", path, diff: changeOf(take("oldText") ?? "", after) });
    const diff = take("unifiedDiff");
    if (diff !== undefined)
      // A new file's whole text may stand in place of a diff.
      pieces.push(/^(?:@@|--- )/.test(diff) ? { type: "diff", path, diff } : { type: "text", path, text: diff });
    if (pieces.length > 0) for (const name of ["path", "file", "oldText"]) rest.delete(name);
  }
  const texts = TEXTS.map(take);
  for (const [name, mark] of [
    ["directories", "/"],
    ["files", ""],
  ] as const) {
    const names = value[name];
    if (!Array.isArray(names) || !names.every((each) => typeof each === "string")) continue;
    texts.unshift(names.map((each) => each + mark).join("\n"));
    rest.delete(name);
  }
  if (rest.size === Object.keys(value).length) return undefined;
  if (type === "text" || type === "content") rest.delete("type");
  if (Array.isArray(files) && count === files.length) rest.delete("count");
  for (const name of SAID) rest.delete(name);
  for (const [name, field] of rest) if (field === fieldsOf(input)[name]) rest.delete(name);
  const said = texts.filter((text) => text !== undefined && text !== "Exit code: 0").map((text) => textOf(text ?? ""));
  return [...said, textOf(readable(Object.fromEntries(rest))), ...pieces];
}

/** Unchanged lines before and after the changed ones. */
const CONTEXT = 3;

/** The changed lines of two texts as a diff without numbers: the texts may be parts of a file. */
function changeOf(before: string, after: string): string {
  const old = linesOf(before);
  const now = linesOf(after);
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const end = old.length - tail;
  return [
    ...old.slice(Math.max(0, head - CONTEXT), head).map((line) => ` ${line}`),
    ...old.slice(head, end).map((line) => `-${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+${line}`),
    ...old.slice(end, end + CONTEXT).map((line) => ` ${line}`),
  ].join("\n");
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
