// `--allow` and `--deny`, as rules of `toolPolicy`.
import type { ToolRule } from "../core/index.ts";
import type { Given } from "./given.ts";

/** What is denied comes first, because the first rule counts. */
export function toolRules(given: Given): readonly ToolRule[] {
  return [
    ...given.list("deny").map((name): ToolRule => ({ tool: toolNamed(name), then: "deny" })),
    ...given.list("allow").map((name): ToolRule => ({ tool: toolNamed(name), then: "allow" })),
  ];
}

/** What the rules say of a tool, for a backend whose client has no rules. */
export function verdictOf(rules: readonly ToolRule[], name: string): ToolRule["then"] | undefined {
  return rules.find(({ tool }) => (typeof tool === "string" ? tool === name : tool.test(name)))?.then;
}

/** `*` stands for any letters. */
function toolNamed(name: string): string | RegExp {
  if (!name.includes("*")) return name;
  const pattern = name
    .split(/\*+/)
    .map((piece) => piece.replace(/[.+?^${}()|[\]\\]/g, "\\$&"))
    .join("[\\s\\S]*");
  return new RegExp(`^${pattern}$`);
}
