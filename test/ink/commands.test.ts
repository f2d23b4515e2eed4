import { describe, expect, test } from "vitest";
import type { QueuedPrompt } from "../../src/chat/queue.ts";
import { MAX_COPY_BYTES } from "../../src/ink/components/exports.ts";
import { listOf } from "../../src/universal/transcript/list.ts";
import type { ChatMessage, ChatPart } from "../../src/universal/transcript/message.ts";
import { ClockedScreen } from "./clocked-screen.ts";

const prompt = (id: string, text: string, more: Partial<ChatMessage> = {}): ChatMessage => ({
  ...{ id, role: "user", status: "sent", startedAt: 0 },
  parts: listOf([{ type: "text", id: `${id}/t`, text, open: false } as const]),
  ...more,
});
const answer = (id: string, text: string, more: Partial<ChatMessage> = {}): ChatMessage =>
  prompt(id, text, { role: "assistant", status: "completed", endedAt: 0, ...more });

const queue: readonly QueuedPrompt[] = ["one", "two", "three"].map((text, at) => ({
  ...{ id: `id-${text}`, at: 0 },
  input: at === 0 ? { text, images: [{ data: "data:image/png;base64,AA==" }] } : text,
}));

describe("/queue", () => {
  const waiting = (): ClockedScreen => {
    const screen = new ClockedScreen();
    screen.set({ queue, busy: true });
    return screen;
  };

  test("opens a menu of the prompts that wait, and then of what can be done", async () => {
    const screen = waiting();
    expect(await screen.enters("/queue")).toMatch(/ 1 {2}one\n {2}2 {2}two\n {2}3 {2}three\n> \/queue $/);
    screen.press("down", "down", "enter");
    expect(await screen.after(100)).toMatch(/ edit {2}change it[\s\S]*down {2}later\n> \/queue 2 $/);
    screen.press("down", "down", "enter");
    expect(await screen.after(100)).toContain("taken back");
    expect(screen.calls).toEqual([["unqueue", "id-two"]]);
  });

  test.each([
    ["/queue 1 now", ["sendNow", "id-one"]],
    ["/queue 2 up", ["moveQueued", "id-two", "id-one"]],
    ["/queue 1 down", ["moveQueued", "id-one", "id-three"]],
    ["/queue 2 down", ["moveQueued", "id-two", null]],
  ] as const)("%s", async (text, call) => {
    const screen = waiting();
    await screen.enters("/queue");
    screen.press("ctrl-c");
    await screen.enters(text);
    expect(screen.calls).toEqual([call]);
  });

  test("edit changes the prompt in its place, with its images", async () => {
    const screen = waiting();
    await screen.enters("/queue");
    screen.press("ctrl-c");
    const shown = await screen.enters("/queue 1 edit");
    expect(shown).toMatch(/Enter changes the prompt that waits[^\n]*\n> one\[image png\]$/);
    screen.press("left");
    await screen.enters(" more");
    const images = [{ data: "data:image/png;base64,AA==" }];
    expect(screen.calls).toEqual([["editQueued", "id-one", { text: "one more", images }]]);
    await screen.enters("a new prompt");
    expect(screen.sent).toEqual(["a new prompt"]);
  });

  test("does not touch another prompt after the one that the user saw was sent", async () => {
    const screen = waiting();
    await screen.enters("/queue");
    screen.press("ctrl-c");
    screen.set({ queue: queue.slice(1) });
    expect(await screen.enters("/queue 1 back")).toContain("there is no prompt 1");
    expect(screen.calls).toEqual([]);
  });

  test("edit says that the prompt was sent meanwhile, and sends the text only after another Enter", async () => {
    const screen = waiting();
    await screen.enters("/queue");
    screen.press("ctrl-c");
    await screen.enters("/queue 2 edit");
    screen.set({ queue: [] });
    expect(await screen.enters("!")).toContain("sent meanwhile");
    expect([screen.calls, screen.sent]).toEqual([[], []]);
    screen.press("enter");
    expect(screen.sent).toEqual(["two!"]);
  });

  test("without prompts that wait says so", async () => {
    expect(await new ClockedScreen().enters("/queue")).toContain("no prompt waits");
  });
});

test("/send waits for the choice after the agent has forgotten the conversation", async () => {
  const screen = new ClockedScreen();
  const held = queue.map((prompt) => ({ ...prompt, held: true as const }));
  screen.set({ queue: held, connection: { status: "idle", attempt: 0, contextLost: true } });
  expect(await screen.after(1_000)).not.toContain("/send");
  expect(await screen.enters("/send")).toContain("choose y or n");
});

describe("branches", () => {
  const ids = ["b", "c"];
  const messages = listOf([
    prompt("a", "first"),
    answer("c", "second answer", { branches: { at: 2, of: 2, ids } }),
    prompt("d", "last"),
  ]);

  test("/edit puts the last prompt into the composer, and says that files stay changed", async () => {
    const screen = new ClockedScreen();
    screen.set({ messages });
    const shown = await screen.enters("/edit");
    expect(shown.replaceAll("\n", " ")).toContain("What the agent did to files stays");
    expect(shown).toMatch(/> last$/);
    await screen.enters(" one");
    expect(screen.calls).toEqual([["edit", "d", "last one"]]);
    expect(await screen.after(100)).not.toContain("in place of");
  });

  test("/edit lists earlier prompts, and Ctrl-C leaves the edit", async () => {
    const screen = new ClockedScreen();
    screen.set({ messages });
    screen.type("/edit ");
    expect(await screen.after(100)).toMatch(/ 1 {2}last\n {2}2 {2}first\n> \/edit $/);
    screen.press("down", "down", "enter");
    expect(await screen.after(100)).toMatch(/> first$/);
    screen.press("ctrl-c");
    await screen.enters("something else");
    expect([screen.calls, screen.sent]).toEqual([[], ["something else"]]);
  });

  test("/branch lists the branches that are not shown, and selects one", async () => {
    const screen = new ClockedScreen();
    screen.set({ messages });
    expect(await screen.enters("/branch")).toContain("1.1  answer 1 of 2 to: first");
    screen.press("down", "enter");
    expect(await screen.after(100)).toContain("what the agent did to files stays");
    expect(screen.calls).toEqual([["selectBranch", "b"]]);
  });

  test("/regenerate asks for another answer to the last prompt", async () => {
    const screen = new ClockedScreen();
    screen.set({ messages });
    expect(await screen.enters("/regenerate")).toContain("what the agent did to files stays");
    expect(screen.calls).toEqual([["regenerate", "d"]]);
  });
});

describe("modes and models", () => {
  const available = [
    { id: "ask", name: "Ask", description: "only reads" },
    { id: "code", name: "Code" },
  ];

  test("are listed with the current one marked, and set by id or name", async () => {
    const screen = new ClockedScreen();
    screen.set({ modes: { current: "ask", available }, models: { current: null, available } });
    expect(await screen.enters("/mode")).toMatch(/ Ask \* {2}only reads\n {2}Code\n> \/mode $/);
    screen.press("down", "down", "enter");
    expect(await screen.after(100)).toContain("mode Code");
    expect(await screen.enters("/model ask")).toContain("model Ask");
    expect(screen.calls).toEqual([
      ["setMode", "code"],
      ["setModel", "ask"],
    ]);
  });

  test("that the agent does not have are not set, and the text stays", async () => {
    const screen = new ClockedScreen();
    screen.set({ modes: { current: "ask", available } });
    expect(await screen.enters("/mode nothing")).toMatch(/no mode nothing[\s\S]*> \/mode nothing$/);
    screen.press("ctrl-c");
    expect(await screen.enters("/model x")).toContain("/model is not offered");
    expect(screen.calls).toEqual([]);
  });
});

describe("commands of the agent", () => {
  const commands = [
    { name: "review", description: "reviews a change", hint: "branch" },
    { name: "help", description: "the agent's own help" },
  ];

  test("are completed, and sent as prompts", async () => {
    const screen = new ClockedScreen();
    screen.set({ commands });
    screen.type("/re");
    expect(await screen.after(100)).toMatch(/\/review\s+reviews a change/);
    screen.press("ctrl-c");
    await screen.enters("/review");
    await screen.enters("/review main");
    await screen.enters("//help");
    await screen.enters("// a comment");
    await screen.enters("//nothing");
    expect(screen.sent).toEqual(["/review", "/review main", "/help", "// a comment", "//nothing"]);
  });

  test("a path is a prompt, and so are words behind a command that takes none", async () => {
    const screen = new ClockedScreen();
    await screen.enters("/etc/hosts");
    await screen.enters("/quit smoking, how?");
    expect(screen.sent).toEqual(["/etc/hosts", "/quit smoking, how?"]);
    expect(screen.exits).toEqual([]);
  });
});

describe("/copy", () => {
  test("copies the text of the last answer alone", async () => {
    const screen = new ClockedScreen();
    expect(await screen.enters("/copy")).toContain("there is no answer to copy");
    screen.set({
      messages: listOf([prompt("a", "q"), answer("b", "The \u001b[2Janswer."), prompt("c", "q")]),
    });
    expect(await screen.enters("/copy")).toContain("copied 11 characters, if the terminal");
    expect(screen.clipboard).toEqual(["The answer."]);
  });

  test("refuses a text that terminals drop, and names what to do", async () => {
    const messages = listOf([answer("b", "x".repeat(MAX_COPY_BYTES + 1))]);
    const screen = new ClockedScreen({ snapshot: { messages } });
    expect((await screen.enters("/copy")).replaceAll("\n", " ")).toContain("/export writes a file");
    expect(screen.clipboard).toEqual([]);
    const copied: string[] = [];
    const own = new ClockedScreen({
      snapshot: { messages },
      commands: { copy: (text) => copied.push(text) },
    });
    expect(await own.enters("/copy")).toMatch(/copied 74995 characters -/);
    expect(copied).toHaveLength(1);
  });
});

describe("/export", () => {
  const files = new Map<string, string>();
  const writeFile = async (path: string, text: string, { replaces }: { readonly replaces: boolean }) => {
    if (files.has(path) && !replaces) return "exists" as const;
    files.set(path, text);
    return "written" as const;
  };
  const messages = listOf([prompt("a", "What is it?"), answer("b", "A `thing`.")]);

  test("writes Markdown, and replaces a file only on the user's word", async () => {
    const screen = new ClockedScreen({ commands: { writeFile } });
    screen.set({ messages });
    expect(await screen.enters("/export my chat.md")).toContain("written to my chat.md");
    expect(files.get("my chat.md")).toBe("## User\n\nWhat is it?\n\n## Agent\n\nA `thing`.\n");
    files.set("my chat.md", "before");
    const asked = await screen.enters("/export my chat.md");
    expect(asked).toMatch(/my chat\.md is there already: add "replace"[\s\S]*> \/export my chat\.md $/);
    screen.press("enter");
    await screen.after(100);
    expect(files.get("my chat.md")).toBe("before");
    await screen.enters("replace");
    expect(files.get("my chat.md")).toContain("What is it?");
  });

  test("writes each part as a person reads it, without reasoning", async () => {
    const call = { callId: "c", name: "shell", output: "", content: [], state: "done" } as const;
    const parts: readonly ChatPart[] = [
      { type: "reasoning", id: "1", text: "hm", visibility: "public", open: false },
      {
        ...{ ...call, type: "tool", id: "2", title: "Run npm test", input: { command: "npm test" } },
        output: '{"stdout":"one\\n```\\n","exitCode":3}',
      },
      {
        ...{ ...call, type: "tool", id: "3", name: "write_file", input: { path: "a.ts", content: "b\n" } },
        preview: [{ path: "a.ts", diff: "@@ -1,1 +1,1 @@\n-a\n+b\n", by: "tool" }],
      },
      { ...call, type: "tool", id: "4", name: "", input: {}, state: "denied", output: "Denied by the user" },
      { type: "file", id: "5", path: "b.ts", mediaType: null, action: "patch", diff: "-a\n+b\n" },
      { type: "file", id: "6", path: "data:image/png;base64,AA", mediaType: "image/png" },
      { type: "file", id: "7", path: "data:;base64,AA", mediaType: null },
      {
        ...{ type: "question", id: "8", status: "answered" },
        questions: [
          { question: "Which?", options: [], multi_select: false },
          { question: "Why?", options: [], multi_select: false },
        ],
        answers: [{ question_index: 0, selected: ["main"], other_text: "or next" }],
      } as ChatPart,
      {
        ...{ type: "subagent", id: "9", agentType: "picker", name: "", state: "done" },
        parts: listOf([{ type: "text", id: "10", text: "found", open: false }]),
      } as ChatPart,
      { type: "status", id: "11", label: "thinking" } as ChatPart,
      { type: "data", id: "12", json: { a: 1 } },
      { type: "error", id: "13", message: "It broke.", code: "x" },
    ];
    const screen = new ClockedScreen({ commands: { writeFile } });
    const error = { title: "The agent failed", detail: "a reason" } as NonNullable<ChatMessage["error"]>;
    screen.set({
      messages: listOf([
        prompt("a", "go"),
        answer("b", "", { parts: listOf(parts), error }),
        prompt("c", "later", { status: "queued" }),
      ]),
    });
    expect(await screen.enters("/export parts.md")).toContain("written to parts.md");
    expect(files.get("parts.md")).toMatchInlineSnapshot(`
      "## User

      go

      ## Agent

      **Run npm test** (exit code 3)

      \`\`\`
      $ npm test
      \`\`\`

      \`\`\`\`
      one
      \`\`\`
      \`\`\`\`

      **write_file** (done)

      \`\`\`
      path: a.ts
      \`\`\`

      *a.ts*

      \`\`\`diff
      @@ -1,1 +1,1 @@
      -a
      +b
      \`\`\`

      **a tool without a name** (denied)

      \`\`\`
      Denied by the user
      \`\`\`

      *b.ts*

      \`\`\`diff
      -a
      +b
      \`\`\`

      *image/png*

      *data*

      > Which?
      >
      > main, or next

      > Why?
      >
      > 

      **picker**

      found

      > It broke.

      > The agent failed: a reason
      "
    `);
    expect(await screen.enters("/copy")).not.toContain("copied");
  });

  test("has a name for the file, and says why it could not be written", async () => {
    const failing = async () => await Promise.reject(new Error("no space left"));
    const screen = new ClockedScreen({ commands: { writeFile: failing } });
    screen.set({ messages });
    screen.type("/export ");
    expect(await screen.after(100)).toMatch(/chat-\d{4}-\d\d-\d\d-\d{4}\.md/);
    expect(await screen.enters("x")).toContain("that failed: no space left");
  });

  test("is not offered without `writeFile`", async () => {
    const screen = new ClockedScreen();
    expect(await screen.enters("/export")).toContain("/export is not offered");
    screen.press("ctrl-c");
    screen.type("/e");
    expect(await screen.after(100)).not.toContain("/export");
  });
});

test("prompts of earlier screens are in the history, and those of this one are kept", async () => {
  const kept: string[] = [];
  const history = {
    prompts: ["first", "second"],
    add: async (prompt: string) => void kept.push(prompt),
  };
  const screen = new ClockedScreen({ commands: { history } });
  await screen.after(100);
  screen.press("up", "up");
  expect(await screen.after(100)).toMatch(/> first$/);
  screen.press("ctrl-c");
  await screen.enters("third");
  expect(kept).toEqual(["third"]);
});

describe("earlier chats", () => {
  const chats = async () => [
    { id: "b2", title: "The second\u001b[2J" },
    { id: "a1", title: "The first" },
  ];

  test("are listed by /chats, and the screen ends with the chosen one", async () => {
    const screen = new ClockedScreen({ commands: { chats } });
    await screen.enters("/chats");
    expect(await screen.after(100)).toMatch(/ The second {2}b2\n {2}The first {3}a1\n> \/chats $/);
    screen.type("first");
    screen.press("down", "enter");
    await screen.after(100);
    expect(screen.exits).toEqual([{ open: "a1" }]);
  });

  test("have their time in place of an id, and none are called so", async () => {
    const at = new Date(2026, 10, 28, 15, 4).getTime();
    const one = new ClockedScreen({
      commands: { chats: async () => [{ id: "a1", title: "The first", usedAt: at }] },
    });
    await one.enters("/chats");
    expect(await one.after(100)).toContain("The first  2026-11-28 15:04");
    const none = new ClockedScreen({ commands: { chats: async () => [] } });
    await none.enters("/chats");
    expect(await none.after(100)).toContain("there is no other chat");
  });

  test("that are not there are not opened", async () => {
    const screen = new ClockedScreen({ commands: { chats } });
    expect(await screen.enters("/chats c3")).toContain("there is no chat c3");
    expect(screen.exits).toEqual([]);
  });

  test("/new ends the screen for a new one", async () => {
    const screen = new ClockedScreen({ commands: { chats } });
    await screen.enters("/new");
    expect(screen.exits).toEqual([{ open: null }]);
  });
});
