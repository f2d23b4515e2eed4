// What a tool call is about, such as a path or a command: a grant covers the tool for this subject.
import { isObject } from "../checks.ts";
import { MAX_NESTING } from "../text.ts";
import type { ToolCall } from "../values.ts";

/** What a call is about: what a grant covers besides the tool. */
export interface Subject {
  /** Equal for two calls of a tool only if one grant may cover both. */
  readonly key: string;
  /** The same for the user. */
  readonly words: string;
}

/**
 * What the calls of one tool are about, by the names of the fields of its input. A field that is named nowhere is part of the subject, so
 * that no unknown field makes a later call do more than the user has seen.
 */
export type SubjectRule = {
  /** Fields that may differ from call to call. With a value: that value and none mean the same, and any other is part of the subject. */
  readonly free?: readonly Free[];
  /** The field whose object has the other fields. */
  readonly within?: string;
} & (
  | { readonly about: "command"; readonly command: string; readonly folder: string }
  /** `deletes`: a field, and the value of it that makes the edit a deletion. */
  | { readonly about: "edit"; readonly path: string; readonly deletes?: readonly [string, string] }
  /** `paths`: a path, or a list of paths or of `{ path }`. */
  | { readonly about: "read"; readonly paths: string }
  /** `glob`: a pattern of paths, which may differ while it stays inside the folder. */
  | { readonly about: "list" | "search"; readonly folder: string; readonly glob?: string }
  | { readonly about: "fetch"; readonly url: string }
);

type Free = string | readonly [field: string, value: string];

/** By the names of tools. The calls of other tools are about their whole input. */
export type SubjectRules = Readonly<Record<string, SubjectRule>>;

/** Characters of a quoted input, command or path in words. The user sees the whole input beside them. */
const MAX_QUOTED = 100;

/** Characters of all words: a call may name thousands of folders, and a tool of the caller's may say anything. Screens show less. */
const MAX_WORDS = 2_000;

/** What a call is about; `undefined` if its input cannot be read: nobody can say what a grant of it would cover. */
export function subjectOf(
  { name, input }: Pick<ToolCall, "name" | "input">,
  rules: SubjectRules = {},
): Subject | undefined {
  try {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    return rule ? ruled(rule, input) : wholeInput(input);
  } catch {
    return undefined; // a value that JSON cannot write, or one with a getter that throws
  }
}

/** What the caller's own words say of a call of a tool. Other values than texts are no words. */
export function subjectInWords(words: unknown): Subject | undefined {
  if (words instanceof Promise) words.catch(() => {}); // it is useless, but a rejection must not go unhandled
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

/** The fields of an input but for the known ones. */
function othersIn(input: Readonly<Record<string, unknown>>, known: readonly Free[]): string {
  const isKnown = (name: string, value: unknown): boolean =>
    known.some((each) => (typeof each === "string" ? each === name : each[0] === name && each[1] === value));
  return canonical(Object.fromEntries(Object.entries(input).filter((field) => !isKnown(...field))));
}

/** What is compared, the words for it, and the fields that it is made of. `undefined`: a field is missing or of another type. */
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

/** The fields of `{ path }` that choose lines of its file. */
const LINES = ["path", "offset", "limit"];

/** The folders of paths, as keys and in words, each once. A folder that is read itself, and a path with unknown fields, stand for themselves. */
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

/** The folder of a call: the project's own if none is named. */
function folderOf(value: unknown = null): string | undefined {
  if (value === null || value === "") return ".";
  return typeof value === "string" ? (plain(value) ?? value) : undefined;
}

/**
 * One spelling of a path: without `.` and empty parts. `undefined` for a path that may lead elsewhere than it looks (`..` behind a link,
 * `~`, a drive or a `\` on Windows, a server's share): such a path stands for itself alone.
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
 * A part of a pattern between slashes that is neither `..` nor empty, whatever its braces, brackets and groups become: it begins with a star,
 * or behind an optional dot with a character that stands for itself.
 */
const INSIDE = /^\.?(?:[^.*?+@!{}()[\],|]|$)|^(?:\*\*?|@)(?![({])/;

/** Whether a pattern of paths matches only below its folder, whoever reads it. */
function staysInside(glob: unknown): boolean {
  if (typeof glob !== "string" || /\.\.|[\\:]|(?:^|[{,(|])[/~]/.test(glob)) return false;
  return glob.split("/").every((part) => INSIDE.test(part));
}

/** The origin of an address. An address without one, and one that programs read in different ways, stands for itself. */
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

/** A path in words. In quotes where its blanks or commas could be taken for words of the sentence. */
function named(path: string): string {
  return /[\s,"`…]/.test(path) ? JSON.stringify(quoted(path)) : quoted(path);
}

/** The text, or its beginning in whole characters. */
function quoted(text: string, max = MAX_QUOTED): string {
  return text.length > max ? `${text.slice(0, max).replace(/[\ud800-\udbff]$/, "")}…` : text;
}

function isFilled(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/**
 * A JSON value as text, with sorted keys. Two values have the same text only if they are equal.
 * @throws TypeError for a value that JSON cannot write as it is, and for one that is nested deeper than MAX_NESTING
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

/** Not a `Map`, a `Date` or an object of a class: their fields do not say what they hold. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
