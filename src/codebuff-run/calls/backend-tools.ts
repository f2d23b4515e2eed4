// The tools `web_search` and `read_docs`, which the backend runs.
import { fieldsOf } from "../../core/checks.ts";
import type { Shared } from "../agents/shared.ts";
import type { RunBackend } from "../model/backend.ts";
import { failure, json, overrides, type Tool } from "./toolbox.ts";

type Input = Readonly<Record<string, unknown>>;

/** @param spend gets the credits of each search */
export function backendTools(
  backend: RunBackend | undefined,
  { signal }: Pick<Shared, "signal">,
  spend: (credits: number) => void,
): readonly Tool[] {
  if (!backend) return [];
  const search = (route: "web-search" | "docs-search", name: string, bodyOf: (input: Input) => object) =>
    Object.assign(
      async ({ input }: { readonly input: Input }) => {
        const answer = fieldsOf(await backend.search(route, bodyOf(input), signal));
        const { [name]: found, creditsUsed, error } = answer;
        if (typeof creditsUsed === "number" && creditsUsed > 0) spend(creditsUsed);
        if (typeof found === "string") return [json({ [name]: found })];
        return failure(typeof error === "string" ? error : "The server's answer has no result.");
      },
      { readOnly: true },
    );
  return overrides({
    web_search: search("web-search", "result", ({ query, depth }) => ({ query, depth })),
    read_docs: search("docs-search", "documentation", ({ libraryTitle, topic, max_tokens: maxTokens }) => {
      return { libraryTitle, topic, maxTokens };
    }),
  });
}
