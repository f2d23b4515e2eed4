// The states of a chat that `npm run shots` pictures: what the agent does, and what the user does until the state is reached.
import { agentStep, type MockAgentOptions, type MockAgentScript } from "agentwire/testing/agent";

/** The user of a screen, the page or the terminal. Each step rejects if the screen does not come to it. */
export interface SceneUser {
  /** Writes a prompt and sends it. */
  say(prompt: string): Promise<void>;
  /** Adds an image to the next prompt. */
  attach(dataUrl: string): Promise<void>;
  /** Presses a button of the page, by its name, or types keys of the terminal. */
  press(on: { readonly button: string; readonly keys: string }): Promise<void>;
  /** Waits for a text. Its blanks do not count: a narrow screen breaks it. */
  sees(text: string | { readonly page: string; readonly terminal: string }): Promise<void>;
}

export interface Scene {
  readonly name: string;
  /** @default both */
  readonly on?: "page" | "terminal";
  readonly agent: MockAgentOptions;
  readonly play: (user: SceneUser) => Promise<void>;
}

export const EARLIER_CHATS: readonly { readonly id: string; readonly title: string }[] = [
  { id: "cache", title: "Why does the cache grow?" },
  { id: "types", title: "Move the types of the client into one file" },
  { id: "release", title: "Notes for the release" },
];

/** One of the choices of an approval: the terminal shows them a little later than the question. */
const CHOICES = { page: "Allow once", terminal: "y once" };
const PICTURE =
  "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHdpZHRoPSIxNjAiIGhlaWdodD0iOTAiPjxyZWN0IHdpZHRoPSIxNjAiIGhlaWdodD0iOTAiIGZpbGw9InRlYWwiLz48L3N2Zz4=";

const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const MARKDOWN = `# The cache

It has **no limit**: \`set\` adds entries, and *nothing* takes them out. See
[the notes on caches](https://example.com/caches).

1. Count the entries.
2. Drop the oldest one above a limit:
   - by the time of its last use
   - not by its age

> A cache without a limit is a leak.

| File | Lines | Uses |
| :--- | ----: | :--- |
| src/cache.ts | 42 | Map |
| src/server.ts | 180 | the cache, for each request |

\`\`\`ts
export class Cache<Value> {
  readonly #entries = new Map<string, Value>();
  get(key: string): Value | undefined {
    return this.#entries.get(key); // no limit
  }
}
\`\`\`

- [x] found the reason
- [ ] mend it
`;

const DIFF = `@@ -1,9 +1,12 @@
 export class Cache<Value> {
   readonly #entries = new Map<string, Value>();
+  readonly #limit: number;
 
-  set(key: string, value: Value): void {
-    this.#entries.set(key, value);
+  set(key: string, value: Value): void {
+    this.#entries.delete(key); // the last one is the newest
+    this.#entries.set(key, value);
+    if (this.#entries.size > this.#limit) this.#dropOldest();
   }
 
   get(key: string): Value | undefined {
@@ -30,4 +33,4 @@
   get size(): number {
-    return this.#entries.length;
+    return this.#entries.size;
   }
 }
`;
const EDIT = {
  name: "edit_file",
  input: { path: "src/cache.ts" },
  approval: true,
  grant: "src/cache.ts",
  preview: [{ path: "src/cache.ts", diff: DIFF, by: "tool" }],
} as const;
const TEST_RUN = { name: "shell", input: { command: "npm test -- src/cache.test.ts" } } as const;
const FAILURE = "FAIL src/cache.test.ts\n  drops the oldest entry\n    expected 3 to be 2\n";

const PLAN = [
  { content: "Find what makes the cache grow", status: "completed" },
  { content: "Write a test that fails", status: "in_progress" },
  { content: "Give the cache a limit", status: "pending" },
  { content: "Note the change", status: "pending" },
] as const;

/** Answers with these steps, one list for each prompt. */
const answers = (...script: Exclude<MockAgentScript, (...given: never) => unknown>): MockAgentOptions => ({
  script,
});
/** Says one prompt, and waits for a text. */
const asked =
  (prompt: string, text: Parameters<SceneUser["sees"]>[0]): Scene["play"] =>
  async (user) => {
    await user.say(prompt);
    await user.sees(text);
  };

export const SCENES: readonly Scene[] = [
  { name: "empty", agent: {}, play: (user) => user.sees("ready") },
  {
    name: "answer",
    agent: answers([
      agentStep.text(MARKDOWN),
      agentStep.usage({ inputTokens: 12_400, outputTokens: 310 }),
      agentStep.cost(0.02, "USD"),
      agentStep.context({ used: 48_000, size: 200_000 }),
    ]),
    play: asked("Why does the cache grow?", "mend it"),
  },
  {
    name: "streaming",
    agent: answers([agentStep.text(MARKDOWN.slice(0, MARKDOWN.indexOf("  }\n}"))), agentStep.hang()]),
    play: asked("Why does the cache grow?", "// no limit"),
  },
  {
    name: "reasoning",
    agent: answers([
      agentStep.reasoning("The map only grows. Is there a place that deletes?\nThere is none."),
      "Nothing deletes entries.",
    ]),
    play: asked("Why does the cache grow?", "Nothing deletes entries."),
  },
  {
    name: "tool-waiting",
    agent: answers(["I run the test first. ", agentStep.tool({ ...TEST_RUN, approval: true })]),
    play: asked("Mend the cache", CHOICES),
  },
  {
    name: "tool-running",
    agent: answers([
      agentStep.tool({ ...TEST_RUN, streams: ["running 4 tests\n"], during: [agentStep.hang()] }),
    ]),
    play: asked("Run the tests of the cache", "src/cache.test.ts"),
  },
  {
    name: "tool-done",
    agent: answers([
      "I run the tests. ",
      agentStep.tool({ ...TEST_RUN, output: "4 tests passed\n" }),
      "All four pass.",
    ]),
    play: asked("Run the tests of the cache", "All four pass."),
  },
  {
    name: "tool-failed",
    agent: answers([
      agentStep.tool({ ...TEST_RUN, streams: [FAILURE], error: "the command ended with code 1" }),
      "One test fails: the oldest entry stays.",
    ]),
    play: asked("Run the tests of the cache", "the oldest entry stays."),
  },
  {
    name: "diff-waiting",
    agent: answers(["I give it a limit. ", agentStep.tool(EDIT)]),
    play: asked("Give the cache a limit", CHOICES),
  },
  {
    name: "diff-done",
    agent: answers([
      agentStep.tool({
        ...EDIT,
        output: "changed",
        during: [agentStep.file("src/cache.ts", { action: "patch", diff: DIFF })],
      }),
      "The cache has a limit now.",
    ]),
    play: async (user) => {
      await user.say("Give the cache a limit");
      await user.sees(CHOICES);
      await user.press({ button: "Allow once", keys: "y" });
      await user.sees("The cache has a limit now.");
    },
  },
  {
    name: "question",
    agent: answers([
      agentStep.question({
        questions: [
          {
            header: "Limit",
            question: "How many entries may the cache hold?",
            options: [
              { label: "1,000", description: "about 2 MB" },
              { label: "10,000", description: "about 20 MB" },
            ],
          },
          { question: "Which tests shall I run?", options: ["cache", "server"], multiSelect: true },
        ],
      }),
    ]),
    play: asked("Give the cache a limit", "about 20 MB"),
  },
  {
    name: "plan",
    agent: answers([agentStep.plan(PLAN), "I write the test now.", agentStep.hang()]),
    play: asked("Mend the cache", "I write the test now."),
  },
  {
    name: "subagents",
    agent: answers([
      agentStep.subagent({
        type: "file-picker",
        name: "File picker",
        prompt: "Find what uses the cache",
        steps: [
          "Two files use it.",
          agentStep.tool({ name: "grep", input: { pattern: "Cache" }, output: "2" }),
        ],
      }),
      agentStep.subagent({
        type: "reviewer",
        name: "Reviewer",
        steps: ["The limit is not tested.", agentStep.tool({ ...TEST_RUN, during: [agentStep.hang()] })],
      }),
    ]),
    play: asked("Review the cache", "Reviewer"),
  },
  {
    name: "queue",
    agent: answers(["I look at the cache.", agentStep.hang()]),
    play: async (user) => {
      await asked("Look at the cache", "I look at the cache.")(user);
      await user.say("Then run the tests");
      await user.say("And write a note for the release");
      await user.sees({ page: "note for the release", terminal: "2 queued" });
    },
  },
  {
    name: "error",
    agent: answers([
      "I look at the cache. ",
      agentStep.fail("the model is overloaded", { kind: "overloaded", retryable: true }),
    ]),
    play: asked("Look at the cache", "the model is overloaded"),
  },
  {
    name: "notice",
    agent: answers([
      agentStep.notice("The model will change on Monday.", "warning"),
      agentStep.error("The index of the folder is old."),
      "I look at the cache.",
    ]),
    play: asked("Look at the cache", "I look at the cache."),
  },
  {
    name: "lost",
    agent: {
      reconnect: { delay: 60_000 },
      script: [["I look at the cache. ", agentStep.lose({ back: false })]],
    },
    play: asked("Look at the cache", "attempt 1"),
  },
  {
    name: "forgotten",
    agent: answers(["I look at the cache. ", agentStep.forget()]),
    play: asked("Look at the cache", { page: "Go on as if new", terminal: "go on without it" }),
  },
  {
    name: "branches",
    agent: answers(["It has no limit."], ["Nothing takes entries out."]),
    play: async (user) => {
      await asked("Why does the cache grow?", "It has no limit.")(user);
      await user.press({ button: "Another answer", keys: "/regenerate\r" });
      await user.sees("Nothing takes entries out.");
      await user.sees("2 of 2");
    },
  },
  {
    name: "picture",
    agent: answers(["This is the graph. ", agentStep.image(PICTURE, "image/svg+xml"), "It only rises."]),
    play: asked("Draw the size of the cache", "It only rises."),
  },
  { name: "images", agent: {}, play: (user) => user.attach(PIXEL) },
  {
    name: "chats",
    agent: {},
    play: async (user) => {
      await user.press({ button: "Conversations", keys: "/chats " });
      await user.sees("Notes for the release");
    },
  },
  {
    name: "commands",
    on: "terminal",
    agent: {},
    play: async (user) => {
      await user.press({ button: "", keys: "/" });
      await user.sees("/edit");
    },
  },
  {
    name: "files",
    on: "terminal",
    agent: answers(["Yes."]),
    play: async (user) => {
      await asked("Are you there?", "Yes.")(user);
      await user.press({ button: "", keys: "Look at @src/" });
      await user.sees("src/cache.test.ts");
    },
  },
  {
    name: "history",
    on: "terminal",
    agent: answers(["It has no limit."]),
    play: async (user) => {
      await asked("Why does the cache grow?", "It has no limit.")(user);
      await user.press({ button: "", keys: "\u0012cac" });
      await user.sees("earlier prompts with: cac");
    },
  },
  {
    name: "help",
    on: "terminal",
    agent: {},
    play: async (user) => {
      await user.say("/help");
      await user.sees("Keys for the search");
    },
  },
];

/** What all agents of the pictures have. */
export const AGENT: MockAgentOptions = {
  modes: {
    current: "code",
    available: [
      { id: "ask", name: "Ask" },
      { id: "code", name: "Code" },
    ],
  },
  models: {
    current: "large",
    available: [
      { id: "small", name: "Small 2" },
      { id: "large", name: "Large 2" },
    ],
  },
};

/** @throws TypeError for a name that no state has */
export function sceneOf(name: string | undefined): Scene {
  const scene = SCENES.find((each) => each.name === name);
  if (!scene) throw new TypeError(`there is no state ${name}`);
  return scene;
}
