// Pure: an agent's form or link as a question, and the user's answer as the agent wants it.
import { fieldsOf, isObject } from "../core/checks.ts";
import type { Answers, QuestionItem } from "../core/values.ts";
import { readList, textOr } from "./blocks.ts";

/** An answer to an elicitation. */
export type ElicitationAnswer =
  | { readonly action: "accept"; readonly content?: Readonly<Record<string, unknown>> }
  | { readonly action: "decline" | "cancel" };

/** A form as questions. `answer` turns the user's labels and textFields into the form's values. */
interface AskedForm {
  readonly items: readonly QuestionItem[];
  answer(answers: NonNullable<Answers>): ElicitationAnswer;
}

interface Field {
  readonly name: string;
  readonly type: "string" | "number" | "boolean" | "list";
  readonly item: QuestionItem;
  /** The values of the options, by their labels. */
  readonly values: ReadonlyMap<string, unknown>;
  /** The field that takes free text beside the options. */
  readonly custom: string | undefined;
  readonly isRequired: boolean;
}

/** The field of free text beside the options of another field. */
const CUSTOM = "_custom";

const DONE = "Done";

/** Reads a request. Undefined if it asks nothing that can be shown. */
export function readForm(params: unknown): AskedForm | undefined {
  const { mode, message, requestedSchema, url } = fieldsOf(params);
  const words = textOr(message, "The agent asks for an answer.");
  if (mode === "url") return typeof url === "string" ? linkForm(words, url) : undefined;
  const { properties, required } = fieldsOf(requestedSchema);
  const names = Object.keys(fieldsOf(properties));
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  const fields = names
    .filter((name) => !(name.endsWith(CUSTOM) && names.includes(name.slice(0, -CUSTOM.length))))
    .map((name) => {
      const custom = names.includes(`${name}${CUSTOM}`) ? `${name}${CUSTOM}` : undefined;
      return readField(name, fieldsOf(properties)[name], { custom, isRequired: needed.has(name) });
    });
  if (fields.length === 0) return confirmation(words);
  const [only] = fields;
  const asked = fields.map(({ item }) => item);
  const items = only && fields.length === 1 ? [{ ...only.item, question: words }] : asked;
  return {
    items: items.map(withoutEcho),
    answer: (answers) => contentOf(fields, answers),
  };
}

/** A header that says the same as its question is left out. */
function withoutEcho({ header, ...item }: QuestionItem): QuestionItem {
  return header === undefined || header === item.question ? item : { ...item, header };
}

/** The address is shown, and never opened by this library. */
function linkForm(message: string, url: string): AskedForm {
  return {
    items: [{ question: `${message} ${url}`, options: [{ label: DONE }], multiSelect: false }],
    answer: ([given]) => ({ action: given?.includes(DONE) ? "accept" : "decline" }),
  };
}

function confirmation(message: string): AskedForm {
  return {
    items: [{ question: message, options: [{ label: "Yes" }, { label: "No" }], multiSelect: false }],
    answer: ([given]) => (given?.includes("Yes") ? { action: "accept", content: {} } : { action: "decline" }),
  };
}

function readField(name: string, value: unknown, about: Pick<Field, "custom" | "isRequired">): Field {
  const schema = fieldsOf(value);
  const { type, title, description, items } = schema;
  const isList = type === "array";
  const options =
    type === "boolean"
      ? [
          { label: "Yes", value: true },
          { label: "No", value: false },
        ]
      : optionsOf(isList ? fieldsOf(items) : schema);
  const header = textOr(title, name);
  return {
    name,
    ...about,
    type: isList
      ? "list"
      : type === "boolean"
        ? type
        : type === "number" || type === "integer"
          ? "number"
          : "string",
    values: new Map(options.map((option) => [option.label, option.value])),
    item: {
      question: textOr(description, header),
      header,
      options: options.map(({ label, description: more }) =>
        more === undefined ? { label } : { label, description: more },
      ),
      multiSelect: isList,
    },
  };
}

interface FieldOption {
  readonly label: string;
  readonly value: unknown;
  readonly description?: string;
}

function optionsOf({
  oneOf,
  anyOf,
  enum: values,
  enumNames,
}: Readonly<Record<string, unknown>>): readonly FieldOption[] {
  const choices = Array.isArray(oneOf) ? oneOf : anyOf;
  if (Array.isArray(choices))
    return readList(choices, (choice): FieldOption | undefined => {
      if (!isObject(choice) || !("const" in choice)) return undefined;
      const { const: value, title, description } = choice;
      const option = { label: textOr(title, String(value)), value };
      return typeof description === "string" ? { ...option, description } : option;
    });
  if (!Array.isArray(values)) return [];
  const names: readonly unknown[] = Array.isArray(enumNames) ? enumNames : [];
  return values.map((value: unknown, at) => ({ label: textOr(names[at], String(value)), value }));
}

function contentOf(fields: readonly Field[], answers: NonNullable<Answers>): ElicitationAnswer {
  const content: Record<string, unknown> = {};
  for (const [at, field] of fields.entries()) {
    const { name, values, custom, type } = field;
    const given = (answers[at] ?? []).filter((text) => text !== "");
    const chosen = given.filter((label) => values.has(label)).map((label) => values.get(label));
    const free = given.filter((label) => !values.has(label)).join(", ");
    if (chosen.length > 0) content[name] = type === "list" ? chosen : chosen[0];
    if (free === "") continue;
    if (custom !== undefined) content[custom] = free;
    else if (type === "list") content[name] = [...chosen, ...given.filter((label) => !values.has(label))];
    else if (type === "number") {
      if (!Number.isFinite(Number(free))) return { action: "cancel" };
      content[name] = Number(free);
    } else content[name] = free;
  }
  const isShort = fields.some(({ name, custom, isRequired }) => {
    const isGiven = Object.hasOwn(content, name) || (custom !== undefined && Object.hasOwn(content, custom));
    return isRequired && !isGiven;
  });
  return isShort ? { action: "cancel" } : { action: "accept", content };
}
