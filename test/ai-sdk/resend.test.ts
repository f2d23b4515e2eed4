import { lastMessageIsDecided } from "agentwire/ai-sdk";
import { agentStep, type MockAgentStep } from "agentwire/testing/agent";
import { type DynamicToolUIPart, safeValidateUIMessages, type UIMessage } from "ai";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PATIENCE, runs } from "../helpers/runs.ts";
import { Page } from "./rig.ts";
import { openIn } from "./support.ts";

type Deed = "text" | "tool" | "approval" | "failing" | "background" | "question" | "subagent" | "fail";

const stepOf = (deed: Deed): MockAgentStep => {
  switch (deed) {
    case "text":
      return "Some words. ";
    case "tool":
      return agentStep.tool({ name: "look", output: "seen" });
    case "approval":
      return agentStep.tool({ name: "rm", approval: true, output: "gone" });
    case "failing":
      return agentStep.tool({ name: "rm", approval: true, error: "no such file" });
    case "background":
      return agentStep.tool({
        name: "build",
        approval: true,
        streams: ["a", "b"],
        during: [agentStep.tool({ name: "rm", approval: true, output: "gone" })],
      });
    case "question":
      return agentStep.question({ questions: [{ question: "Which?", options: ["this", "that"] }] });
    case "subagent":
      return agentStep.subagent({ type: "helper", steps: ["I help.", stepOf("approval")] });
    case "fail":
      return agentStep.fail("it broke");
  }
};

const deeds = fc.array(
  fc.constantFrom<Deed>("text", "tool", "approval", "failing", "background", "question", "subagent"),
  { maxLength: 5 },
);

test(
  "any script with approvals and questions ends in one message, and the page sends each reply once",
  async () => {
    await fc.assert(
      fc.asyncProperty(deeds, fc.boolean(), fc.infiniteStream(fc.boolean()), async (list, fails, choices) => {
        const page = new Page({ script: [[...list, ...(fails ? (["fail"] as const) : [])].map(stepOf)] });
        await page.ui.sendMessage({ text: "Hi" });
        let replies = 0;
        for (; page.ui.status === "ready" && openIn(page.message).length > 0; replies++) {
          const question = page.tools.find(
            ({ toolName, state }) => toolName === "ask_user" && state === "input-available",
          );
          const [allow = true] = choices;
          if (question) await page.answer(question.toolCallId, allow ? "this" : ["my own words"]);
          else await page.decide(allow);
        }
        expect(openIn(page.message)).toEqual([]);
        expect(page.ui.status).toBe(fails ? "error" : "ready");
        expect(page.requests).toBe(1 + replies);
        expect(page.ui.messages.length).toBeLessThanOrEqual(2);
        expect(page.agent.prompts).toHaveLength(1);
        expect(page.chat.getSnapshot().busy).toBe(false);
        expect(await safeValidateUIMessages({ messages: page.ui.messages })).toMatchObject({ success: true });
        await page.chat.close();
      }),
      runs(60),
    );
  },
  PATIENCE,
);

describe("`lastMessageIsDecided`", () => {
  const tool = (part: Partial<DynamicToolUIPart>): UIMessage["parts"][number] =>
    ({ type: "dynamic-tool", toolName: "rm", toolCallId: "c", input: {}, ...part }) as DynamicToolUIPart;
  const responded = tool({ state: "approval-responded", approval: { id: "a", approved: true } });
  const requested = tool({ state: "approval-requested", approval: { id: "b" } });
  const running = tool({ state: "output-available", output: "", preliminary: true });
  const answered = tool({ toolName: "ask_user", state: "output-available", output: "Yes" });
  const delivered = tool({
    toolName: "ask_user",
    state: "output-available",
    output: "Yes",
    providerExecuted: true,
  });
  const step = { type: "step-start" } as const;

  test.each<[string, UIMessage["parts"], boolean]>([
    ["a decided approval", [step, responded], true],
    ["a decided approval beside a tool that runs", [step, running, responded], true],
    ["an approval that waits", [step, responded, requested], false],
    ["an answered question", [step, answered], true],
    ["an answer that the agent has", [step, delivered], false],
    ["a decision of an earlier step", [step, responded, step], false],
    ["a tool that is over", [step, tool({ state: "output-available", output: "ok" })], false],
    ["no parts", [], false],
  ])("%s", (_, parts, expected) => {
    expect(lastMessageIsDecided({ messages: [{ id: "m", role: "assistant", parts }] })).toBe(expected);
    expect(lastMessageIsDecided({ messages: [{ id: "m", role: "user", parts }] })).toBe(false);
  });

  test("no messages", () => {
    expect(lastMessageIsDecided({ messages: [] })).toBe(false);
  });
});
