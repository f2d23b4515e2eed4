// Describes a tool call by its name and input: kind, title, files.
import { fieldsOf, isObject } from "../../core/checks.ts";
import type { ToolKind, ToolLocation } from "../events.ts";
import type { ToolFacts } from "./calls.ts";
import { cut } from "./content.ts";

/** What a client knows of a tool: the input fields that describe a call. */
export interface KnownTool {
  readonly kind: ToolKind;
  /** The first word of the title. */
  readonly verb: string;
  /** The field that holds a path, or a list of paths. */
  readonly path?: string;
  /** The field that holds the first line, from 1. */
  readonly line?: string;
  /** The field that the title names. @default the paths */
  readonly subject?: string;
}

const MAX_TITLE = 200;

const MAX_LOCATIONS = 100;

/** The facts about a call, by tool name. Undefined for a tool that is not in the table. */
export function factsOf(
  tools: Readonly<Record<string, KnownTool>>,
  name: string,
  input: unknown,
): ToolFacts | undefined {
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (!tool) return undefined;
  const fields = fieldsOf(input);
  const locations = locationsIn(fields, tool);
  const named = tool.subject === undefined ? undefined : fields[tool.subject];
  const about = typeof named === "string" ? named : locations.map(({ path }) => path).join(", ");
  const [first = "", ...more] = about.split("\n", 2);
  const title = cut(`${tool.verb} ${first}${more.length > 0 ? " ..." : ""}`, MAX_TITLE);
  return {
    tool_kind: tool.kind,
    ...(about === "" ? {} : { title }),
    ...(locations.length === 0 ? {} : { locations }),
  };
}

function locationsIn(
  fields: Readonly<Record<string, unknown>>,
  { path, line }: KnownTool,
): readonly ToolLocation[] {
  const value = path === undefined ? undefined : fields[path];
  const list: readonly unknown[] = Array.isArray(value) ? value.slice(0, MAX_LOCATIONS) : [value];
  return list.flatMap((each) => {
    if (typeof each === "string") return locationOf(each, line === undefined ? undefined : fields[line]);
    return isObject(each) ? locationOf(each["path"], each["offset"]) : [];
  });
}

function locationOf(path: unknown, line: unknown): readonly ToolLocation[] {
  if (typeof path !== "string" || path === "") return [];
  return [typeof line === "number" && Number.isSafeInteger(line) ? { path, line } : { path }];
}
