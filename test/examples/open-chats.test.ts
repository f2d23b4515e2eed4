import { memoryStore } from "agentwire/chat";
import { agentStep, MockAgent } from "agentwire/testing";
import { expect, test } from "vitest";
import { OpenChats } from "../../examples/web-chat/page/open-chats.ts";

test("a page keeps a bounded number of chats open: the last viewed and the busy ones", async () => {
  const agent = new MockAgent({ script: () => [agentStep.wait("gate")] });
  const chats = new OpenChats(() => agent, { store: memoryStore() });
  const busy = chats.get("busy");
  busy.send("work");
  await agent.waitFor(({ prompts }) => prompts.length === 1);
  const first = chats.get("first");
  for (let n = 1; n <= 6; n++) chats.get(`later ${n}`);
  const last = chats.get("later 1");
  chats.trim();
  await expect.poll(() => first.getSnapshot().connection.status).toBe("closed");
  expect(busy.getSnapshot().busy).toBe(true);
  expect(chats.get("busy")).toBe(busy);
  expect(chats.get("later 1")).toBe(last);
  expect(chats.get("first")).not.toBe(first);
  await chats.close();
  expect(busy.getSnapshot().connection.status).toBe("closed");
});
