// The output of a tool call as plain pieces. Shapes are recognised, never names of tools: content of universal events,
// MCP and ACP, and the results of this library's own tools.
import { fieldsOf, isObject } from "../../core/checks.ts";
import type { ChatToolPart } from "../../universal/transcript/message.ts";
import { readableJson } from "./readable-json.ts";

/** A text, about a file if there is a path; or the diff of a file. */
export type ToolPiece =
  | { readonly type: "text"; readonly text: string; readonly path: string }
  | { readonly type: "diff"; readonly diff: string; readonly path: string };

export interface OutputPieces {
  readonly pieces: readonly ToolPiece[];
  /** How a command failed: an exit code other than 0, or a signal. */
  readonly exit: number | string | undefined;
}

/** Fields whose values stand for themselves. Other fields are shown with their names. */
const PLAIN = /^(?:errorMessage|text|content|stdout|stderr|message|files|directories)$/;

/** Fields that have a change of the file `path`. */
const CHANGE = /^(?:unifiedDiff|newText)$/;

/** Fields that the outcome or the piece says, or that repeat others for programs. */
const SAID = /^(?:exitCode|exit_code|signal|path|file|type|oldText|structuredContent)$/;

/** Characters of an output that are read as JSON: it takes about 10 ms. Longer outputs are shown as they are. */
const MAX_PARSED = 1_000_000;

export function toolOutput(part: ChatToolPart): OutputPieces {
  try {
    return readOutput(part);
  } catch {
    return { pieces: [{ type: "text", text: part.output, path: "" }], exit: undefined }; // nested too deeply to be read
  }
}

function readOutput({ output, content, input }: ChatToolPart): OutputPieces {
  const pieces: ToolPiece[] = [];
  let exit: OutputPieces["exit"];

  const text = (value: string, path = ""): void => {
    if (value.trim() !== "") pieces.push({ type: "text", text: value, path });
  };
  const read = (value: unknown, path?: string): void => {
    if (typeof value === "string") text(value, path);
    else if (!isKnown(value)) text(readableJson(value), path);
    else if (Array.isArray(value)) for (const each of value) read(each, path);
    else fields(fieldsOf(value));
  };
  const fields = (all: Readonly<Record<string, unknown>>): void => {
    const { exit_code, exitCode = exit_code, signal, file, path = file } = all;
    const name = typeof path === "string" ? path : "";
    if (typeof exitCode === "number" && exitCode !== 0) exit = exitCode;
    else if (typeof signal === "string") exit = signal;
    for (const [key, value] of Object.entries(all)) {
      const isText = typeof value === "string";
      if (isText && CHANGE.test(key)) {
        // The result of a new file has its text in place of a diff.
        const diff = value.startsWith("@@") && key !== "newText" ? value : changeOf(all["oldText"], value);
        pieces.push({ type: "diff", diff, path: name });
      } else if (PLAIN.test(key)) read(value, name);
      else if (!SAID.test(key) && value !== fieldsOf(input)[key])
        text(`${key}: ${isText ? value : readableJson(value)}`, name);
    }
  };

  const values = content.flatMap((part) => (part.type === "json" ? [part.json] : []));
  const parsed = parse(output);
  const isOwn = parsed === undefined && output !== "" && !values.includes(output);
  for (const value of values.length > 0 || parsed === undefined ? values : [parsed]) read(value);
  // Beside a text of its own, data repeats the text for programs, or is a change.
  if (isOwn)
    pieces.splice(
      0,
      Number.POSITIVE_INFINITY,
      { type: "text", text: output, path: "" },
      ...pieces.filter(isDiff),
    );
  for (const part of content)
    if (part.type === "file_ref" && part.diff !== null)
      pieces.push({ type: "diff", diff: part.diff, path: part.path });
  return { pieces: merged(pieces), exit };
}

/** Texts about one file that follow each other are one. */
function merged(pieces: readonly ToolPiece[]): readonly ToolPiece[] {
  return pieces.flatMap((piece, at): readonly ToolPiece[] => {
    const isSame = (other: ToolPiece | undefined): boolean =>
      other?.type === "text" && other.path === piece.path;
    if (piece.type === "diff") return [piece];
    if (isSame(pieces[at - 1])) return [];
    let end = at + 1;
    while (isSame(pieces[end])) end++;
    const texts = pieces.slice(at, end).map((each, index) => {
      const said = each.type === "text" ? each.text : "";
      return index < end - at - 1 ? said.replace(/\n$/, "") : said;
    });
    return [{ ...piece, text: texts.join("\n") }];
  });
}

const isDiff = ({ type }: ToolPiece): boolean => type === "diff";

/** Texts, and objects with a field that stands for itself or is a change. */
function isKnown(value: unknown): boolean {
  if (Array.isArray(value))
    return value.length > 0 && value.every((each) => typeof each === "string" || isKnown(each));
  return isObject(value) && Object.keys(value).some((key) => PLAIN.test(key) || CHANGE.test(key));
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

/** A diff without numbers: the texts may be parts of a file. */
function changeOf(before: unknown, after: string): string {
  const marked = (text: unknown, mark: string): string =>
    typeof text === "string" && text !== "" ? text.replace(/\n$/, "").replaceAll(/^/gm, mark) : "";
  return [marked(before, "-"), marked(after, "+")].filter((side) => side !== "").join("\n");
}
