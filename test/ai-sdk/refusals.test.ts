// What a transport refuses: before anything is cancelled, and without losing what waits.
import { agUiAgent } from "agentwire/ag-ui";
import { AgentwireChatTransport, type AgentwireUIMessage } from "agentwire/ai-sdk";
import { type ChatOptions, createChat } from "agentwire/chat";
import { agentStep, MockAgent, type MockAgentOptions } from "agentwire/testing/agent";
import type { UIMessage } from "ai";
import { describe, expect, test } from "vitest";
import { settle } from "../../src/testing/settle.ts";
import { inputOf } from "../ag-ui/support/client.ts";
import { collect, told } from "../ag-ui/support/judge.ts";
import { Page, rm, toolsIn } from "./rig.ts";
import { chunksIn } from "./support.ts";

const PNG = "data:image/png;base64,aGk=";

interface Refused {
  readonly text: string;
  readonly image?: true;
  readonly agent?: MockAgentOptions;
  readonly chat?: ChatOptions;
}

const REFUSED: Readonly<Record<string, Refused>> = {
  "a blank prompt": { text: " \n" },
  "images that the backend does not take": {
    text: "Look",
    image: true,
    agent: { capabilities: { images: false } },
  },
  "a prompt for which the queue has no room": { text: "Another", chat: { whenBusy: "refuse" } },
};

describe.each(Object.keys(REFUSED))("%s, while an approval waits,", (name) => {
  const { text, image, agent: options, chat: chatOptions } = REFUSED[name] ?? { text: "" };
  const agent = new MockAgent({ script: [[agentStep.tool(rm), "Done."]], ...options });
  const chat = createChat(agent, chatOptions);

  test("is refused by both adapters, and cancels nothing", async () => {
    const transport = new AgentwireChatTransport(chat);
    const send = (id: string, parts: UIMessage["parts"]) =>
      transport.sendMessages({
        trigger: "submit-message",
        chatId: "chat",
        messageId: undefined,
        messages: [{ id, role: "user", parts }],
        abortSignal: undefined,
      });
    await chunksIn(await send("u1", [{ type: "text", text: "Hi" }]));
    const [pending] = chat.getSnapshot().pending;
    const parts: UIMessage["parts"] = [{ type: "text", text }];
    if (image) parts.push({ type: "file", mediaType: "image/png", url: PNG });
    expect(await chunksIn(await send("u2", parts))).toMatchObject([{ type: "error" }]);
    const content = [
      { type: "text" as const, text },
      ...(image
        ? [
            {
              type: "image" as const,
              source: { type: "data" as const, value: "aGk=", mimeType: "image/png" },
            },
          ]
        : []),
    ];
    const input = inputOf([], { messages: [{ id: "m", role: "user", content }] });
    expect(told(await collect(agUiAgent(chat).run(input))).at(-1)).toContain("RUN_ERROR");
    await settle();
    expect(chat.getSnapshot().pending).toEqual([pending]);
    chat.decide(pending?.id ?? "", "once");
    await new Promise<void>((resolve) => chat.subscribe(() => chat.getSnapshot().busy || resolve()));
    expect(chat.getSnapshot().messages.at(-1)?.status).toBe("completed");
    expect(agent.prompts).toHaveLength(1);
  });
});

test.each([
  ["no messages", undefined],
  ["messages that are an object", {}],
  ["messages that are null", [null]],
  ["a message without parts", [{ id: "u", role: "user" }]],
  ["a part that is a text", [{ id: "u", role: "user", parts: ["Hi"] }]],
  ["a file without an address", [{ id: "u", role: "user", parts: [{ type: "file" }] }]],
])("a body with %s is an `error` chunk that says so", async (_, messages) => {
  const { transport } = new Page({});
  const stream = await transport.sendMessages({
    trigger: "submit-message",
    chatId: "chat",
    messageId: undefined,
    messages: messages as UIMessage[],
    abortSignal: undefined,
  });
  expect(await chunksIn(stream)).toEqual([
    { type: "error", errorText: expect.stringMatching(/`messages`|`parts`|`url`/) },
  ]);
});

const FORM = {
  questions: [
    { question: "Which?", options: ["this", "that"] },
    { question: "Why?", options: ["so", "because"] },
  ],
};

test("an answer that does not fit a form of two questions is refused, the form comes back, and the next answer counts", async () => {
  const page = new Page({
    *script() {
      const answers = yield* agentStep.question(FORM);
      yield JSON.stringify(answers);
    },
  });
  await page.ui.sendMessage({ text: "Hi" });
  const id = page.tools[0]?.toolCallId ?? "";
  for (const odd of ["this", { answers: [] }, [["this"]]]) {
    await page.answer(id, odd);
    expect(page.ui.status).toBe("error");
    expect(page.ui.error?.message).toMatch(/a list of strings for each question/);
    expect(page.tools).toMatchObject([
      {
        toolCallId: id,
        state: "input-available",
        input: { questions: [{ question: "Which?" }, { question: "Why?" }] },
      },
    ]);
  }
  expect(page.requests).toBe(4);
  await page.answer(id, [["that"], ["because"]]);
  expect(page.ui.status).toBe("ready");
  expect(page.text).toBe('[["that"],["because"]]');
  expect(page.tools).toMatchObject([{ state: "output-available", providerExecuted: true }]);
  expect(page.ui.messages).toHaveLength(2);
});

describe("a decision approves", () => {
  const decided = async (approved: unknown): Promise<string> => {
    const page = new Page({ script: [[agentStep.tool(rm), "Done."]] });
    await page.ui.sendMessage({ text: "Hi" });
    const messages: AgentwireUIMessage[] = structuredClone(page.ui.messages);
    const [part] = toolsIn(messages.at(-1) ?? page.message);
    const approval = { ...part?.approval, approved };
    Object.assign(part ?? {}, { state: "approval-responded", approval });
    await chunksIn(
      await page.transport.sendMessages({
        trigger: "submit-message",
        chatId: "page",
        messageId: undefined,
        messages,
        abortSignal: undefined,
      }),
    );
    const answer = page.chat.getSnapshot().messages.at(-1);
    const tool = answer?.parts.toArray().find(({ type }) => type === "tool");
    return tool?.type === "tool" ? tool.state : "none";
  };

  test("if it is `true`", async () => {
    expect(await decided(true)).toBe("done");
  });

  test.each([["true"], ["yes"], [1], [{}], [[]], [null], [undefined], [false]])(
    "not if it is %j",
    async (approved) => {
      expect(await decided(approved)).toBe("denied");
    },
  );
});
