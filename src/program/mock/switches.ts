// Reads `--switch name=value`.
import { checkName } from "../../core/names.ts";
import { jsonIn } from "../../core/text.ts";
import { wrongCall } from "../failure.ts";

type Kind = (json: unknown, text: string) => unknown;

/** What a value in angle brackets stands for: its value, or undefined if the text is none. */
const KINDS: Readonly<Record<string, Kind>> = {
  "<boolean>": (json) => (typeof json === "boolean" ? json : undefined),
  "<false>": (json) => (json === false ? json : undefined),
  "<null>": (json) => (json === null ? json : undefined),
  "<number>": (json) => (typeof json === "number" && json >= 0 ? json : undefined),
  "<object>": (json) =>
    typeof json === "object" && json !== null && !Array.isArray(json) ? json : undefined,
  "<text>": (_, text) => (text === "" ? undefined : text),
};

/** Words that stand for a value. */
const WORDS: Readonly<Record<string, unknown>> = { Infinity: Number.POSITIVE_INFINITY };

/**
 * The switches of a call, as an object.
 * @param values by the names of the switches: see `switch-values.ts`
 * @throws Failure for an unknown name, and for a value that a switch does not have
 */
export function switchesOf(
  texts: readonly string[],
  values: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  const switches: Record<string, unknown> = {};
  for (const text of texts) {
    const at = text.indexOf("=");
    const path = at < 0 ? text : text.slice(0, at);
    const [name = "", inner] = path.split(/\.(.*)/s);
    checkSwitch(name, values);
    if (at < 0) throw wrongCall(`--switch ${text} has no value.`, `Pass ${name}=<value>: ${values[name]}.`);
    const value = text.slice(at + 1);
    if (inner === undefined) switches[name] = switchValue(name, value, values[name] ?? "");
    else if (values[name]?.includes("<object>"))
      switches[name] = { ...(switches[name] as object | undefined), [inner]: jsonIn(value) ?? value };
    else throw wrongCall(`The switch ${name} has no parts.`, `Pass ${name}=<value>: ${values[name]}.`);
  }
  return switches;
}

function checkSwitch(name: string, values: Readonly<Record<string, string>>): void {
  try {
    checkName(name, values, "switch");
  } catch (error) {
    const { message, hint } = error as { readonly message: string; readonly hint: string };
    const all = `The switches: ${Object.keys(values).join(", ")}.`;
    throw wrongCall(message.replace(` ${hint}`, ""), hint.startsWith("Did") ? `${hint} ${all}` : all);
  }
}

function switchValue(name: string, text: string, allowed: string): unknown {
  const words = allowed.split(" ");
  if (words.includes(text)) return Object.hasOwn(WORDS, text) && name === "balance" ? WORDS[text] : text;
  const json = jsonIn(text);
  for (const word of words) {
    const value = KINDS[word]?.(json, text);
    if (value !== undefined) return value;
  }
  throw wrongCall(
    `The switch ${name} has no value ${JSON.stringify(text)}.`,
    `Pass one of: ${words.join(", ")}.`,
  );
}
