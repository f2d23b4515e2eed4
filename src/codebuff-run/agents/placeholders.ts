// Fills the placeholders `{CODEBUFF_...}` in agents' prompts.
import { fieldsOf } from "../../core/checks.ts";
import { CodebuffRunError } from "../errors.ts";
import { MARKED } from "../input.ts";
import type { RunMessage } from "../messages.ts";
import { oneLineName, printedTree } from "../state/file-tree.ts";
import { CHARACTERS_PER_TOKEN } from "../state/history.ts";
import { NO_PROJECT } from "../state/run-state.ts";

export interface PromptFacts {
  readonly agentName: string;
  readonly initialPrompt: string | undefined;
  readonly history: readonly RunMessage[];
  readonly stepsRemaining: number;
  /** The run state's `fileContext`. Another program may have written it. */
  readonly fileContext: Readonly<Record<string, unknown>>;
}

/** Characters that placeholders may add to one prompt. The largest file tree has 760,000. */
const MAX_FILLED = 16 * 1_048_576;

/** Characters of each part of the git changes. */
const MAX_CHANGES = 30_000;
const MAX_SHORT_CHANGES = 3_000;

const VALUES: ReadonlyMap<string, (facts: PromptFacts) => string> = new Map([
  ["AGENT_NAME", ({ agentName }) => agentName],
  ["FILE_TREE_PROMPT_SMALL", treeOf(2_500)],
  ["FILE_TREE_PROMPT", treeOf(10_000)],
  ["FILE_TREE_PROMPT_LARGE", treeOf(190_000)],
  ["GIT_CHANGES_PROMPT", ({ fileContext }) => changesIn(fieldsOf(fileContext["gitChanges"]))],
  ["INITIAL_AGENT_PROMPT", ({ initialPrompt = "" }) => escaped(initialPrompt)],
  ["KNOWLEDGE_FILES_CONTENTS", ({ fileContext }) => knowledgeIn(fileContext)],
  ["PROJECT_ROOT", ({ fileContext }) => folderIn(fileContext, "projectRoot")],
  ["REMAINING_STEPS", ({ stepsRemaining }) => String(stepsRemaining)],
  ["SYSTEM_INFO_PROMPT", ({ fileContext }) => systemIn(fieldsOf(fileContext["systemInfo"]))],
  ["USER_CWD", ({ fileContext }) => folderIn(fileContext, "cwd")],
  ["USER_INPUT_PROMPT", ({ history }) => escaped(lastPromptIn(history))],
]);

/** Replaces known placeholders in one pass. @throws CodebuffRunError `invalid_agent` for a long result */
export function filledIn(prompt: string, facts: PromptFacts): string {
  let added = 0;
  return prompt.replace(/\{CODEBUFF_([A-Z_]+)\}/g, (placeholder, name: string) => {
    const value = VALUES.get(name)?.(facts) ?? placeholder;
    added += value.length;
    if (added <= MAX_FILLED) return value;
    const message = `the placeholders of a prompt take more than ${MAX_FILLED} characters`;
    throw new CodebuffRunError({ kind: "invalid_agent", message });
  });
}

/** Escapes a text for use between JSON quotes. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function lastPromptIn(history: readonly RunMessage[]): string {
  for (const { role, content } of [...history].reverse()) {
    if (role !== "user") continue;
    for (const part of content) {
      const said = part.type === "text" ? MARKED.exec(part.text)?.[1] : undefined;
      if (said !== undefined) return said;
    }
  }
  return "";
}

/** @param tokens the budget, as an estimate */
function treeOf(tokens: number): (facts: PromptFacts) => string {
  const title = "# Files of the project\n\n";
  return ({ fileContext }) => {
    const tree = printedTree(fileContext["fileTree"], tokens * CHARACTERS_PER_TOKEN - title.length);
    return tree === "" ? "" : `${title}${tree}`;
  };
}

/** The knowledge files of the project, then of the user, each as a fenced block. */
function knowledgeIn(fileContext: PromptFacts["fileContext"]): string {
  return ["knowledgeFiles", "userKnowledgeFiles"]
    .flatMap((name) => Object.entries(fieldsOf(fileContext[name])))
    .flatMap(([path, text]) => (typeof text === "string" ? [fenced(path, text.trim())] : []))
    .join("\n\n");
}

/** The fence is longer than any fence in the text, so the text cannot end the block. */
function fenced(path: string, text: string): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, { length }) => Math.max(most, length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}${oneLineName(path)}\n${text}\n${fence}`;
}

function folderIn(fileContext: PromptFacts["fileContext"], name: string): string {
  const folder = textIn(fileContext, name);
  return folder === NO_PROJECT ? "" : folder;
}

function systemIn(info: Readonly<Record<string, unknown>>): string {
  const [platform, arch, shell] = ["platform", "arch", "shell"].map((name) => textIn(info, name));
  const lines = [
    ...(platform ? [`Operating system: ${platform}${arch ? ` (${arch})` : ""}`] : []),
    ...(shell ? [`Shell: ${shell}`] : []),
  ];
  return lines.length === 0 ? "" : ["# The user's system", "", ...lines].join("\n");
}

function changesIn(changes: Readonly<Record<string, unknown>>): string {
  const parts = [
    ["Status", textIn(changes, "status"), MAX_SHORT_CHANGES],
    ["Not staged", textIn(changes, "diff"), MAX_CHANGES],
    ["Staged", textIn(changes, "diffCached"), MAX_CHANGES],
    ["Last commits", textIn(changes, "lastCommitMessages"), MAX_SHORT_CHANGES],
  ] as const;
  const told = parts.filter(([, text]) => text !== "");
  const blocks = told.map(([title, text, max]) => `## ${title}\n\n${fenced("", text.slice(0, max))}`);
  return blocks.length === 0 ? "" : ["# Changes in git", ...blocks].join("\n\n");
}

function textIn(fields: Readonly<Record<string, unknown>>, name: string): string {
  const text = fields[name];
  return typeof text === "string" ? text.trim() : "";
}
