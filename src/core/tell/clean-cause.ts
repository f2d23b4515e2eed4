// Removes credentials from a foreign error before it becomes the `cause` of an error of this library.
import { isAgentwireError } from "../errors.ts";
import { isCredentialMember } from "./credential-names.ts";
import { REDACTED } from "./redact.ts";

/** The maximum depth of copied causes and properties. Platform errors nest two levels. */
const MAX_DEPTH = 8;

/** The limit of examined objects, because an error may reference a whole application. */
const MAX_OBJECTS = 1_000;

/**
 * Makes an error of foreign code safe as the `cause` of our error. Returns the error itself if it holds no credential,
 * otherwise a copy without credentials. Covers messages, stacks, causes, the errors of an `AggregateError` and all
 * other properties. An object of another class, such as a request with its headers, may hide credentials: the copy has
 * only its class name.
 */
export function cleanCause(thrown: unknown, redact: (text: string) => string): unknown {
  try {
    if (isClean(thrown, redact)) return thrown;
    return copyOf(thrown, "", 0, { redact, made: new Map() });
  } catch {
    return new Error("the thrown value cannot be read"); // a proxy or a getter threw
  }
}

function isClean(thrown: unknown, redact: (text: string) => string): boolean {
  const seen = new Set<unknown>();
  const open: [name: string, value: unknown][] = [["", thrown]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [name, value] = next;
    if (typeof value === "string" && cleanText(name, value, redact) !== value) return false;
    if (typeof value !== "object" || value === null || isAgentwireError(value) || seen.has(value)) continue;
    seen.add(value);
    if (seen.size > MAX_OBJECTS || !isReadable(value)) return false;
    if (value instanceof Error) open.push(["", value.name], ["", value.message], ["", value.stack]);
    for (const [key, { value: field, get }] of membersOf(value)) {
      if (get) return false; // a getter may return another value each time
      open.push(["", String(key)], [String(key), field]);
    }
  }
  return true;
}

interface Copying {
  readonly redact: (text: string) => string;
  readonly made: Map<object, object>;
}

function copyOf(value: unknown, name: string, depth: number, copying: Copying): unknown {
  const { redact, made } = copying;
  if (typeof value === "string") return cleanText(name, value, redact);
  if (typeof value !== "object" || value === null || isAgentwireError(value)) return value;
  const before = made.get(value);
  if (before) return before;
  if (depth > MAX_DEPTH || made.size >= MAX_OBJECTS || !isReadable(value)) return `[${classOf(value)}]`;
  const copy = value instanceof Error ? copyError(value, redact) : Array.isArray(value) ? [] : {};
  made.set(value, copy);
  for (const [key, { value: field, get, enumerable = false }] of membersOf(value)) {
    if (get) continue;
    const clean = copyOf(field, String(key), depth + 1, copying);
    const cleanKey = typeof key === "string" ? redact(key) : key;
    Object.defineProperty(copy, cleanKey, { value: clean, enumerable, writable: true, configurable: true });
  }
  return copy;
}

function copyError({ name, message, stack }: Error, redact: (text: string) => string): Error {
  const copy = new Error(redact(message));
  for (const [key, text = ""] of Object.entries({ name, stack })) {
    Object.defineProperty(copy, key, { value: redact(text), writable: true, configurable: true });
  }
  return copy;
}

/** Own members, except the standard ones of an error or an array. */
function membersOf(value: object): readonly (readonly [string | symbol, PropertyDescriptor])[] {
  const usual =
    value instanceof Error ? ["name", "message", "stack"] : Array.isArray(value) ? ["length"] : [];
  return Reflect.ownKeys(value).flatMap((key) => {
    const member = Object.getOwnPropertyDescriptor(value, key);
    return member && !usual.includes(String(key)) ? [[key, member] as const] : [];
  });
}

function cleanText(name: string, text: string, redact: (text: string) => string): string {
  return text !== "" && isCredentialMember(name) ? REDACTED : redact(text);
}

/** Whether the members of `value` hold all its data, as for errors, arrays and plain objects. */
function isReadable(value: object): boolean {
  if (value instanceof Error || Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function classOf(value: object): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}
