import { MockCodebuffServer } from "agentwire/testing";
import { expect, test } from "vitest";
import { RawClient } from "./mock-codebuff-raw-client.ts";

const ROWS: readonly { readonly content: readonly object[]; readonly read: object }[] = [
  { content: [{ text: "said" }], read: { role: "user", content: "said" } },
  { content: [{ type: "assistant", text: "said" }], read: { role: "assistant", content: "said" } },
  { content: [{ message: { role: "tool", content: null } }], read: { role: "tool", content: null } },
  { content: [{ role: "user" }], read: { role: "user", content: null } },
  { content: [{}], read: { role: "user", content: null } },
];

test.each(ROWS)("the proxy accepts $content as a message", async ({ content, read }) => {
  await using server = await MockCodebuffServer.start({ answer: () => [] });
  using client = await RawClient.identified(server.url);
  client.prompt(1, "p-1", { content, prompt: undefined });
  expect((await client.untilTerminal("p-1")).at(-1)).toContain("prompt-response");
  expect(server.prompts[0]?.messages).toEqual([read]);
  expect(server.violations).toEqual([]);
});

test.each([{ messages: null }, { messages: 0 }, { messages: [null] }, {}])(
  "the proxy reads no history from %o",
  async (sessionState) => {
    await using server = await MockCodebuffServer.start({ answer: () => [] });
    using client = await RawClient.identified(server.url);
    client.prompt(1, "p-1", { sessionState });
    expect((await client.untilTerminal("p-1")).at(-1)).toContain("prompt-response");
    expect(server.prompts[0]?.messages).toEqual([{ role: "user", content: "hi" }]);
  },
);
