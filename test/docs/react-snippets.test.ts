import { MockCodebuffServer, step } from "agentwire/testing";
import { expect, test } from "vitest";
import { codebuffChat } from "../../docs/snippets/web/codebuff-chat.ts";
import { until } from "../../examples/support/until.ts";

test("the chat with Codebuff asks for the tool that has a handler, refuses the other, and asks questions", async () => {
  const asked: string[] = [];
  await using server = await MockCodebuffServer.start({
    profile: "codebuff",
    *answer() {
      const other = yield* step.toolCall({ toolName: "write_file", input: { path: "a.txt" } });
      const time = yield* step.toolCall({ toolName: "get_time", input: {} });
      const questions = [{ question: "Which?", options: [{ label: "this" }] }];
      const words = yield* step.toolCall({ toolName: "ask_user", input: { questions } });
      yield JSON.stringify([other, time, words]);
    },
  });
  await using chat = codebuffChat(server.url);
  chat.subscribe(() => {
    for (const request of chat.getSnapshot().pending) {
      if (request.type === "approval") {
        asked.push(request.tool);
        chat.decide(request.id, "once");
      } else {
        asked.push(...request.questions.map(({ question }) => question));
        chat.answer(request.id, [["my own words"]]);
      }
    }
  });
  chat.send("What time is it?");
  await until(chat, ({ messages }) => messages.at(-1)?.status === "completed");
  expect(asked).toEqual(["get_time", "Which?"]);
  const parts = chat.getSnapshot().messages.at(-1)?.parts.toArray() ?? [];
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  expect(text).toMatch(/errorMessage.*"time":"\d{4}-.*my own words/);
});
