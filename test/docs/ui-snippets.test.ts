import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChatPending, type ChatSnapshot, createChat, memoryStore } from "agentwire/chat";
import { agentStep, MockAgent } from "agentwire/testing";
import { expect, test } from "vitest";
import * as page from "../../docs/snippets/ui.ts";
import { until } from "../../examples/support/until.ts";
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
  expect(chat.getSnapshot().messages.at(-1)?.parts.at(-1)).toMatchObject({ text: "denied b" });
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
    expect(again.getSnapshot().messages.map(({ parts }) => parts.at(0))).toMatchObject([
      { text: "keep this" },
      { text: "Stored." },
    ]);
    await again.close();
    expect(output.logged).toEqual([[[]], [["today"]]]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("`memoryStore()` is a store too", async () => {
  expect(await memoryStore().list()).toEqual([]);
});
