import type { RunState } from "agentwire/codebuff-run";
import { treeOf } from "../../src/codebuff-run/state/file-tree.ts";
import { ALWAYS, calls, type SideBySide, says } from "./job.ts";
import { type ScenarioAgent, tester } from "./scenario.ts";

/** Prompts of agents, and what the clients make of them. */

/** What a run of the original client has known of a project. */
const PROJECT = {
  projectRoot: "/srv/app",
  cwd: "/srv/app/web",
  fileTree: treeOf(["src/b.ts", "a.md"]),
  fileTokenScores: {},
  tokenCallers: {},
  knowledgeFiles: {
    "knowledge.md": " Use tabs in {CODEBUFF_USER_CWD}.\n",
    "AGENTS.md": "```sh\nnpm test\n```",
    "web/AGENTS.md": "Use React.",
  },
  userKnowledgeFiles: { "~/.knowledge.md": "Be kind." },
  agentTemplates: {},
  customToolDefinitions: {},
  skills: {},
  gitChanges: { status: " M a.md", diff: "+new", diffCached: "", lastCommitMessages: "First" },
  changesSinceLastChat: {},
  shellConfigFiles: { ".bashrc": "alias l=ls" },
  systemInfo: {
    platform: "linux",
    shell: "bash",
    nodeVersion: "v22",
    arch: "x64",
    homedir: "~",
    cpus: 1,
  },
};

/** A state that knows the project and one prompt. */
const BEFORE = {
  sessionState: {
    mainAgentState: {
      agentId: "main-agent",
      agentType: "tester",
      messageHistory: [
        { role: "user", content: [{ type: "text", text: "<user_message>before</user_message>" }], sentAt: 1 },
      ],
      stepsRemaining: 50,
      creditsUsed: 0,
      directCreditsUsed: 0,
      ancestorRunIds: [],
      childRunIds: [],
      subagents: [],
      agentContext: {},
      systemPrompt: "",
      toolDefinitions: {},
    },
    fileContext: PROJECT,
  },
  output: { type: "lastMessage", value: [] },
} as RunState;

const written = (...names: readonly string[]) => names.map((name) => `{CODEBUFF_${name}}`).join("|");

/** An agent with every placeholder. Tags stand around what the clients say in words of their own. */
const FILLED = tester({
  systemPrompt: [
    written("AGENT_NAME", "PROJECT_ROOT", "USER_CWD", "REMAINING_STEPS", "KNOWLEDGE_FILES_CONTENTS"),
    `<words>${written("FILE_TREE_PROMPT_SMALL", "FILE_TREE_PROMPT", "FILE_TREE_PROMPT_LARGE")}</words>`,
    `<words>${written("SYSTEM_INFO_PROMPT", "GIT_CHANGES_PROMPT")}</words>`,
    written("OTHER"),
  ].join("\n"),
  instructionsPrompt: ` last: ${written("USER_INPUT_PROMPT")}; initial: ${written("INITIAL_AGENT_PROMPT")}; `,
  stepPrompt: `${written("REMAINING_STEPS")} left, last: ${written("USER_INPUT_PROMPT")};`,
});

/** As no agent of the original client's own types has it. */
const DELEGATES = (more: object, prompt: string): Pick<SideBySide, "scenario" | "server"> => ({
  scenario: {
    prompts: ["go"],
    agents: [
      tester({ toolNames: ["spawn_agents"], spawnableAgents: ["finder"] }),
      {
        ...tester({ toolNames: [], instructionsPrompt: "Look." }),
        id: "finder",
        displayName: "Finder",
        ...more,
      } as ScenarioAgent,
    ],
  },
  server: () => ({
    answer: ({ agentId }) =>
      agentId === "tester"
        ? [
            calls({ name: "spawn_agents", arguments: { agents: [{ agent_type: "finder", prompt }] } }),
            says("Done."),
          ]
        : says("Found."),
  }),
});

const DELEGATED = {
  calls:
    "me; START finder; count; chat; step 1: 5 credits; count; FINISH completed: 2 steps, 5 of 5 credits; START tester; count; chat; step 1: 5 credits; count; chat; step 2: 5 credits; count; FINISH completed: 3 steps, 10 of 15 credits",
  items:
    'start at 0; call spawn_agents; result spawn_agents; "Done."; text "Done."; finish: 15 credits; subagent_start finder; "Found." of subagent-1; text "Found." of subagent-1; subagent_finish finder',
  ends: 'lastMessage: assistant "Done."',
};

const ONE_STEP = {
  calls: "me; START tester; count; chat; step 1: 5 credits; count; FINISH completed: 2 steps, 5 of 5 credits",
  items: 'start at 0; "Hi."; text "Hi."; finish: 5 credits',
  ends: 'lastMessage: assistant "Hi."',
};

export const PROMPT_JOBS: readonly SideBySide[] = [
  {
    name: "placeholders of a project that an earlier run has known",
    scenario: { prompts: ["now"], agents: [FILLED], previousRun: BEFORE },
    server: () => ({ answer: [says("Hi.")] }),
    differences: [
      ...ALWAYS,
      "step-prompt-counted",
      "words-of-project",
      "knowledge-of-folders",
      "fences",
      "project-text-filled",
      "last-prompt",
      "initial-prompt",
    ],
    sdk: { ...ONE_STEP, items: ONE_STEP.items.replace("start at 0", "start at 1") },
  },
  {
    name: "placeholders of a project on the disk",
    scenario: {
      prompts: ["now"],
      agents: [
        tester({
          systemPrompt: `<known>${written("PROJECT_ROOT", "USER_CWD", "KNOWLEDGE_FILES_CONTENTS", "FILE_TREE_PROMPT")}</known>`,
        }),
      ],
      files: { "AGENTS.md": "Use tabs." },
    },
    server: () => ({ answer: [says("Hi.")] }),
    differences: [...ALWAYS, "project-on-disk"],
    sdk: ONE_STEP,
  },
  {
    name: "a prompt that is a command of the command line",
    scenario: { prompts: ["/init"] },
    server: () => ({ answer: [says("Hi.")] }),
    differences: [...ALWAYS, "commands-as-prompts"],
    sdk: ONE_STEP,
  },
  {
    name: "a sub-agent that includes the history of its parent",
    ...DELEGATES({ systemPrompt: "You find.", includeMessageHistory: true }, "find it"),
    differences: [
      ...ALWAYS,
      "length-of-agent-types",
      "list-of-agents",
      "prompt-of-agent-tools",
      "history-of-parent",
    ],
    sdk: DELEGATED,
  },
  {
    name: "a sub-agent that inherits the system prompt of its parent",
    ...DELEGATES({ systemPrompt: undefined, inheritParentSystemPrompt: true }, "find it"),
    differences: [
      ...ALWAYS,
      "length-of-agent-types",
      "list-of-agents",
      "prompt-of-agent-tools",
      "prompt-of-parent",
    ],
    // The account takes the counts of the sub-agent for those of its parent: they have one system prompt.
    sdk: {
      ...DELEGATED,
      calls:
        "me; START finder; chat; step 1: 5 credits; FINISH completed: 2 steps, 5 of 5 credits; START tester; count; chat; count; count; step 1: 5 credits; count; chat; step 2: 5 credits; count; FINISH completed: 3 steps, 10 of 15 credits",
    },
  },
];
