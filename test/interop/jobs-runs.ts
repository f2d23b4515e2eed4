import {
  ALWAYS,
  ALWAYS_BARE,
  calls,
  LISTED,
  LS,
  type SideBySide,
  says,
  testerWith,
  usage,
  WEATHER,
} from "./job.ts";
import { tester } from "./scenario.ts";

const NUMBER = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };

/** Answers, ends, and runs that go on from each other. */
export const RUN_JOBS: readonly SideBySide[] = [
  {
    name: "text with reasoning",
    scenario: { prompts: ["say hello"] },
    server: () => ({ answer: [{ reasoning: ["think ", "more"], text: ["Hel", "lo"], usage }] }),
    differences: [...ALWAYS, "reasoning-agent", "reasoning-kept"],
    sdk: {
      calls:
        "me; START tester; count; chat; step 1: 5 credits; count; FINISH completed: 2 steps, 5 of 5 credits",
      items: 'start at 0; reasoning "think "; reasoning "more"; "Hel"; "lo"; text "Hello"; finish: 5 credits',
      ends: 'lastMessage: assistant "Hello"',
    },
  },
  {
    name: "two runs, the second of which goes on from the first",
    scenario: { prompts: ["one", "two"], agents: testerWith("get_weather"), tools: ["get_weather"] },
    server: () => ({ answer: [calls(WEATHER), says("Mild.")] }),
    differences: [...ALWAYS, "custom-tool-defaults"],
    sdk: {
      calls:
        "me; START tester; count; chat; step 1: 5 credits; count; chat; step 2: 5 credits; count; FINISH completed: 3 steps, 10 of 10 credits; START tester; count; chat; step 1: 5 credits; count; chat; step 2: 5 credits; count; FINISH completed: 3 steps, 10 of 10 credits",
      items:
        'start at 0; call get_weather; result get_weather; "Mild."; text "Mild."; finish: 10 credits; start at 5; call get_weather; result get_weather; "Mild."; text "Mild."; finish: 10 credits',
      ends: 'lastMessage: assistant "Mild."; lastMessage: assistant "Mild."',
    },
  },
  {
    name: "a cancel in the middle of an answer",
    scenario: { prompts: ["count"], cancel: "at the first text" },
    server: () => ({ answer: [{ text: ["one ", "two ", "three"], gapMs: 30, usage }] }),
    differences: [...ALWAYS, "words-of-notes"],
    sdk: {
      calls: "me; START tester; count; chat; FINISH cancelled: 1 steps, 0 of 0 credits",
      items: 'start at 0; "one "',
      ends: "error: Run cancelled by user",
    },
  },
  {
    name: "a cancel before the start",
    scenario: { prompts: ["count"], cancel: "before the start" },
    differences: ["cancel-rejects"],
    sdk: { calls: "", items: "", ends: "error: This operation was aborted" },
    own: {
      calls: "",
      items: "",
      ends: "",
    },
  },
  {
    name: "the limit of steps",
    scenario: {
      prompts: ["go on"],
      maxAgentSteps: 2,
      agents: testerWith("run_terminal_command"),
      overrides: { run_terminal_command: [LISTED, LISTED, LISTED] },
    },
    server: () => ({ answer: [calls(LS), calls(LS), calls(LS)] }),
    differences: [...ALWAYS, "step-limit"],
    sdk: {
      calls:
        "me; START tester; count; chat; step 1: 5 credits; count; chat; step 2: 5 credits; count; step 3: 0 credits; count; FINISH completed: 4 steps, 10 of 10 credits",
      items:
        "start at 0; call run_terminal_command; result run_terminal_command; call run_terminal_command; result run_terminal_command; \"I've made quite a few responses in a row. Let me pause here to make sure we're still on the right track. Please let me know if you'd like me to continue or if you'd like to guide me in a different direction.\\n\\n\"; finish: 10 credits",
      ends: 'lastMessage: assistant run_terminal_command, tool {"command":"ls","stdout":"a.txt\\n","exitCode":0}',
    },
    own: {
      calls:
        "me; START tester; count; chat; step 1: 5 credits; count; chat; step 2: 5 credits; count; FINISH completed: 4 steps, 10 of 10 credits",
      items:
        "start at 0; call run_terminal_command; result run_terminal_command; call run_terminal_command; result run_terminal_command; error: Step limit of 2 reached; finish: 10 credits",
      ends: 'lastMessage: assistant run_terminal_command, tool {"command":"ls","stdout":"a.txt\\n","exitCode":0}',
    },
  },
  {
    name: "an answer of thoughts alone",
    scenario: { prompts: ["go"] },
    server: () => ({ answer: [says("<think>hm</think>"), says("Now.")] }),
    differences: ALWAYS,
    sdk: {
      calls:
        "me; START tester; count; chat; step 1: 5 credits; count; chat; step 2: 5 credits; count; FINISH completed: 3 steps, 10 of 10 credits",
      items:
        'start at 0; "<think>hm</think>"; text "<think>hm</think>"; "Now."; text "Now."; finish: 10 credits',
      ends: 'lastMessage: assistant "<think>hm</think>", assistant "Now."',
    },
  },
  {
    name: "an agent that must say task_completed",
    scenario: { prompts: ["go"], agents: [tester({ toolNames: ["task_completed"] })] },
    server: () => ({
      answer: [says("Half."), { text: "Whole.", toolCalls: [{ name: "task_completed" }], usage }],
    }),
    differences: ALWAYS,
    sdk: {
      calls:
        "me; START tester; count; chat; step 1: 5 credits; count; chat; step 2: 5 credits; count; FINISH completed: 3 steps, 10 of 10 credits",
      items:
        'start at 0; "Half."; text "Half."; "Whole."; text "Whole."; call task_completed; result task_completed; finish: 10 credits',
      ends: 'lastMessage: assistant "Half.", assistant "Whole.", assistant task_completed, tool {"message":"Task completed."}',
    },
  },
  {
    name: "an output that must fit a schema",
    scenario: {
      prompts: ["go"],
      agents: [tester({ toolNames: ["set_output"], outputMode: "structured_output", outputSchema: NUMBER })],
    },
    server: () => ({
      answer: [
        says("Nothing."),
        calls({ name: "set_output", arguments: { n: "one" } }),
        calls({ name: "set_output", arguments: { n: 1 } }),
      ],
    }),
    differences: [...ALWAYS, "words-of-schema", "words-of-notes", "count-before-note", "refused-output"],
    sdk: {
      calls:
        "me; START tester; count; chat; step 1: 5 credits; count; chat; step 2: 5 credits; count; FINISH completed: 3 steps, 10 of 10 credits",
      items:
        'start at 0; "Nothing."; text "Nothing."; call set_output; result set_output; finish: 10 credits',
      ends: "structuredOutput: null",
    },
  },
  {
    name: "all messages as the output",
    scenario: { prompts: ["go"], agents: [tester({ outputMode: "all_messages" })] },
    server: () => ({ answer: [says("Hi.")] }),
    differences: [...ALWAYS, "first-of-all-messages"],
    sdk: {
      calls:
        "me; START tester; count; chat; step 1: 5 credits; count; FINISH completed: 2 steps, 5 of 5 credits",
      items: 'start at 0; "Hi."; text "Hi."; finish: 5 credits',
      ends: 'allMessages: user "Be brief.", assistant "Hi."',
    },
  },
  {
    name: "a step prompt, and options for the provider",
    scenario: {
      prompts: ["go"],
      costMode: "max",
      agents: [
        tester({
          stepPrompt: "Step.",
          toolNames: [],
          providerOptions: { order: ["a"] },
          reasoningOptions: { enabled: true, effort: "low" },
        }),
      ],
    },
    server: () => ({ answer: [says("Hi.")] }),
    differences: [...ALWAYS_BARE, "step-prompt-counted"],
    sdk: {
      calls:
        "me; START tester; count; chat; step 1: 5 credits; count; FINISH completed: 2 steps, 5 of 5 credits",
      items: 'start at 0; "Hi."; text "Hi."; finish: 5 credits',
      ends: 'lastMessage: assistant "Hi."',
    },
  },
  {
    name: "an empty answer in the second run",
    scenario: { prompts: ["one", "two"] },
    server: () => ({ answer: ({ request }) => (request.messages.length > 3 ? {} : "Hi.") }),
    differences: [...ALWAYS, "empty-answer"],
    sdk: {
      calls:
        "me; START tester; count; chat; step 1: 0 credits; count; FINISH completed: 2 steps, 0 of 0 credits; START tester; count; chat; step 1: 0 credits; count; FINISH completed: 2 steps, 0 of 0 credits",
      items: 'start at 0; "Hi."; text "Hi."; finish: 0 credits; start at 3; finish: 0 credits',
      ends: 'lastMessage: assistant "Hi."; lastMessage: assistant "Hi."',
    },
    own: {
      calls:
        "me; START tester; count; chat; step 1: 0 credits; count; FINISH completed: 2 steps, 0 of 0 credits; START tester; count; chat; step 1: 0 credits; FINISH failed: 2 steps, 0 of 0 credits",
      items: 'start at 0; "Hi."; text "Hi."; finish: 0 credits; start at 3; finish: 0 credits',
      ends: 'lastMessage: assistant "Hi."; rejected: No response from agent; error: No response from agent',
    },
  },
  {
    name: "a refusal of the provider in the second step",
    scenario: { prompts: ["weather?"], agents: testerWith("get_weather"), tools: ["get_weather"] },
    server: () => ({ answer: [calls(WEATHER), { refused: {} }] }),
    differences: [...ALWAYS, "custom-tool-defaults", "finish-error", "failure-note"],
    sdk: {
      calls:
        "me; START tester; count; chat; step 1: 5 credits; count; chat; FINISH failed: 2 steps, 5 of 5 credits",
      items: "start at 0; call get_weather; result get_weather; finish: 5 credits",
      ends: "error: Agent run error: Provider returned error",
    },
    own: {
      calls:
        "me; START tester; count; chat; step 1: 5 credits; count; chat; FINISH failed: 2 steps, 5 of 5 credits",
      items: "start at 0; call get_weather; result get_weather; finish: 5 credits",
      ends: "rejected: Provider returned error; error: Provider returned error",
    },
  },
];
