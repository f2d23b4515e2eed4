import { ALWAYS, ALWAYS_BARE, calls, LISTED, type SideBySide, says, usage } from "./job.ts";
import { type ScenarioAgent, tester } from "./scenario.ts";

const FINDER: ScenarioAgent = {
  id: "finder",
  displayName: "Finder",
  model: "openai/gpt-5-mini",
  systemPrompt: "Find.",
};
const THINKER: ScenarioAgent = {
  id: "thinker",
  displayName: "Thinker",
  model: "openai/gpt-5-mini",
  systemPrompt: "Think.",
};

const NUMBER = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };

const HELPER = {
  id: "helper",
  displayName: "Helper",
  model: "openai/gpt-5-mini",
  systemPrompt: "Help.",
  instructionsPrompt: "",
  stepPrompt: "",
  toolNames: ["end_turn"],
  spawnableAgents: [],
  outputMode: "last_message",
  includeMessageHistory: false,
  inheritParentSystemPrompt: false,
  mcpServers: {},
  inputSchema: {},
};

const NO_STEP =
  '`handleSteps` is wrong: it yielded an object; a step is "STEP", "STEP_ALL", { toolName, input } or { type: "GENERATE_N", n }';

/** Agents that run agents, agents of the registry, and agents with steps in code. */
export const AGENT_JOBS: readonly SideBySide[] = [
  {
    name: "two sub-agents at once",
    scenario: {
      prompts: ["delegate"],
      agents: [
        tester({ toolNames: ["spawn_agents"], spawnableAgents: ["finder", "thinker"] }),
        FINDER,
        THINKER,
      ],
    },
    server: () => ({
      answer: ({ agentId }) => {
        if (agentId !== "tester") return { text: ["I am ", String(agentId)], usage };
        const agents = [
          { agent_type: "finder", prompt: "find it" },
          { agent_type: "thinker", prompt: "think", params: { deep: true } },
        ];
        return [calls({ name: "spawn_agents", arguments: { agents } }), says("Both are done.")];
      },
    }),
    differences: [...ALWAYS, "length-of-agent-types", "list-of-agents", "prompt-of-agent-tools"],
    sdk: {
      calls:
        "me; START finder; count; chat; step 1: 5 credits; count; FINISH completed: 2 steps, 5 of 5 credits; START tester; count; chat; step 1: 5 credits; count; chat; step 2: 5 credits; count; FINISH completed: 3 steps, 10 of 20 credits; START thinker; count; chat; step 1: 5 credits; count; FINISH completed: 2 steps, 5 of 5 credits",
      items:
        'start at 0; call spawn_agents; result spawn_agents; "Both are done."; text "Both are done."; finish: 20 credits; subagent_start finder; "I am " of subagent-1; "finder" of subagent-1; text "I am finder" of subagent-1; subagent_finish finder; subagent_start thinker; "I am " of subagent-2; "thinker" of subagent-2; text "I am thinker" of subagent-2; subagent_finish thinker',
      ends: 'lastMessage: assistant "Both are done."',
    },
  },
  {
    name: "a sub-agent that is called by its own name",
    scenario: {
      prompts: ["delegate"],
      agents: [
        tester({ toolNames: ["spawn_agents"], spawnableAgents: ["finder"] }),
        { ...FINDER, inputSchema: { prompt: { type: "string" } }, spawnerPrompt: "Finds things." },
      ],
    },
    server: () => ({
      answer: ({ agentId }) =>
        agentId === "tester"
          ? [calls({ name: "finder", arguments: { prompt: "find it" } }), says("Done.")]
          : says("Found."),
    }),
    differences: [...ALWAYS, "length-of-agent-types", "list-of-agents"],
    sdk: {
      calls:
        "me; START finder; count; chat; step 1: 5 credits; count; FINISH completed: 2 steps, 5 of 5 credits; START tester; count; chat; step 1: 5 credits; count; chat; step 2: 5 credits; count; FINISH completed: 3 steps, 10 of 15 credits",
      items:
        'start at 0; call spawn_agents; result spawn_agents; "Done."; text "Done."; finish: 15 credits; subagent_start finder; "Found." of subagent-1; text "Found." of subagent-1; subagent_finish finder',
      ends: 'lastMessage: assistant "Done."',
    },
  },
  {
    name: "parameters that do not fit a sub-agent",
    scenario: {
      prompts: ["delegate"],
      agents: [
        tester({ toolNames: ["spawn_agents"], spawnableAgents: ["finder"] }),
        { ...FINDER, inputSchema: { prompt: { type: "string" }, params: NUMBER } },
      ],
    },
    server: () => ({
      answer: [
        calls({
          name: "spawn_agents",
          arguments: { agents: [{ agent_type: "finder", prompt: "find", params: { n: "one" } }] },
        }),
        says("It did not run."),
      ],
    }),
    differences: [...ALWAYS, "length-of-agent-types", "list-of-agents", "refused-agent"],
    sdk: {
      calls:
        "me; START tester; count; chat; step 1: 5 credits; count; chat; step 2: 5 credits; count; FINISH completed: 3 steps, 10 of 10 credits",
      items:
        'start at 0; call spawn_agents; result spawn_agents; "It did not run."; text "It did not run."; finish: 10 credits',
      ends: 'lastMessage: assistant "It did not run."',
    },
  },
  {
    name: "an agent of the registry",
    scenario: { prompts: ["hi"], agent: "acme/helper@1.2.3", agents: [] },
    server: () => ({ agents: { "acme/helper@1.2.3": HELPER }, answer: [says("Hello.")] }),
    differences: ["stop-reason", "truncation-marks", "schema-marks", "registry-type"],
    sdk: {
      calls:
        "me; GET agents/acme/helper/1.2.3; START acme/helper@1.2.3; count; chat; step 1: 5 credits; count; FINISH completed: 2 steps, 5 of 5 credits",
      items: 'start at 0; "Hello."; text "Hello."; finish: 5 credits',
      ends: 'lastMessage: assistant "Hello."',
    },
  },
  {
    name: "the latest agent of the registry",
    scenario: { prompts: ["hi"], agent: "acme/helper", agents: [] },
    server: () => ({ agents: { "acme/helper@1.2.3": HELPER }, answer: [says("Hello.")] }),
    differences: ["stop-reason", "truncation-marks", "schema-marks", "registry-type", "registry-fetches"],
    sdk: {
      calls:
        "me; GET agents/acme/helper/latest; GET agents/acme/helper/latest; GET agents/acme/helper/latest; GET agents/acme/helper/latest; GET agents/acme/helper/latest; GET agents/acme/helper/latest; GET agents/acme/helper/latest; GET agents/acme/helper/latest; START acme/helper@1.2.3; count; chat; step 1: 5 credits; count; FINISH completed: 2 steps, 5 of 5 credits",
      items: 'start at 0; "Hello."; text "Hello."; finish: 5 credits',
      ends: 'lastMessage: assistant "Hello."',
    },
  },
  {
    name: "an agent that nobody knows",
    scenario: { prompts: ["hi"], agent: "nobody" },
    differences: ["stop-reason", "failure-rejects", "finish-always"],
    sdk: {
      calls: "me; GET agents/codebuff/nobody/latest",
      items: "start at 0",
      ends: 'error: Invalid agent ID: "nobody". Available agents: tester',
    },
  },
  {
    name: "a program that speaks for the model",
    scenario: { prompts: ["speak"], agents: [tester({ program: "own words" })] },
    differences: ["stop-reason", "start-model", "truncation-marks", "step-text"],
    sdk: {
      calls: "me; count; START tester; FINISH completed: 1 steps, 0 of 0 credits",
      items: 'start at 0; "I speak, and could log."; finish: 0 credits',
      ends: 'lastMessage: assistant "I speak, and could log."',
    },
    own: {
      calls: "me; START tester; FINISH failed: 1 steps, 0 of 0 credits",
      items: "start at 0; finish: 0 credits",
      ends: `rejected: ${NO_STEP}; error: ${NO_STEP}`,
    },
  },
  {
    name: "a program that asks for three drafts",
    scenario: {
      prompts: ["draft"],
      agents: [tester({ program: "drafts", toolNames: ["set_output"], outputMode: "structured_output" })],
    },
    server: () => ({ answer: [{ text: ["a", "b", "c"], usage }] }),
    differences: [...ALWAYS_BARE, "count-before-program", "tools-of-drafts"],
    sdk: {
      calls:
        "me; START tester; count; chat; step 1: 5 credits; count; step 2: 0 credits; FINISH completed: 3 steps, 5 of 5 credits",
      items: "start at 0; call set_output; result set_output; finish: 5 credits",
      ends: 'structuredOutput: {"drafts":["a","b","c"]}',
    },
  },
  {
    name: "a program that calls a tool first",
    scenario: {
      prompts: ["go"],
      agents: [tester({ program: "own call", toolNames: ["end_turn"] })],
      overrides: { run_terminal_command: [LISTED] },
    },
    server: () => ({ answer: [says("Seen.")] }),
    differences: [...ALWAYS, "count-before-program", "defaults-of-program-calls"],
    sdk: {
      calls:
        "me; START tester; count; step 1: 0 credits; chat; step 2: 5 credits; count; FINISH completed: 3 steps, 5 of 5 credits",
      items:
        'start at 0; call run_terminal_command; result run_terminal_command; "Seen."; text "Seen."; finish: 5 credits',
      ends: 'lastMessage: assistant "Seen."',
    },
  },
  {
    name: "a program that works step by step",
    scenario: { prompts: ["go"], agents: [tester({ program: "step by step" })] },
    server: () => ({ answer: [says("One."), says("Two.")] }),
    differences: [...ALWAYS, "count-before-program"],
    sdk: {
      calls:
        "me; START tester; count; chat; step 1: 5 credits; count; step 2: 0 credits; chat; step 3: 5 credits; count; FINISH completed: 4 steps, 10 of 10 credits",
      items:
        'start at 0; "One."; text "One."; call think_deeply; result think_deeply; "Two."; text "Two."; finish: 10 credits',
      ends: 'lastMessage: assistant "Two."',
    },
  },
];
