import { ndJsonStream } from "@agentclientprotocol/sdk";
import { type AcpOptions, acp } from "agentwire/acp";
import { acpAgent } from "agentwire/acp/agent";
import { type Chat, type ChatSnapshot, createChat } from "agentwire/chat";
import { agentStep, MockAgent, type MockAgentOptions } from "agentwire/testing";
import { checkTranscript, type UniversalEvent } from "agentwire/universal";
import { expect, test } from "vitest";

const { tool } = agentStep;

interface OverChat {
  readonly chat: Chat;
  readonly mock: MockAgent;
  readonly source: ReturnType<typeof acp>;
}

/** A chat over the ACP client, over the agent, over a mock. At its end the events have no fault. */
async function play(
  script: MockAgentOptions["script"],
  body: (world: OverChat) => Promise<void>,
  options: Partial<AcpOptions> = {},
): Promise<void> {
  const mock = new MockAgent(script ? { script } : {});
  const server = acpAgent(() => mock);
  const source = acp({
    createStream: () => {
      const [there, back] = [new TransformStream<Uint8Array>(), new TransformStream<Uint8Array>()];
      // The agent's process would exit now.
      const connected = server.connect(ndJsonStream(back.writable, there.readable));
      void connected.then(({ closed }) => closed).then(() => back.writable.close());
      return { readable: back.readable, writable: there.writable };
    },
    cwd: "/",
    mode: false,
    onToolApproval: "manual",
    onQuestion: "manual",
    ...options,
  });
  const chat = createChat(source);
  const events: UniversalEvent[] = [];
  chat.on("event", (event) => events.push(event));
  try {
    await body({ chat, mock, source });
  } finally {
    await chat.close();
  }
  const sessions = new Set(events.map(({ session_id }) => session_id));
  for (const id of sessions)
    expect(checkTranscript(events.filter(({ session_id }) => session_id === id))).toEqual([]);
}

function until(chat: Chat, holds: (snapshot: ChatSnapshot) => boolean): Promise<ChatSnapshot> {
  return new Promise((resolve) => {
    const look = (): void => {
      const snapshot = chat.getSnapshot();
      if (!holds(snapshot)) return;
      off();
      resolve(snapshot);
    };
    const off = chat.subscribe(look);
    look();
  });
}

const idle = (chat: Chat): Promise<ChatSnapshot> => until(chat, ({ busy }) => !busy);

const parts = ({ messages }: ChatSnapshot) => messages.at(-1)?.parts.toArray() ?? [];

const textOf = (snapshot: ChatSnapshot): string =>
  parts(snapshot)
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("");

test("text, reasoning, tokens and the next prompt arrive", () =>
  play(
    [
      [agentStep.reasoning("Hm."), "Hello.", agentStep.usage({ inputTokens: 3, outputTokens: 4 })],
      ["Again."],
    ],
    async ({ chat }) => {
      chat.send("hi");
      const snapshot = await idle(chat);
      expect(parts(snapshot)).toMatchObject([
        { type: "reasoning", text: "Hm." },
        { type: "text", text: "Hello." },
      ]);
      expect(snapshot.messages.at(-1)).toMatchObject({
        status: "completed",
        usage: { input_tokens: 3, output_tokens: 4 },
      });
      chat.send("again");
      expect(textOf(await idle(chat))).toBe("Again.");
    },
  ));

for (const decision of ["once", "always", "reject"] as const)
  test(`a call that is decided with \`${decision}\` has its name, input, preview and outcome`, () =>
    play(
      [
        [
          tool({
            name: "edit_file",
            kind: "edit",
            title: "Edit a",
            input: { path: "a" },
            approval: true,
            output: "done",
            preview: [{ path: "a", by: "tool", diff: "-1\n+2", old_text: "1", new_text: "2" }],
          }),
          "On.",
        ],
      ],
      async ({ chat, mock }) => {
        chat.send("hi");
        const [request] = (await until(chat, ({ pending }) => pending.length > 0)).pending;
        expect(request).toMatchObject({
          type: "approval",
          tool: "edit_file",
          input: { path: "a" },
          preview: [{ path: "a", by: "agent", old_text: "1", new_text: "2" }],
        });
        chat.decide(request?.id ?? "", decision);
        const snapshot = await idle(chat);
        expect(parts(snapshot)).toMatchObject([
          {
            type: "tool",
            name: "edit_file",
            title: "Edit a",
            kind: "edit",
            ...(decision === "reject" ? { state: "denied" } : { state: "done", output: "done" }),
          },
          { type: "text", text: "On." },
        ]);
        expect(mock.decisions).toMatchObject([{ decision: decision === "always" ? "once" : decision }]);
      },
    ));

test('`always: "agent"` reaches the backend as its own grant', () =>
  play(
    [
      [
        tool({ name: "ls", approval: true, input: { a: 1 } }),
        tool({ name: "ls", approval: true, input: { a: 1 } }),
      ],
    ],
    async ({ chat, mock }) => {
      chat.send("hi");
      const [request] = (await until(chat, ({ pending }) => pending.length > 0)).pending;
      chat.decide(request?.id ?? "", "always");
      await idle(chat);
      expect(mock.decisions).toMatchObject([{ decision: "always" }, { decision: "always", by: "session" }]);
    },
    { always: "agent" },
  ));

test("questions come as forms, and their answers go back", () =>
  play(
    [[agentStep.question({ questions: [{ question: "Which?", options: ["a", "b"] }, "Why?"] })]],
    async ({ chat, mock }) => {
      chat.send("hi");
      const [request] = (await until(chat, ({ pending }) => pending.length > 0)).pending;
      expect(request).toMatchObject({
        type: "question",
        questions: [{ question: "Which?", options: [{ label: "a" }, { label: "b" }] }, { question: "Why?" }],
      });
      chat.answer(request?.id ?? "", [["mine"], ["because"]]);
      await idle(chat);
      expect(mock.answers).toMatchObject([{ answers: [["mine"], ["because"]] }]);
    },
  ));

test("a cancel with an open approval ends the turn on both sides, and the next prompt works", () =>
  play([[tool({ name: "rm", approval: true })], ["Again."]], async ({ chat, mock }) => {
    chat.send("hi");
    await until(chat, ({ pending }) => pending.length > 0);
    chat.cancel();
    const { messages } = await idle(chat);
    expect(messages.at(-1)?.status).toBe("cancelled");
    expect(mock.decisions).toMatchObject([{ decision: "reject" }]);
    chat.send("again");
    expect(textOf(await idle(chat))).toBe("Again.");
  }));

test("a failed turn fails with the backend's words, and the next prompt works", () =>
  play([[agentStep.fail("the model is overloaded")], ["Again."]], async ({ chat }) => {
    chat.send("hi");
    const { messages } = await idle(chat);
    expect(messages.at(-1)).toMatchObject({
      status: "failed",
      error: { detail: expect.stringContaining("the model is overloaded") },
    });
    chat.send("again");
    expect(textOf(await idle(chat))).toBe("Again.");
  }));

test("plan, context, commands and notices arrive", () =>
  play(
    [
      [
        agentStep.plan([{ content: "Look", status: "pending" }]),
        agentStep.context({ used: 5, size: 100 }),
        agentStep.commands([{ name: "plan", description: "Makes a plan" }]),
        agentStep.notice("Slow.", "warning"),
        agentStep.compaction("started"),
        agentStep.compaction("completed"),
        "Done.",
      ],
    ],
    async ({ chat }) => {
      chat.send("hi");
      const snapshot = await idle(chat);
      expect(snapshot.plan).toEqual([{ content: "Look", status: "pending", priority: "medium" }]);
      expect(snapshot.context).toEqual({ used: 5, size: 100 });
      expect(snapshot.commands).toEqual([{ name: "plan", description: "Makes a plan" }]);
      expect(parts(snapshot)).toMatchObject([
        { label: "notice", detail: expect.stringContaining("Slow."), severity: "warning" },
        { label: "compaction" },
        { label: "compaction" },
        { type: "text", text: "Done." },
      ]);
    },
  ));

test("a later chat loads the session from the agent's store", () =>
  play(["One.", "Two."], async ({ chat, source }) => {
    chat.send("hi");
    const { state } = await idle(chat);
    expect(state).toBeDefined();
    await chat.close();
    const client = source.client();
    try {
      const talk = client.conversation({ ...(state ? { from: state } : {}) });
      const messages = await talk.load();
      expect(messages).toMatchObject([
        { role: "user", content: "hi" },
        { role: "assistant", content: "One." },
      ]);
      const { text } = await talk.prompt("again").result;
      expect(text).toBe("Two.");
    } finally {
      await client.close();
    }
  }));
