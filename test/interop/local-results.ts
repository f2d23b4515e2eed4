import type { Played } from "./both.ts";

/** What differs in all results, and is taken out of them before they are compared. */
export const ALWAYS_LOCAL: readonly string[] = ["order-of-searches", "texts-of-ripgrep"];

/** What a tool has returned, in the order of the calls. `<project>` stands for the folder of the project. */
export function resultsIn({ account, cwd = "" }: Played): readonly unknown[] {
  const results = account.items.filter(({ type }) => type === "tool_result");
  return results.map(({ toolName, output }) => {
    const [part] = output as readonly { readonly value: unknown }[];
    const value = JSON.parse(JSON.stringify(part?.value).replaceAll(cwd, "<project>"));
    if (toolName === "code_search") return plainSearch(value);
    return toolName === "read_files" ? value.map(withoutReferences) : value;
  });
}

interface Search {
  readonly stdout?: string;
  readonly stderr?: string;
}

/** The files by name, and the first line of an error: the others are those of some version of ripgrep. */
function plainSearch({ stdout, stderr, ...search }: Search): object {
  return {
    ...search,
    ...(stdout === undefined ? {} : { stdout: stdout.split("\n\n").sort().join("\n\n") }),
    ...(stderr === undefined ? {} : { stderr: stderr.split("\n")[0] }),
  };
}

function withoutReferences({ referencedBy = {}, ...file }: { readonly referencedBy?: object }): object {
  return Object.keys(referencedBy).length === 0 ? file : { ...file, referencedBy };
}
