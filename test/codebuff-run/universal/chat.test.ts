import { type Chat, type ChatPart, type ChatSnapshot, createChat } from "agentwire/chat";
import { type CodebuffRunOptions, codebuffRun } from "agentwire/codebuff-run";
import {
  type BackendFaultOptions,
  ManualClock,
  MockCodebuffBackend,
  type MockCodebuffBackendOptions,
} from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { AGENT, SUBAGENTS } from "./world.ts";

/** A chat on a mock backend. */
async function chatWorld(
  backendOptions: MockCodebuffBackendOptions = {},
  options: CodebuffRunOptions = {},
  from?: ChatSnapshot["saved"],
) {
  const backend = await MockCodebuffBackend.start(backendOptions);
  const { url: baseUrl, apiKey } = backend;
  const source = codebuffRun({ baseUrl, apiKey, agent: AGENT, agentDefinitions: SUBAGENTS, ...options });
  const chat = createChat(source, from ? { from } : {});
  return {
    backend,
    chat,
    async [Symbol.asyncDispose]() {
      await chat.close();
      await backend.stop();
    },
  };
}

/** The first snapshot that fits. */
function until(chat: Chat, fits: (snapshot: ChatSnapshot) => boolean): Promise<ChatSnapshot> {
  return new Promise((resolve) => {
    const look = (): void => {
      const snapshot = chat.getSnapshot();
      if (!fits(snapshot)) return;
      off();
      resolve(snapshot);
    };
    const off = chat.subscribe(look);
    look();
  });
}

const idle = ({ busy, queue, messages }: ChatSnapshot): boolean =>
  !busy && queue.length === 0 && messages.length > 1;

/** The parts of the last message, as lists. */
function partsOf(parts: Iterable<ChatPart> | undefined): readonly object[] {
  return [...(parts ?? [])].map((part) => ("parts" in part ? { ...part, parts: partsOf(part.parts) } : part));
}

/** Sends a prompt and waits for its end. */
async function said(chat: Chat, prompt: string): Promise<ChatSnapshot> {
  const { length } = chat.getSnapshot().messages;
  chat.send(prompt);
  return until(chat, (snapshot) => idle(snapshot) && snapshot.messages.length > length);
}

const glob = { name: "glob", arguments: { pattern: "*.ts" } };
const FILES = [{ type: "json", value: { files: ["a.ts"] } } as const];

describe("a chat over a run", () => {
  test("shows text once, reasoning, tokens and credits", async () => {
    await using at = await chatWorld({
      answer: [{ reasoning: "hm", text: ["Hel", "lo"], usage: { cost: 0.05 } }],
    });
    const { messages, cost, usage } = await said(at.chat, "hi");
    expect(messages.at(-1)?.status).toBe("completed");
    expect(partsOf(messages.at(-1)?.parts)).toMatchObject([
      { type: "reasoning", text: "hm" },
      { type: "text", text: "Hello" },
    ]);
    expect(cost).toEqual([{ total: 5, currency: "credits" }]);
    expect(usage).toMatchObject({ input_tokens: 100, output_tokens: 20 });
    expect(at.chat.getSnapshot().capabilities).toMatchObject({ permissions: "client", questions: true });
  });

  test("asks before a tool runs, and shows the outcome of each call", async () => {
    let runs = 0;
    await using at = await chatWorld(
      { answer: [{ toolCalls: [glob] }, { toolCalls: [glob] }, "Done."] },
      {
        onToolApproval: "manual",
        overrideTools: {
          glob: () => {
            runs++;
            return FILES;
          },
        },
      },
    );
    at.chat.send("look");
    for (const decision of ["once", "reject"] as const) {
      const { pending } = await until(at.chat, (snapshot) => snapshot.pending.length === 1);
      const [request] = pending;
      expect(request).toMatchObject({ type: "approval", tool: "glob", input: { pattern: "*.ts" } });
      at.chat.decide(request?.id ?? "", decision);
    }
    const { messages } = await until(at.chat, idle);
    expect(partsOf(messages.at(-1)?.parts)).toMatchObject([
      { type: "tool", name: "glob", state: "done" },
      { type: "tool", name: "glob", state: "denied" },
      { type: "text", text: "Done." },
    ]);
    expect(runs).toBe(1);
  });

  test("shows the agent's question to the user", async () => {
    const questions = [{ question: "Which?", options: [{ label: "Red" }, { label: "Blue" }] }];
    await using at = await chatWorld(
      { answer: [{ toolCalls: [{ name: "ask_user", arguments: { questions } }] }, "Red it is."] },
      { onQuestion: "manual" },
    );
    at.chat.send("paint");
    const { pending } = await until(at.chat, (snapshot) => snapshot.pending.length === 1);
    expect(pending).toMatchObject([{ type: "question", questions: [{ question: "Which?" }] }]);
    at.chat.answer(pending[0]?.id ?? "", "Red");
    const { messages } = await until(at.chat, idle);
    expect(partsOf(messages.at(-1)?.parts)).toMatchObject([
      { type: "question", status: "answered", answers: [{ selected: ["Red"] }] },
      { type: "text", text: "Red it is." },
    ]);
  });

  test("shows a sub-agent with its own text", async () => {
    await using at = await chatWorld({
      answer: ({ agentId, call }) => {
        if (agentId === "picker") return { text: ["found ", "it"] };
        if (call > 1) return "Done.";
        const agents = [{ agent_type: "picker", prompt: "find" }];
        return { text: "I ask.", toolCalls: [{ name: "spawn_agents", arguments: { agents } }] };
      },
    });
    const { messages } = await said(at.chat, "hi");
    expect(partsOf(messages.at(-1)?.parts)).toMatchObject([
      { type: "text", text: "I ask." },
      { type: "tool", name: "spawn_agents", state: "done" },
      { type: "subagent", name: "Picker", state: "done", parts: [{ type: "text", text: "found it" }] },
      { type: "text", text: "Done." },
    ]);
  });

  test("continues from its saved state, with the history of the last run", async () => {
    await using first = await chatWorld({ answer: ["Hello, Ada."] });
    const { saved } = await said(first.chat, "I am Ada.");
    await using second = await chatWorld({ answer: ["Ada."] }, {}, JSON.parse(JSON.stringify(saved)));
    expect(second.chat.getSnapshot().messages.length).toBe(2);
    const { messages } = await said(second.chat, "Who am I?");
    expect(messages.length).toBe(4);
    const [request] = second.backend.requests({ endpoint: "chat" });
    expect(JSON.stringify(request?.body)).toContain("Hello, Ada.");
    expect(second.backend.violations).toEqual([]);
  });

  test("shows a cancelled message as cancelled, and the next prompt works", async () => {
    await using at = await chatWorld({
      answer: ({ request }) =>
        JSON.stringify(request.messages).includes("again")
          ? "Again."
          : { text: ["part", new Promise(() => {})] },
    });
    at.chat.send("hi");
    await until(at.chat, ({ messages }) => partsOf(messages.at(-1)?.parts).length > 0 && messages.length > 1);
    at.chat.cancel();
    const { messages } = await until(at.chat, idle);
    expect(messages.at(-1)?.status).toBe("cancelled");
    expect(partsOf(messages.at(-1)?.parts)).toMatchObject([{ type: "text", text: "part" }]);
    expect((await said(at.chat, "again")).messages.at(-1)).toMatchObject({ status: "completed" });
  });
});

describe("an error of the backend is shown with a title and advice", () => {
  const FAILURES: readonly (readonly [string, BackendFaultOptions])[] = [
    ["401", { status: 401, body: { message: "Unauthorized" } }],
    ["402", { status: 402, body: { message: "Out of credits." } }],
    ["403", { status: 403, body: { error: "account_suspended", message: "Suspended." } }],
    ["429", { status: 429, body: { error: "rate_limit_exceeded", message: "Weekly limit." } }],
    ["500", { status: 500 }],
    ["network", { reset: true }],
  ];

  test.each(FAILURES)("%s", async (_, fault) => {
    await using at = await chatWorld({}, { clock: new Hasty() });
    at.backend.fault("chat", fault);
    const { messages } = await said(at.chat, "hi");
    const last = messages.at(-1);
    expect(last?.status).toBe("failed");
    expect(last?.error).toMatchObject({ title: expect.any(String), detail: expect.any(String) });
    expect(last?.error?.title).not.toBe("");
  });
});

/** Goes on at once where the client waits before another try; all its other timers stand. */
class Hasty extends ManualClock {
  override setTimeout(callback: () => void, delay: number) {
    if (![1_100, 2_200, 4_400].includes(delay)) return super.setTimeout(callback, delay);
    queueMicrotask(callback);
    return () => {};
  }
}
