// Several transports over one chat that lives, such as one for each request of a page.

import { Chat } from "@ai-sdk/react";
import { AgentwireChatTransport, type AgentwireUIMessage, lastMessageIsDecided } from "agentwire/ai-sdk";
import type { Chat as AgentChat } from "agentwire/chat";
import { agentStep, type MockAgentScript } from "agentwire/testing/agent";
import { safeValidateUIMessages, type UIMessageChunk } from "ai";
import { expect, test } from "vitest";
import { settle } from "../../src/testing/settle.ts";
import { Page, rm, toolsIn } from "./rig.ts";
import { openIn } from "./support.ts";

/** A page whose every request is served by a new transport over the same chat. */
class Served extends Page {
  override open(messages: AgentwireUIMessage[] = []): Chat<AgentwireUIMessage> {
    const chat: AgentChat = this.chat;
    return new Chat<AgentwireUIMessage>({
      id: "page",
      messages,
      transport: {
        resumeStreamIsReplay: true,
        reconnectToStream: (options) => new AgentwireChatTransport(chat).reconnectToStream(options),
        sendMessages: (options) => {
          this.requests++;
          return new AgentwireChatTransport(chat).sendMessages(options) as Promise<
            ReadableStream<UIMessageChunk>
          >;
        },
      },
      sendAutomaticallyWhen: lastMessageIsDecided,
    });
  }
}

const script: MockAgentScript = [
  [
    "Let me. ",
    agentStep.tool(rm),
    "And ",
    agentStep.question({ questions: [{ question: "Which?", options: ["this", "that"] }] }),
    agentStep.tool({ ...rm, name: "mv" }),
    "done.",
  ],
];

test("each request may have a transport of its own: approvals, questions and denials go on in one message", async () => {
  const page = new Served({ script });
  await page.ui.sendMessage({ text: "Hi" });
  await page.decide(true);
  await page.answer(page.tools.at(-1)?.toolCallId ?? "", "that");
  await page.decide(false);
  expect(page.tools.map(({ state }) => state)).toEqual([
    "output-available",
    "output-available",
    "output-denied",
  ]);
  expect(page.text).toBe("Let me. And done.");
  expect([page.ui.messages.length, page.requests, page.agent.prompts.length]).toEqual([2, 4, 1]);
  expect(openIn(page.message)).toEqual([]);
  expect(await safeValidateUIMessages({ messages: page.ui.messages })).toMatchObject({ success: true });
});

test("what happened after the first transport's stream ended is in the second one's", async () => {
  const page = new Served({
    script: [
      [
        agentStep.tool({
          name: "build",
          streams: ["building "],
          output: "built",
          during: [agentStep.tool(rm), "Meanwhile. ", agentStep.wait("built")],
        }),
        "Done.",
      ],
    ],
  });
  await page.ui.sendMessage({ text: "Hi" });
  page.chat.decide(page.chat.getSnapshot().pending[0]?.id ?? "", "once"); // by another screen
  page.agent.release("built");
  await settle();
  await page.decide(true);
  expect(page.text).toBe("Meanwhile. Done.");
  expect(openIn(page.message)).toEqual([]);
});

test("a page that reloads resumes over a new transport, and decides", async () => {
  const page = new Served({ script: [["Let me. ", agentStep.tool(rm), "Done."]] });
  await page.ui.sendMessage({ text: "Hi" });
  const later = page.open(structuredClone(page.ui.messages));
  await later.resumeStream();
  const part = toolsIn(later.messages.at(-1) ?? page.message).at(-1);
  const id = part?.state === "approval-requested" ? part.approval.id : "";
  await later.addToolApprovalResponse({ id, approved: true });
  await page.until(({ status }) => status === "ready" && !page.chat.getSnapshot().busy, later);
  expect(later.messages.at(-1)?.parts.at(-1)).toMatchObject({ type: "text", text: "Done." });
});

test.each([
  { over: "the same transport", Kind: Page },
  { over: "a second transport", Kind: Served },
])("a message over $over cancels the turn that waits, and is sent", async ({ Kind }) => {
  const page = new Kind({
    script: ({ n }) => (n === 1 ? [agentStep.tool(rm), "Done."] : ["As you like."]),
  });
  await page.ui.sendMessage({ text: "Hi" });
  await page.ui.sendMessage({ text: "Never mind" });
  expect(page.text).toBe("As you like.");
  expect(page.chat.getSnapshot().messages.map(({ status }) => status)).toEqual([
    "sent",
    "cancelled",
    "sent",
    "completed",
  ]);
});
