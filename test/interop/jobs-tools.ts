import { ALWAYS, calls, LISTED, LS, type SideBySide, says, testerWith, usage, WEATHER } from "./job.ts";

/** Calls of tools. */
export const TOOL_JOBS: readonly SideBySide[] = [
  {
    name: "a tool of the user",
    scenario: { prompts: ["weather?"], agents: testerWith("get_weather"), tools: ["get_weather"] },
    server: () => ({ answer: [{ text: "I will ask.", toolCalls: [WEATHER], usage }, says("Mild.")] }),
    differences: [...ALWAYS, "custom-tool-defaults"],
    sdk: {
      calls:
        "me; START tester; count; chat; step 1: 5 credits; count; chat; step 2: 5 credits; count; FINISH completed: 3 steps, 10 of 10 credits",
      items:
        'start at 0; "I will ask."; text "I will ask."; call get_weather; result get_weather; "Mild."; text "Mild."; finish: 10 credits',
      ends: 'lastMessage: assistant "Mild."',
    },
  },
  {
    name: "an override of a tool",
    scenario: {
      prompts: ["list"],
      agents: testerWith("run_terminal_command"),
      overrides: { run_terminal_command: [LISTED] },
    },
    server: () => ({ answer: [calls(LS), says("One file.")] }),
    differences: ALWAYS,
    sdk: {
      calls:
        "me; START tester; count; chat; step 1: 5 credits; count; chat; step 2: 5 credits; count; FINISH completed: 3 steps, 10 of 10 credits",
      items:
        'start at 0; call run_terminal_command; result run_terminal_command; "One file."; text "One file."; finish: 10 credits',
      ends: 'lastMessage: assistant "One file."',
    },
  },
  {
    name: "bad calls beside a good one",
    scenario: { prompts: ["try"], agents: testerWith("get_weather"), tools: ["get_weather"] },
    server: () => ({
      answer: [
        calls(
          { name: "no_such_tool" },
          WEATHER,
          { name: "get_weather", arguments: { city: 7 } },
          { name: "get_weather", rawArguments: '{"city":' },
        ),
        says("Sorry."),
      ],
    }),
    differences: [
      ...ALWAYS,
      "custom-tool-defaults",
      "notes-in-one-message",
      "words-of-notes",
      "words-of-issues",
    ],
    sdk: {
      calls:
        "me; START tester; count; chat; step 1: 5 credits; count; chat; step 2: 5 credits; count; FINISH completed: 3 steps, 10 of 10 credits",
      items:
        'start at 0; error: Tool `no_such_tool` is not currently available. Make sure to only use tools listed in the system instructions.; call get_weather; error: Invalid parameters for get_weather: [; error: Invalid parameters for get_weather: [; result get_weather; "Sorry."; text "Sorry."; finish: 10 credits',
      ends: 'lastMessage: assistant "Sorry."',
    },
  },
  {
    name: "todos",
    scenario: { prompts: ["go"] },
    server: () => ({
      answer: [
        calls({ name: "write_todos", arguments: { todos: [{ task: "t", completed: true }] } }),
        says("Done."),
      ],
    }),
    differences: ALWAYS,
    sdk: {
      calls:
        "me; START tester; count; chat; step 1: 5 credits; count; chat; step 2: 5 credits; count; FINISH completed: 3 steps, 10 of 10 credits",
      items: 'start at 0; call write_todos; result write_todos; "Done."; text "Done."; finish: 10 credits',
      ends: 'lastMessage: assistant "Done."',
    },
  },
  {
    name: "a tool that needs no look at its result",
    scenario: { prompts: ["go"] },
    server: () => ({
      answer: [calls({ name: "think_deeply", arguments: { thought: "hm" } }), says("Late.")],
    }),
    differences: ALWAYS,
    sdk: {
      calls:
        "me; START tester; count; chat; step 1: 5 credits; count; FINISH completed: 2 steps, 5 of 5 credits",
      items: "start at 0; call think_deeply; result think_deeply; finish: 5 credits",
      ends: 'lastMessage: assistant think_deeply, tool {"message":"Thought logged."}',
    },
  },
  {
    name: "a tool of the user with endsAgentStep: false",
    scenario: { prompts: ["go"], agents: testerWith("note_down"), tools: ["note_down"] },
    server: () => ({ answer: [calls({ name: "note_down", arguments: { text: "x" } }), says("Late.")] }),
    differences: ALWAYS,
    sdk: {
      calls:
        "me; START tester; count; chat; step 1: 5 credits; count; chat; step 2: 5 credits; count; FINISH completed: 3 steps, 10 of 10 credits",
      items: 'start at 0; call note_down; result note_down; "Late."; text "Late."; finish: 10 credits',
      ends: 'lastMessage: assistant "Late."',
    },
  },
  {
    name: "a tool of the user that the agent does not name",
    scenario: { prompts: ["weather?"], tools: ["get_weather"] },
    server: () => ({ answer: [says("Mild.")] }),
    differences: [...ALWAYS, "custom-tools-offered"],
    sdk: {
      calls:
        "me; START tester; count; chat; step 1: 5 credits; count; FINISH completed: 2 steps, 5 of 5 credits",
      items: 'start at 0; "Mild."; text "Mild."; finish: 5 credits',
      ends: 'lastMessage: assistant "Mild."',
    },
  },
  {
    name: "a result of several parts",
    scenario: { prompts: ["go"], agents: testerWith("get_pictures"), tools: ["get_pictures"] },
    server: () => ({ answer: [calls({ name: "get_pictures" }), says("Nice.")] }),
    differences: [...ALWAYS, "several-parts"],
    sdk: {
      calls:
        "me; START tester; count; chat; step 1: 5 credits; count; chat; step 2: 5 credits; count; FINISH completed: 3 steps, 10 of 10 credits",
      items: 'start at 0; call get_pictures; result get_pictures; "Nice."; text "Nice."; finish: 10 credits',
      ends: 'lastMessage: assistant "Nice."',
    },
  },
  {
    name: "a tool of the user that throws",
    scenario: { prompts: ["go"], agents: testerWith("break_down"), tools: ["break_down"] },
    server: () => ({ answer: [calls({ name: "break_down" }), says("Oh.")] }),
    differences: [...ALWAYS, "tool-throws"],
    sdk: {
      calls: "me; START tester; count; chat; FINISH failed: 1 steps, 5 of 5 credits",
      items: "start at 0; call break_down; finish: 5 credits",
      ends: "error: Agent run error: kaboom",
    },
    own: {
      calls:
        "me; START tester; count; chat; step 1: 5 credits; count; chat; step 2: 5 credits; count; FINISH completed: 3 steps, 10 of 10 credits",
      items: 'start at 0; call break_down; result break_down; "Oh."; text "Oh."; finish: 10 credits',
      ends: 'lastMessage: assistant "Oh."',
    },
  },
  {
    name: "end_turn before another tool",
    scenario: { prompts: ["go"], agents: testerWith("get_weather"), tools: ["get_weather"] },
    server: () => ({ answer: [{ text: "Bye.", toolCalls: [{ name: "end_turn" }, WEATHER], usage }] }),
    differences: [...ALWAYS, "custom-tool-defaults"],
    sdk: {
      calls:
        "me; START tester; count; chat; step 1: 5 credits; count; FINISH completed: 2 steps, 5 of 5 credits",
      items:
        'start at 0; "Bye."; text "Bye."; call end_turn; call get_weather; result end_turn; result get_weather; finish: 5 credits',
      ends: 'lastMessage: assistant "Bye.", assistant end_turn, assistant get_weather, tool {"message":"Turn ended."}, tool {"city":"Oslo","degrees":21}',
    },
  },
];
