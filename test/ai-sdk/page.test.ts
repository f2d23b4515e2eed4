import { Chat } from "@ai-sdk/react";
import { AgentwireChatTransport, type AgentwireUIMessage } from "agentwire/ai-sdk";
import { agentStep } from "agentwire/testing/agent";
import { safeValidateUIMessages } from "ai";
import { expect, test } from "vitest";
import { settle } from "../../src/testing/settle.ts";
import { Rig } from "../chat/support/rig.ts";
import { Page, rm, toolsIn } from "./rig.ts";
import { openIn } from "./support.ts";

test("a text and its reasoning stream to the page", async () => {
  const page = new Page({ script: [[agentStep.reasoning("Hm. Well."), "Hello there."]] });
  await page.ui.sendMessage({ text: "Hi" });
  expect(page.ui.status).toBe("ready");
  expect(page.message.parts).toMatchObject([
    { type: "step-start" },
    { type: "reasoning", text: "Hm. Well.", state: "done" },
    { type: "text", text: "Hello there.", state: "done" },
  ]);
  expect(page.message.metadata).toMatchObject({ status: "completed" });
  expect(page.message.id).toBe(page.chat.getSnapshot().messages.at(-1)?.id);
});

test("only the last message of the user is sent, because the agent keeps the conversation", async () => {
  const page = new Page({});
  await page.ui.sendMessage({ text: "One" });
  await page.ui.sendMessage({ text: "Two" });
  expect(page.agent.prompts.map(({ text }) => text)).toEqual(["One", "Two"]);
});

test("a stream ends at an approval, and goes on in the same message once the user has allowed it", async () => {
  const page = new Page({ script: [["Let me. ", agentStep.tool(rm), "Done."]] });
  await page.ui.sendMessage({ text: "Hi" });
  expect(page.ui.status).toBe("ready");
  expect(page.tools).toMatchObject([{ toolName: "rm", input: { path: "a" }, state: "approval-requested" }]);
  expect(page.chat.getSnapshot().busy).toBe(true);
  await page.decide(true);
  expect(page.ui.messages).toHaveLength(2);
  expect(page.tools).toMatchObject([
    { state: "output-available", output: "gone", approval: { approved: true } },
  ]);
  expect(page.text).toBe("Let me. Done.");
  expect(page.requests).toBe(2);
  expect(await safeValidateUIMessages({ messages: page.ui.messages })).toMatchObject({ success: true });
});

test("a denied call ends as denied, with the user's reason for the agent", async () => {
  const reasons: unknown[] = [];
  const page = new Page({
    *script() {
      const { state, reason } = yield* agentStep.tool(rm);
      reasons.push(reason);
      yield state;
    },
  });
  await page.ui.sendMessage({ text: "Hi" });
  await page.decide(false, "not that one");
  expect(page.tools).toMatchObject([
    { state: "output-denied", approval: { approved: false, reason: "not that one" } },
  ]);
  expect([page.text, reasons]).toEqual(["denied", ["not that one"]]);
  expect(await safeValidateUIMessages({ messages: page.ui.messages })).toMatchObject({ success: true });
});

test("two approvals, one after the other, are one message and three requests", async () => {
  const page = new Page({ script: [[agentStep.tool(rm), agentStep.tool({ ...rm, name: "mv" }), "Done."]] });
  await page.ui.sendMessage({ text: "Hi" });
  await page.decide(true);
  expect(page.tools.map(({ state }) => state)).toEqual(["output-available", "approval-requested"]);
  await page.decide(true);
  expect(page.text).toBe("Done.");
  expect([page.requests, page.ui.messages.length]).toEqual([3, 2]);
});

test("a question is a tool part that the page answers, and the agent gets the answer", async () => {
  const page = new Page({
    *script() {
      const answers = yield* agentStep.question({
        questions: [{ question: "Which?", options: ["this", "that"] }],
      });
      yield `You chose ${answers?.[0]?.[0]}.`;
    },
  });
  await page.ui.sendMessage({ text: "Hi" });
  const [question] = page.tools;
  expect(question).toMatchObject({
    toolName: "ask_user",
    state: "input-available",
    input: { questions: [{ question: "Which?", options: [{ label: "this" }, { label: "that" }] }] },
  });
  await page.ui.addToolOutput({
    tool: "ask_user" as never,
    toolCallId: question?.toolCallId ?? "",
    output: "that" as never,
  });
  await page.until(({ status }) => status === "ready" && page.text !== "");
  expect(page.text).toBe("You chose that.");
  expect(page.tools).toMatchObject([{ state: "output-available", output: "that", providerExecuted: true }]);
  expect(page.requests).toBe(2);
});

test("an answer of another form is an error, and the next one counts", async () => {
  const page = new Page({
    *script() {
      yield `${yield* agentStep.question("Which?")}`;
    },
  });
  await page.ui.sendMessage({ text: "Hi" });
  const toolCallId = page.tools[0]?.toolCallId ?? "";
  await page.ui.addToolOutput({ tool: "ask_user" as never, toolCallId, output: { odd: 1 } as never });
  await page.until(({ status }) => status === "error");
  expect(page.ui.error?.message).toContain("an object");
  await page.ui.addToolOutput({ tool: "ask_user" as never, toolCallId, output: ["this"] as never });
  await page.until(({ status }) => status === "ready");
  expect(page.text).toBe("this");
});

test("an approval that nobody knows any more is shown as expired, and is no new prompt", async () => {
  const page = new Page({ script: [[agentStep.tool(rm), "Done."]] });
  await page.ui.sendMessage({ text: "Hi" });
  const reloaded = new Page({});
  reloaded.ui.messages = structuredClone(page.ui.messages);
  await reloaded.decide(true);
  expect(reloaded.tools).toMatchObject([{ state: "output-error", errorText: "approval expired" }]);
  expect([reloaded.requests, reloaded.agent.prompts.length]).toEqual([1, 0]);
  expect(await safeValidateUIMessages({ messages: reloaded.ui.messages })).toMatchObject({ success: true });
  reloaded.ui.messages = structuredClone(page.ui.messages);
  await reloaded.decide(false);
  expect(reloaded.tools).toMatchObject([{ state: "output-denied" }]);
});

test("a late decision does nothing if another viewer has decided, and the turn goes on", async () => {
  const page = new Page({ script: [[agentStep.tool(rm), "Done."]] });
  await page.ui.sendMessage({ text: "Hi" });
  const [pending] = page.chat.getSnapshot().pending;
  page.chat.decide(pending?.id ?? "", "reject");
  await settle();
  await page.decide(true);
  expect(page.tools).toMatchObject([{ state: "output-denied", approval: { approved: false } }]);
  expect(page.text).toBe("Done.");
});

test("a page that comes later gets the whole turn by `resumeStream`, and decides in it", async () => {
  const page = new Page({ script: [["Let me. ", agentStep.tool(rm), "Done."]] });
  await page.ui.sendMessage({ text: "Hi" });
  const later = page.open(structuredClone(page.ui.messages));
  await later.resumeStream();
  expect(later.messages.at(-1)?.parts).toMatchObject([
    { type: "step-start" },
    { type: "text", text: "Let me. " },
    { type: "dynamic-tool", state: "approval-requested" },
  ]);
  const part = later.messages.at(-1)?.parts.at(-1);
  const id = part?.type === "dynamic-tool" && part.state === "approval-requested" ? part.approval.id : "";
  await later.addToolApprovalResponse({ id, approved: true });
  await page.until(({ status }) => status === "ready" && !page.chat.getSnapshot().busy, later);
  expect(later.messages).toHaveLength(2);
  expect(later.messages.at(-1)?.parts.at(-1)).toMatchObject({ type: "text", text: "Done." });
});

test("an approval is decided while a tool runs in the background, whose output follows", async () => {
  const page = new Page({
    script: [
      [
        agentStep.tool({
          name: "build",
          streams: ["building "],
          output: "built",
          during: [agentStep.tool(rm), agentStep.wait("built")],
        }),
        "Done.",
      ],
    ],
  });
  await page.ui.sendMessage({ text: "Hi" });
  const states = () => page.tools.map(({ toolName, state }) => `${toolName} ${state}`);
  expect(states()).toContain("rm approval-requested");
  expect(states()).toHaveLength(2);
  const decided = page.decide(true);
  await page.until(() => states().includes("rm output-available"));
  page.agent.release("built");
  await decided;
  expect(openIn(page.message)).toEqual([]);
  expect(page.text).toBe("Done.");
});

test("stop cancels the turn, and the next message is answered", async () => {
  const page = new Page({ script: ({ n }) => (n === 1 ? ["One ", agentStep.hang()] : ["Two."]) });
  const sent = page.ui.sendMessage({ text: "Hi" });
  await page.until(() => page.ui.messages.length === 2 && page.text === "One ");
  await page.ui.stop();
  await sent;
  expect(page.ui.status).toBe("ready");
  await page.ui.sendMessage({ text: "Again" });
  expect(page.text).toBe("Two.");
  expect(page.chat.getSnapshot().messages.at(1)?.status).toBe("cancelled");
});

test("`regenerate` asks for another answer where the backend can go back", async () => {
  const page = new Page({ script: ({ n }) => [`Answer ${n}.`] });
  await page.ui.sendMessage({ text: "Hi" });
  await page.ui.regenerate();
  expect(page.text).toBe("Answer 2.");
  const { messages } = page.chat.getSnapshot();
  expect([messages.length, messages.at(1)?.branches?.of]).toEqual([2, 2]);
  await page.ui.regenerate({ messageId: page.message.id });
  expect(page.chat.getSnapshot().messages.at(1)?.branches?.of).toBe(3);
});

test("`regenerate` sends the last prompt as a new turn where the backend cannot go back, or has never got it", async () => {
  const page = new Page({ capabilities: { branches: false }, script: ({ n }) => [`Answer ${n}.`] });
  await page.ui.sendMessage({ text: "Hi" });
  await page.ui.regenerate();
  expect(page.agent.prompts.map(({ text }) => text)).toEqual(["Hi", "Hi"]);
  const failing = new Page({ refuseConnect: true, reconnect: false });
  await failing.ui.sendMessage({ text: "Hi" });
  expect(failing.ui.status).toBe("error");
  failing.agent.set({ refuseConnect: false });
  await failing.ui.regenerate();
  expect(failing.text).toBe("You said: Hi");
});

test("an edited message replaces the old one where the backend can go back", async () => {
  const page = new Page({});
  await page.ui.sendMessage({ text: "Hi" });
  const messageId = page.ui.messages[0]?.id ?? "";
  await page.ui.sendMessage({ text: "Hello", messageId });
  expect(page.text).toBe("You said: Hello");
  const { messages } = page.chat.getSnapshot();
  expect([messages.length, messages.at(0)?.branches?.of]).toEqual([2, 2]);
});

test("a lost context is told to the page, and the agent gets a recap", async () => {
  const page = new Page({ capabilities: { survivesReconnect: false } });
  await page.ui.sendMessage({ text: "I am Ada" });
  page.agent.disconnect();
  await settle();
  await page.ui.sendMessage({ text: "Who am I?" });
  expect(page.data).toContainEqual({
    type: "data-status",
    data: { label: "context.recap", detail: expect.stringContaining("recap") },
  });
  expect(page.agent.prompts.at(-1)?.text).toContain("I am Ada");
});

test("an approval shows the input of its request, if the agent has announced another one", async () => {
  const rig = new Rig();
  const transport = new AgentwireChatTransport(rig.chat);
  const ui = new Chat<AgentwireUIMessage>({ transport });
  const sent = ui.sendMessage({ text: "Hi" });
  await rig.settle();
  const { stream } = rig.source.turn;
  const call = { type: "tool_call", name: "rm", call_id: "c1", arguments: '{"path":"a"}' } as const;
  const head = { item_id: "itm_9", native_item_id: "c1", parent_id: null, kind: "tool_call" } as const;
  const item = { ...head, role: "assistant", content: [call] } as const;
  stream.emit("item.started", { item: { ...item, status: "in_progress" } });
  stream.emit("item.completed", { item: { ...item, status: "completed" } });
  stream.emit("permission.requested", {
    permission_id: `${stream.session}.1`,
    action: "rm",
    status: "requested",
    metadata: { request_id: "r1", input: { path: "b" } },
    item_id: "itm_9",
    call_id: "c1",
  });
  await sent;
  expect(toolsIn(ui.messages.at(-1) ?? { id: "", role: "assistant", parts: [] })).toMatchObject([
    { toolName: "rm", state: "approval-requested", input: { path: "b" } },
  ]);
});
