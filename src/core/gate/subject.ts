// The subject of a tool call, such as a path or a command. A grant covers a tool for one subject.
import { isObject } from "../checks.ts";
import { MAX_NESTING, wholeStart } from "../text.ts";
import type { ToolCall } from "../values.ts";

/** The subject of a call. A grant covers a tool for one subject. */
export interface Subject {
  /** Equal for two calls of a tool only if one grant may cover both. */
  readonly key: string;
  /** The subject in words, for the user. */
  readonly words: string;
}

/**
 * Which input fields of a tool make up its calls' subject. Fields that no rule names belong to the subject. So no later
 * call can do more than the user has seen.
 */
export type SubjectRule = {
  /** Fields that do not belong to the subject. With a value, only that value or no value is ignored. */
  readonly free?: readonly Free[];
  /** The field that contains the other fields. */
  readonly within?: string;
} & (
  | { readonly about: "command"; readonly command: string; readonly folder: string }
  /** `deletes`: a field, and its value that makes the edit a deletion. */
  | { readonly about: "edit"; readonly path: string; readonly deletes?: readonly [string, string] }
  /** `paths`: a path, or a list of paths or of `{ path }`. */
  | { readonly about: "read"; readonly paths: string }
  /** `glob`: a pattern of paths. It may differ between calls while it stays inside the folder. */
  | { readonly about: "list" | "search"; readonly folder: string; readonly glob?: string }
  | { readonly about: "fetch"; readonly url: string }
);

type Free = string | readonly [field: string, value: string];

/** Rules by tool name. The calls of other tools have their whole input as subject. */
export type SubjectRules = Readonly<Record<string, SubjectRule>>;

/** The maximum length of a quoted input, command or path. The user also sees the whole input. */
const MAX_QUOTED = 100;

/** The maximum length of the words. Calls may name thousands of folders, and tools return any text. */
const MAX_WORDS = 2_000;

/** The subject of a call. Undefined if the input cannot be read, so that no grant can cover it. */
export function subjectOf(
  { name, input }: Pick<ToolCall, "name" | "input">,
  rules: SubjectRules = {},
): Subject | undefined {
  try {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    return rule ? ruled(rule, input) : wholeInput(input);
  } catch {
    return undefined; // JSON cannot represent the value, or a getter threw
  }
}

/** A subject from the caller's own words. Undefined if the value is not a text. */
export function subjectInWords(words: unknown): Subject | undefined {
  if (words instanceof Promise) words.catch(() => {}); // avoid an unhandled rejection
  if (typeof words !== "string" || words.trim() === "") return undefined;
  return { key: JSON.stringify(["words", words]), words: quoted(words, MAX_WORDS) };
}

function wholeInput(input: unknown): Subject {
  const text = canonical(input);
  return { key: JSON.stringify(["input", text]), words: `exactly the input ${quoted(text)}` };
}

function ruled(rule: SubjectRule, input: unknown): Subject | undefined {
  if (!isObject(input)) return undefined;
  const { within, free = [] } = rule;
  const inner = within === undefined ? input : input[within];
  if (!isObject(inner)) return undefined;
  const about = aboutOf(rule, inner);
  if (!about) return undefined;
  const [what, words, ...fields] = about;
  const others = [othersIn(inner, [...fields, ...free])];
  if (within !== undefined) others.push(othersIn(input, [within]));
  const further = others.filter((text) => text !== "{}").map((text) => `, with ${quoted(text)}`);
  return {
    key: JSON.stringify([rule.about, what, ...others]),
    words: quoted([words, ...further].join(""), MAX_WORDS),
  };
}

/** The other fields of an input, as text. */
function othersIn(input: Readonly<Record<string, unknown>>, known: readonly Free[]): string {
  const isKnown = (name: string, value: unknown): boolean =>
    known.some((each) => (typeof each === "string" ? each === name : each[0] === name && each[1] === value));
  return canonical(Object.fromEntries(Object.entries(input).filter((field) => !isKnown(...field))));
}

/** The value to compare, its words and its fields. Undefined if a field is missing or wrong. */
type About = readonly [what: unknown, words: string, ...fields: string[]];

function aboutOf(rule: SubjectRule, input: Readonly<Record<string, unknown>>): About | undefined {
  switch (rule.about) {
    case "command": {
      const command = input[rule.command];
      const folder = folderOf(input[rule.folder]);
      if (!isFilled(command) || folder === undefined) return undefined;
      return [[command, folder], `\`${quoted(command)}\` in ${shown(folder)}`, rule.command, rule.folder];
    }
    case "edit": {
      const path = input[rule.path];
      if (!isFilled(path)) return undefined;
      const { deletes } = rule;
      const verb = deletes && input[deletes[0]] === deletes[1] ? "deletions" : "edits";
      const place = plain(path) ?? path;
      const fields = deletes ? [rule.path, deletes[0]] : [rule.path];
      return [[verb, place], `${verb} of ${named(place)}`, ...fields];
    }
    case "read": {
      const places = readAt(input[rule.paths]);
      return (
        places && [places.map(([key]) => key), `reads ${places.map(([, at]) => at).join(", ")}`, rule.paths]
      );
    }
    case "list":
    case "search": {
      const folder = folderOf(input[rule.folder]);
      if (folder === undefined) return undefined;
      const isInside = rule.glob !== undefined && staysInside(input[rule.glob]);
      const verb = rule.about === "list" ? "lists" : "searches in";
      return [folder, `${verb} ${shown(folder)}`, rule.folder, ...(isInside && rule.glob ? [rule.glob] : [])];
    }
    case "fetch": {
      const url = input[rule.url];
      if (!isFilled(url)) return undefined;
      const from = originOf(url);
      return [from, `fetches from ${quoted(from)}`, rule.url];
    }
    default:
      return rule satisfies never;
  }
}

/** The fields of `{ path }` that select lines of the file. */
const LINES = ["path", "offset", "limit"];

/** The folders of paths, as keys and words. A folder, or a path with unknown fields, stays as it is. */
function readAt(value: unknown): readonly (readonly [key: string, words: string])[] | undefined {
  const given = Array.isArray(value) ? Array.from(value) : [value];
  if (given.length === 0) return undefined;
  const places = new Map<string, string>();
  for (const each of given) {
    const path: unknown = isObject(each) ? each["path"] : each;
    if (!isFilled(path)) return undefined;
    const others = isObject(each) ? othersIn(each, LINES) : "{}";
    const place = /(?:^|\/)\.?$/.test(path) ? undefined : plain(path);
    if (others !== "{}")
      places.set(JSON.stringify([path, others]), `of ${named(path)} with ${quoted(others)}`);
    else if (place === undefined) places.set(`path ${path}`, `of ${named(path)}`);
    else {
      const folder = parentOf(place);
      places.set(`folder ${folder}`, `directly in ${shown(folder)}`);
    }
  }
  return [...places].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The folder of a call. Without one, the project. */
function folderOf(value: unknown = null): string | undefined {
  if (value === null || value === "") return ".";
  return typeof value === "string" ? (plain(value) ?? value) : undefined;
}

/**
 * Normalises a path: removes `.` and empty parts. Undefined for a path whose target is unclear: `..` after a link, `~`,
 * a drive or `\` on Windows, a network share. Such a path is its own subject.
 */
function plain(path: string): string | undefined {
  if (/^~|^\/\/|[\\:]|(?:^|\/)\.\.(?:\/|$)/.test(path)) return undefined;
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return path.startsWith("/") ? `/${parts.join("/")}` : parts.join("/") || ".";
}

function parentOf(path: string): string {
  const end = path.lastIndexOf("/");
  return end > 0 ? path.slice(0, end) : end === 0 ? "/" : ".";
}

/**
 * One part of a glob between slashes. Matches only if the part cannot become `..` or empty, however programs expand
 * braces, brackets and groups. It must begin with a star, or, after an optional dot, with a literal character.
 */
const INSIDE = /^\.?(?:[^.*?+@!{}()[\],|]|$)|^(?:\*\*?|@)(?![({])/;

/** Whether a glob matches only paths inside its folder, in every glob dialect. */
function staysInside(glob: unknown): boolean {
  if (typeof glob !== "string" || /\.\.|[\\:]|(?:^|[{,(|])[/~]/.test(glob)) return false;
  return glob.split("/").every((part) => INSIDE.test(part));
}

/** The origin of a URL. A URL without an origin, or that programs parse differently, is its own subject. */
function originOf(url: string): string {
  try {
    const { protocol, origin } = new URL(url);
    const isClear = /^https?:\/\/[^/]/i.test(url) && !/[\\\s\p{Cc}]/u.test(url);
    return isClear && (protocol === "http:" || protocol === "https:") ? origin : url;
  } catch {
    return url;
  }
}

function shown(folder: string): string {
  return folder === "." ? "the project" : named(folder);
}

/** A path in words. In quotes if its spaces or commas could be misread as part of the sentence. */
function named(path: string): string {
  return /[\s,"`…]/.test(path) ? JSON.stringify(quoted(path)) : quoted(path);
}

/** The text, or its beginning without half a character. */
function quoted(text: string, max = MAX_QUOTED): string {
  return text.length > max ? `${wholeStart(text, max)}…` : text;
}

function isFilled(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/**
 * A JSON value as text with sorted keys. Only equal values have the same text.
 * @throws TypeError for a value that JSON cannot represent, or that is nested deeper than MAX_NESTING
 */
function canonical(value: unknown, depth = 0): string {
  if (depth > MAX_NESTING) throw new TypeError("it is nested too deeply");
  if (value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value))
    return JSON.stringify(value);
  if (Array.isArray(value)) return `[${Array.from(value, (each) => canonical(each, depth + 1)).join(",")}]`;
  if (!isObject(value) || !isPlain(value)) throw new TypeError("it is no JSON value");
  const fields = Object.keys(value)
    .filter((field) => value[field] !== undefined)
    .sort();
  return `{${fields.map((field) => `${JSON.stringify(field)}:${canonical(value[field], depth + 1)}`).join(",")}}`;
}

/** Whether the fields of `value` hold all its data. False for a `Map`, a `Date` or an instance of a class. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
