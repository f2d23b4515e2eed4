import {
  type AgentDefinition,
  CodebuffRun,
  type CodebuffRunOptions,
  type RunState,
} from "agentwire/codebuff-run";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { printedTree, treeOf } from "../../src/codebuff-run/state/file-tree.ts";
import { failureOf } from "../helpers/turns.ts";
import { AGENT, agentWith, json, runWorld, textIn } from "./world.ts";

// What `{CODEBUFF_...}` in the prompts of an agent stands for.

const PLACEHOLDERS = [
  "AGENT_NAME",
  "FILE_TREE_PROMPT_SMALL",
  "FILE_TREE_PROMPT",
  "FILE_TREE_PROMPT_LARGE",
  "GIT_CHANGES_PROMPT",
  "INITIAL_AGENT_PROMPT",
  "KNOWLEDGE_FILES_CONTENTS",
  "PROJECT_ROOT",
  "REMAINING_STEPS",
  "SYSTEM_INFO_PROMPT",
  "USER_CWD",
  "USER_INPUT_PROMPT",
];
const written = (name: string) => `{CODEBUFF_${name}}`;

/** What the model gets as its system prompt. */
async function filled(systemPrompt: string, options: CodebuffRunOptions = {}, previousRun?: object) {
  await using at = await runWorld({}, { agent: { ...AGENT, systemPrompt: `<${systemPrompt}>` }, ...options });
  const given = previousRun === undefined ? {} : { previousRun: previousRun as RunState };
  const { state } = await at.client.prompt('say "hi"\nnow', given).result;
  const [system] = at.chats()[0]?.messages ?? [];
  expect(state.sessionState?.mainAgentState).toMatchObject({ systemPrompt: system?.content });
  return String(system?.content).slice(1, -1);
}

/** A state that knows a project, as Codebuff's own SDK leaves it. */
const stateWith = (fileContext: object) => ({
  sessionState: { mainAgentState: { messageHistory: [] }, fileContext },
  output: { type: "lastMessage", value: [] },
});

const PROJECT = stateWith({
  projectRoot: "/srv/app",
  cwd: "/srv/app/web",
  fileTree: treeOf(["src/b.ts", "a.md"]),
  knowledgeFiles: { "knowledge.md": " Use tabs.\n", "web/AGENTS.md": "Use $& and $1." },
  userKnowledgeFiles: { "~/.knowledge.md": "Be kind." },
  systemInfo: { platform: "linux", arch: "x64", shell: "bash", homedir: "~" },
  shellConfigFiles: { ".bashrc": "export TOKEN=x" },
  gitChanges: { status: " M a.md", diff: "-old\n+new", diffCached: "", lastCommitMessages: "First" },
});

test.each([
  ["AGENT_NAME", "Tester"],
  ["FILE_TREE_PROMPT", "# Files of the project\n\na.md\nsrc/\n b.ts"],
  ["FILE_TREE_PROMPT_SMALL", "# Files of the project\n\na.md\nsrc/\n b.ts"],
  ["FILE_TREE_PROMPT_LARGE", "# Files of the project\n\na.md\nsrc/\n b.ts"],
  [
    "GIT_CHANGES_PROMPT",
    "# Changes in git\n\n## Status\n\n```\nM a.md\n```\n\n## Not staged\n\n```\n-old\n+new\n```\n\n## Last commits\n\n```\nFirst\n```",
  ],
  ["INITIAL_AGENT_PROMPT", 'say \\"hi\\"\\nnow'],
  [
    "KNOWLEDGE_FILES_CONTENTS",
    "```knowledge.md\nUse tabs.\n```\n\n```web/AGENTS.md\nUse $& and $1.\n```\n\n```~/.knowledge.md\nBe kind.\n```",
  ],
  ["PROJECT_ROOT", "/srv/app"],
  ["REMAINING_STEPS", "100"],
  ["SYSTEM_INFO_PROMPT", "# The user's system\n\nOperating system: linux (x64)\nShell: bash"],
  ["USER_CWD", "/srv/app/web"],
  ["USER_INPUT_PROMPT", 'say \\"hi\\"\\nnow'],
])("the placeholder %s is replaced by the client's data", async (name, value) => {
  expect(await filled(written(name), {}, PROJECT)).toBe(value);
});

test("a placeholder without data is replaced by an empty text", async () => {
  const known = ["AGENT_NAME", "INITIAL_AGENT_PROMPT", "REMAINING_STEPS", "USER_INPUT_PROMPT"];
  const unknown = PLACEHOLDERS.filter((name) => !known.includes(name)).map(written);
  expect(unknown).toHaveLength(8);
  expect(await filled(unknown.join("|"))).toBe("|".repeat(7));
  const odd = {
    fileTree: [7, { name: 7 }],
    knowledgeFiles: { a: 1 },
    systemInfo: "x",
    gitChanges: null,
    cwd: 7,
  };
  expect(await filled(unknown.join("|"), {}, stateWith(odd))).toBe("|".repeat(7));
});

test("other words in braces stay", async () => {
  const others =
    "{CODEBUFF_OTHER} {CODEBUFF_} {codebuff_agent_name} {AGENT_NAME} CODEBUFF_AGENT_NAME {CODEBUFF_toString}";
  expect(await filled(others)).toBe(others);
});

test("all prompts of an agent are filled in; only the step prompt counts the steps down", async () => {
  const agent: AgentDefinition = {
    ...agentWith("glob"),
    systemPrompt: "S {CODEBUFF_REMAINING_STEPS}",
    instructionsPrompt: "I {CODEBUFF_AGENT_NAME} {CODEBUFF_USER_INPUT_PROMPT}",
    stepPrompt: "{CODEBUFF_REMAINING_STEPS} left",
  };
  const answer = [{ toolCalls: [{ name: "glob", arguments: { pattern: "*" } }] }, "Done."];
  await using at = await runWorld({ answer }, { agent, overrideTools: { glob: () => json([]) } });
  await at.client.prompt("go {CODEBUFF_AGENT_NAME}", { maxAgentSteps: 7 }).result;
  const seen = at.chats().map(({ messages }) => messages.map(textIn));
  expect(seen.map((texts) => [texts[0], texts[2], texts.at(-1)])).toEqual([
    ["S 7", "I Tester go {CODEBUFF_AGENT_NAME}", "<system_reminder>7 left</system_reminder>"],
    ["S 7", "I Tester go {CODEBUFF_AGENT_NAME}", "<system_reminder>6 left</system_reminder>"],
  ]);
  expect(seen[0]?.[1]).toBe("<user_message>go {CODEBUFF_AGENT_NAME}</user_message>"); // the user's words stay
  const [count] = at.backend.requests({ endpoint: "token-count" });
  expect(count?.body).toMatchObject({ system: "S 7" });
});

test("a placeholder inside a project's own text is not filled in", async () => {
  const knowledgeFiles = { "AGENTS.md": "{CODEBUFF_PROJECT_ROOT} {CODEBUFF_AGENT_NAME}" };
  const projectFiles = { "{CODEBUFF_AGENT_NAME}.ts": "" };
  const prompt = "{CODEBUFF_KNOWLEDGE_FILES_CONTENTS}{CODEBUFF_FILE_TREE_PROMPT}";
  expect(await filled(prompt, { knowledgeFiles, projectFiles })).toBe(
    "```AGENTS.md\n{CODEBUFF_PROJECT_ROOT} {CODEBUFF_AGENT_NAME}\n```# Files of the project\n\n{CODEBUFF_AGENT_NAME}.ts",
  );
});

describe("knowledge files", () => {
  const knowledge = written("KNOWLEDGE_FILES_CONTENTS");

  test("at the root of `projectFiles` match in any letter case; `knowledgeFiles` override them", async () => {
    const projectFiles = { "agents.md": "A", "Knowledge.md": "K", "web/AGENTS.md": "W", "CLAUDE.md": "old" };
    expect(
      await filled(knowledge, { projectFiles, knowledgeFiles: { "CLAUDE.md": "C", "style.md": "S" } }),
    ).toBe("```agents.md\nA\n```\n\n```Knowledge.md\nK\n```\n\n```CLAUDE.md\nC\n```\n\n```style.md\nS\n```");
  });

  test("cannot close their code block", async () => {
    const text = "```sh\nls\n```\n````\nand on";
    expect(await filled(knowledge, { knowledgeFiles: { "a\n```\nb.md": text } })).toBe(
      `\`\`\`\`\`a?\`\`\`?b.md\n${text}\n\`\`\`\`\``,
    );
  });
});

describe("the file tree", () => {
  test.each([
    ["FILE_TREE_PROMPT_SMALL", 10_000],
    ["FILE_TREE_PROMPT", 40_000],
    ["FILE_TREE_PROMPT_LARGE", 760_000],
  ])("%s stays within its budget and omits the deepest entries first", async (name, budget) => {
    const paths = Array.from({ length: budget / 12 }, (_, at) => `pkg${at % 50}/src/deep/file-${at}.ts`);
    const tree = await filled(written(name), {
      projectFiles: Object.fromEntries(paths.map((path) => [path, ""])),
    });
    expect(tree.length).toBeLessThanOrEqual(budget);
    expect(tree.length).toBeGreaterThan(budget * 0.8);
    for (let at = 0; at < 50; at++) expect(tree).toContain(`\npkg${at}/\n src/\n`);
    expect(tree).toMatch(/^ {3}\(\d+ more\)$/m);
  });

  test("stays within any budget and states how many entries are omitted", () => {
    const name = fc.string({ minLength: 1, maxLength: 8 });
    const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => names.join("/"));
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 40 }), fc.nat(400), (paths, budget) => {
        const tree = treeOf(paths);
        const whole = printedTree(tree, 1_000_000);
        expect(whole).not.toContain(" more)");
        const printed = printedTree(tree, budget);
        expect(printed.length).toBeLessThanOrEqual(Math.max(budget, 20));
        if (printed !== whole) expect(printed).toMatch(/\(\d+ more\)/);
      }),
    );
  });

  test("with a million levels, from a foreign state, is printed", () => {
    let tree: object[] = [];
    for (let depth = 0; depth < 1_000_000; depth++) tree = [{ name: "d", type: "directory", children: tree }];
    expect(printedTree(tree, 10_000)).toMatch(/\(1 more\)/);
  });

  test("prints a file name with line breaks as one name", () => {
    expect(printedTree([{ name: "a\nb\u0085", type: "file" }], 1_000)).toBe("a?b?");
  });
});

test("a sub-agent's placeholders stand for its own name and prompt", async () => {
  const lead = { ...agentWith("spawn_agents"), id: "lead", displayName: "Lead", spawnableAgents: ["reader"] };
  const instructionsPrompt =
    "{CODEBUFF_AGENT_NAME}: {CODEBUFF_INITIAL_AGENT_PROMPT}, {CODEBUFF_USER_INPUT_PROMPT}";
  const reader = { ...AGENT, id: "reader", displayName: "Reader", instructionsPrompt };
  const call = { name: "reader", arguments: { prompt: "read it" } };
  const answer = [{ match: { agentId: "reader" }, text: "It says: x." }, { toolCalls: [call] }, "Done."];
  await using at = await runWorld({ answer }, { agent: lead, agentDefinitions: [reader] });
  await at.client.prompt("go").result;
  expect(at.chats()[1]?.messages.map(textIn)).toContain("Reader: read it, read it");
});

test("a prompt whose placeholders take more than 16 MiB fails the run", async () => {
  const knowledgeFiles = { "AGENTS.md": "x".repeat(1_048_576) };
  const agent = { ...AGENT, systemPrompt: written("KNOWLEDGE_FILES_CONTENTS").repeat(16) };
  await using at = await runWorld({}, { agent, knowledgeFiles });
  expect(await failureOf(at.client.prompt("hi"))).toMatchObject({ kind: "invalid_agent" });
  expect(at.chats()).toEqual([]);
});

test("without a backend placeholders are filled in too", async () => {
  const seen: unknown[] = [];
  const client = new CodebuffRun({
    agent: { ...AGENT, systemPrompt: "{CODEBUFF_AGENT_NAME}" },
    providers: [
      {
        name: "own",
        supports: () => true,
        async *stream({ messages }) {
          seen.push(messages[0]);
          yield { choices: [{ delta: { content: "Hi." }, finish_reason: "stop" }] };
        },
      },
    ],
  });
  await client.prompt("hi").result;
  await client.close();
  expect(seen).toEqual([{ role: "system", content: "Tester" }]);
});
