import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChatPending, type ChatSnapshot, createChat, memoryStore } from "agentwire/chat";
import { agentStep, MockAgent } from "agentwire/testing";
import { expect, test } from "vitest";
import * as page from "../../docs/snippets/ui.ts";
import { until } from "../../examples/support/until.ts";
import { folderWorld } from "../codebuff-run/tools/tools-world.ts";
import { capturedOutput } from "../helpers/captured-output.ts";

const output = capturedOutput();

const idle = ({ busy, queue }: ChatSnapshot): boolean => !busy && queue.length === 0;

test("the first program shows text and the states of the tool as they arrive", async () => {
  const { chat } = await import("../../docs/snippets/ui-first.ts");
  await until(chat, ({ messages }) => messages.at(-1)?.status === "completed");
  await chat.close();
  const lines = output.logged.map((values) => values.join(" ").trim());
  expect(lines).toContain("... Let me");
  expect(lines).toContain("shell awaiting");
  expect(lines).toContain("shell done a.txt");
  expect(lines.at(-1)).toBe("One file.");
});

test("each kind of part is shown as a line", async () => {
  const agent = new MockAgent({
    *script() {
      yield agentStep.reasoning("Hm.");
      yield "Hello\u001b[31m.";
      yield* agentStep.tool({ name: "ls", output: "a.txt" });
      yield agentStep.file("a.txt");
      yield agentStep.status("thinking", "thinks hard");
      yield agentStep.subagent({ type: "picker", name: "Picker", steps: ["Found."] });
      yield agentStep.error("that went wrong");
      yield agentStep.data({ a: 1 });
    },
  });
  await using chat = createChat(agent);
  chat.send("go");
  await until(chat, idle);
  const lines = chat.getSnapshot().messages.at(-1)?.parts.map(page.lineOf);
  expect(lines).toEqual(
    expect.arrayContaining([
      "Hm.",
      "Hello.",
      "ls (done) a.txt",
      "a.txt",
      "thinks hard",
      "Picker: Found.",
      "that went wrong",
    ]),
  );
});

test("a queued prompt is cancelled, and sent again with its image", async () => {
  await using chat = createChat(
    new MockAgent({ script: ({ text }) => (text.includes("tests") ? [agentStep.hang()] : ["As you like."]) }),
  );
  page.sending(chat, new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]));
  await until(chat, idle);
  const { messages } = chat.getSnapshot();
  const last = messages.at(-1);
  expect(last?.status).toBe("completed");
  expect(
    messages.map(({ status }) => status).filter((status) => status === "cancelled").length,
  ).toBeGreaterThan(0);
  expect(messages.at(-2)?.parts.map(({ type }) => type)).toEqual(["text", "file"]);
});

test("a dialog decides an approval and answers a question", async () => {
  const agent = new MockAgent({
    *script() {
      const { state } = yield* agentStep.tool({ name: "rm", input: { path: "a\u202e" }, approval: true });
      const answers = yield* agentStep.question({ questions: [{ question: "Which?", options: ["a", "b"] }] });
      yield `${state} ${answers?.join()}`;
    },
  });
  await using chat = createChat(agent);
  const asked: string[] = [];
  const settling = new Set<ChatPending>();
  chat.subscribe(() => {
    for (const request of chat.getSnapshot().pending) {
      if (settling.has(request)) continue;
      settling.add(request);
      void page.settle(chat, request, {
        confirm: async (title, text) => asked.push(`${title} ${text}`) === 0,
        choose: async (_, labels) => labels[1],
      });
    }
  });
  chat.send("go");
  await until(chat, ({ messages }) => messages.at(-1)?.status === "completed");
  expect(asked).toEqual(['Allow rm? {\n  "path": "a\\u{202e}"\n}']);
  expect(chat.getSnapshot().messages.at(-1)?.parts.map(page.lineOf)).toContain("denied b");
});

test.each([
  { said: 0, confirms: false, approvals: [] },
  { said: 1, confirms: false, approvals: ["turn: `ls` in src"] },
  { said: 2, confirms: false, approvals: ["session: `ls` in src"] },
  { said: 2, confirms: true, approvals: [] },
  { said: 3, confirms: false, approvals: [] },
  { said: 4, confirms: false, approvals: [] },
])(
  "the choice with index $said, confirmed: $confirms, gives the expected grants",
  async ({ said, confirms, approvals }) => {
    const agent = new MockAgent({
      *script() {
        yield* agentStep.tool({
          name: "shell",
          input: { command: "ls" },
          grant: "`ls` in src",
          approval: true,
        });
        yield agentStep.wait("gate");
      },
    });
    await using chat = createChat(agent);
    chat.send("go");
    await until(chat, ({ pending }) => pending.length > 0);
    const asked: string[] = [];
    await page.allowing(chat, {
      confirm: async (title, text) => asked.push(`${title} ${text}`) > 0 && confirms,
      choose: async (question, labels) => {
        asked.push(question);
        expect(labels).toEqual([
          "once",
          "in this turn: `ls` in src",
          "always: `ls` in src",
          "every call",
          "no",
        ]);
        return labels[said];
      },
    });
    expect(chat.getSnapshot().approvals.map(({ scope, grant }) => `${scope}: ${grant}`)).toEqual(approvals);
    expect(asked[0]).toBe('The agent wants to use shell: {\n  "command": "ls"\n}');
    if (said === 3) expect(asked[1]).toBe("Every call of shell? Whatever it does.");
    agent.release("gate");
  },
);

test("a conversation that the agent has forgotten continues as the user chooses", async () => {
  const agent = new MockAgent({ script: ["Hello.", [agentStep.forget()], "Again."] });
  await using chat = createChat(agent);
  chat.send("one");
  chat.send("two");
  await until(chat, ({ connection }) => connection.contextLost);
  const choose = async () => undefined;
  await page.bannerOf(chat, { confirm: async () => true, choose });
  expect(chat.getSnapshot().connection.contextLost).toBe(false);
  chat.send("three");
  await until(chat, idle);
  expect(agent.prompts.at(-1)?.text).toMatch(/one[\s\S]*three/);
  expect(await page.bannerOf(chat, { confirm: async () => true, choose })).toBe("");
});

test("the banner counts down to an attempt to connect, and shows a running attempt", async () => {
  const agent = new MockAgent({ reconnect: { maxAttempts: 2, delay: 90_000 }, script: ["Hello."] });
  await using chat = createChat(agent);
  const dialogs = { confirm: async () => true, choose: async () => undefined };
  chat.send("one");
  await until(chat, idle);
  agent.disconnect();
  await until(chat, ({ connection }) => connection.retryAt !== undefined);
  expect(await page.bannerOf(chat, dialogs)).toMatch(/^The connection was lost: attempt 1 in \d+ s$/);
  agent.set({ connectDelay: 600_000 });
  chat.connect();
  await until(chat, ({ connection }) => connection.status === "connecting");
  expect(await page.bannerOf(chat, dialogs)).toBe("The connection was lost: trying, attempt 1");
  await chat.close();
  expect(await page.bannerOf(chat, dialogs)).toBe("The connection was lost. The next message connects.");
});

test("a stored chat is shown again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "agentwire-"));
  try {
    const first = await page.storing(new MockAgent({ script: ["Stored."] }), folder);
    first.send("keep this");
    await until(first, (snapshot) => !snapshot.loading && idle(snapshot));
    await first.close();
    const again = await page.storing(new MockAgent(), folder);
    await until(again, ({ loading }) => !loading);
    expect(again.getSnapshot().messages.map(({ parts }) => parts.map(page.lineOf).join())).toEqual([
      "keep this",
      "Stored.",
    ]);
    await again.close();
    expect(output.logged).toEqual([[[]], [["today"]]]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("an unknown error is described, and terminal text has no escape sequences", () => {
  page.failure(new TypeError("x"), (error) => console.log(error.code));
  let written = "";
  const onDelta = page.terminal((text) => {
    written += text;
  });
  for (const delta of ["a\u001b", "[31mb"]) onDelta(delta);
  expect(output.logged).toEqual([["unknown"]]);
  expect(written).toBe("ab");
});

test("the page's test example stops the clock, and makes the agent forget", async () => {
  await page.testing();
  expect(output.logged[0]).toEqual([true]);
  expect(String(output.logged[1]?.[0])).toMatch(/^sent,completed,sent,completed,sent,failed$/);
});

test("`memoryStore()` is a store too", async () => {
  expect(await memoryStore().list()).toEqual([]);
});

test("the page's queue is shown, edited, moved, cancelled and sent", async () => {
  const agent = new MockAgent({
    *script({ text }) {
      yield `You said: ${text}`;
      if (text === "Begin.") yield agentStep.wait("gate");
    },
  });
  await using chat = createChat(agent);
  chat.send("Begin.");
  chat.send("First.");
  chat.send("Second.");
  await until(
    chat,
    ({ messages }) => messages.at(1)?.status === "open" && messages.at(1)?.parts.length === 1,
  );
  page.waiting(chat);
  expect(output.logged.map(([words, text]) => `${words} ${text}`)).toEqual([
    "waits: First.",
    "waits: Second.",
  ]);
  await until(chat, idle);
  expect(agent.prompts.map(({ text }) => text)).toEqual(["Begin.", "And then the docs, please."]);
});

test("the page shows the modes, sets one, and sends a file that it has found", async () => {
  await using folder = await folderWorld({ "src/app.ts": "let app;" });
  const modes = {
    current: "ask",
    available: [
      { id: "ask", name: "Ask" },
      { id: "plan", name: "Plan" },
    ],
  };
  const agent = new MockAgent({ modes, files: folder.tools });
  await using chat = createChat(agent);
  chat.connect();
  await until(chat, (snapshot) => snapshot.modes !== null);
  await page.choosing(chat, new AbortController().signal);
  expect(output.logged.map((values) => values.join(" "))).toEqual(["* Ask", "  Plan", "src/app.ts"]);
  expect(agent.modes?.current).toBe("plan");
  await until(chat, idle);
  expect(agent.prompts[0]?.files).toMatchObject([{ path: "src/app.ts", text: "let app;" }]);
  await page.choosing(createChat(new MockAgent()), new AbortController().signal);
  expect(output.logged.at(-1)?.[0]).toBe("unsupported");
});

test("the page asks for another answer, counts the branches and selects one", async () => {
  const agent = new MockAgent({ script: ["One.", "Eins.", "1 2 3"] });
  await using chat = createChat(agent);
  chat.send("Count.");
  await until(chat, idle);
  await page.askAnew(chat, async () => {
    await until(chat, idle);
  });
  expect(output.logged[0]).toMatchObject([{ at: 2, of: 2 }]);
  expect(chat.getSnapshot().messages.at(1)?.parts.at(0)).toMatchObject({ text: "One." });
});
