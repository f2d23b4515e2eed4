// Pure: which option of a permission request answers a decision, and what a call is about, for grants and previews.
import { fieldsOf } from "../core/checks.ts";
import { type Subject, type SubjectRules, subjectOf } from "../core/gate/subject.ts";
import type { DecidedBy, Ruling, ToolPreview } from "../core/values.ts";
import { readList, textOr } from "./blocks.ts";
import { hasInput } from "./calls.ts";
import type { AcpToolCall } from "./messages.ts";

/** An answer that an agent offers. Only `kind` has a meaning: ids, names and the order differ between agents. */
interface PermissionOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: string;
}

type Outcome =
  | { readonly outcome: "selected"; readonly optionId: string }
  | { readonly outcome: "cancelled" };

const CANCELLED: Outcome = { outcome: "cancelled" };

/** Rulings that say nothing about the call: it was withdrawn. */
const WITHDRAWN: ReadonlySet<DecidedBy> = new Set([
  "cancelled",
  "ended",
  "disconnected",
  "elsewhere",
  "timeout",
]);

export function readPermissionOptions(params: unknown): readonly PermissionOption[] {
  return readList(fieldsOf(params)["options"], (value) => {
    const { optionId, name, kind } = fieldsOf(value);
    if (typeof optionId !== "string") return undefined;
    return { optionId, name: textOr(name, optionId), kind: textOr(kind, "") };
  });
}

/** The answer to a request. `isMissing`: the agent offers none for this decision. */
export function outcomeOf(
  { decision, by }: Ruling,
  options: readonly PermissionOption[],
  always: "gate" | "agent",
): { readonly outcome: Outcome; readonly isMissing?: true } {
  if (WITHDRAWN.has(by)) return { outcome: CANCELLED };
  const isKept = decision === "always" && always === "agent";
  const kinds =
    decision === "reject"
      ? ["reject_once", "reject_always"]
      : isKept
        ? ["allow_always", "allow_once"]
        : ["allow_once"]; // the first one: others may also change the mode
  for (const kind of kinds) {
    const option = options.find((each) => each.kind === kind);
    if (option) return { outcome: { outcome: "selected", optionId: option.optionId } };
  }
  return { outcome: CANCELLED, isMissing: true };
}

const PATHS = ["file_path", "path", "absolute_path", "filePath"];

/** The path that an input names, as {@link rulesFor} takes it. */
export function pathsIn(input: unknown): readonly string[] {
  const fields = fieldsOf(input);
  return PATHS.map((name) => fields[name])
    .filter((path) => typeof path === "string")
    .slice(0, 1);
}

const TEXTS = ["content", "old_string", "new_string", "oldString", "newString", "replace_all", "replaceAll"];
const LINES = ["offset", "limit", "line"];

/** What calls are about, by the kind of the tool. Agents name the same field differently. */
function rulesFor(input: Readonly<Record<string, unknown>>): SubjectRules {
  const path = PATHS.find((name) => typeof input[name] === "string");
  return {
    execute: { about: "command", command: "command", folder: "cwd", free: ["description"] },
    ...(path === undefined
      ? {}
      : {
          edit: { about: "edit", path, free: TEXTS },
          read: { about: "read", paths: path, free: LINES },
        }),
    fetch: { about: "fetch", url: "url" },
  };
}

/** What a grant for the call covers. Undefined without an input: such a call gets no grant. */
export function subjectOfCall(
  wire: AcpToolCall,
  name: string,
  options: readonly PermissionOption[],
  always: "gate" | "agent",
): Subject | undefined {
  if (!hasInput(wire)) return undefined;
  const { kind = "", rawInput } = wire;
  const rules = rulesFor(fieldsOf(rawInput));
  const known = subjectOf({ name: kind, input: rawInput }, rules) ?? subjectOf({ name, input: rawInput });
  const kept = always === "agent" ? options.find((option) => option.kind === "allow_always") : undefined;
  return known && kept ? { key: known.key, words: kept.name } : known;
}

/** What the agent says that the call would change. */
export function previewOf({ content = [] }: AcpToolCall): readonly ToolPreview[] | undefined {
  const previews = content.flatMap((item): readonly ToolPreview[] => {
    if (item.type !== "diff") return [];
    const { path, oldText, newText } = item;
    return [
      { path, diff: asDiff(oldText, newText), by: "agent", old_text: oldText ?? "", new_text: newText },
    ];
  });
  return previews.length === 0 ? undefined : previews;
}

/** The agent's textFields as a diff of whole lines: the textFields may be only a part of the file. */
function asDiff(oldText: string | null, newText: string): string {
  const lines = (text: string, sign: string): readonly string[] =>
    text === ""
      ? []
      : text
          .replace(/\n$/, "")
          .split("\n")
          .map((line) => `${sign}${line}`);
  return [...lines(oldText ?? "", "-"), ...lines(newText, "+")].join("\n");
}
