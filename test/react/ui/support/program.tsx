// A page with `<Chat>`, for tests: `start` shows a chat, and the functions on `window` drive its agent.
import { type Chat as AgentChat, type ChatPending, createChat, type SavedChat } from "agentwire/chat";
import { Approval, Chat, ChatRoot, type ChatSlots, Question } from "agentwire/react/ui";
import { agentStep, MockAgent, type MockAgentOptions, type MockAgentStep } from "agentwire/testing/agent";
import type { ComponentProps } from "react";
import { createRoot } from "react-dom/client";

/** How often each message and each part was rendered, by its id. */
const renders = new Map<string, number>();

const count = (id: string): void => void renders.set(id, (renders.get(id) ?? 0) + 1);

const SLOTS: ChatSlots = {
  Message: ({ message, children }) => {
    count(message.id);
    return <>{children}</>;
  },
  parts: {
    text: ({ part, children }) => {
      count(part.id);
      return <>{children}</>;
    },
    tool: ({ part, children }) => {
      count(part.id);
      return <>{children}</>;
    },
  },
};

/** What the agent says next: texts, and steps. */
const waiting: (string | MockAgentStep)[] = [];
let isOver = false;
let wake: () => void = () => {};
let gates = 0;

/** An answer whose pieces the test gives. */
function* told() {
  for (;;) {
    const [piece] = waiting.splice(0, 1);
    if (piece !== undefined) yield piece;
    else if (isOver) return;
    else {
      const gate = `gate ${++gates}`;
      wake = () => agent.release(gate);
      yield agentStep.wait(gate);
    }
  }
}

let agent: MockAgent;

const place = document.querySelector("#root");
if (!place) throw new TypeError("the page has no #root");
const root = createRoot(place);

const page = {
  step: agentStep,
  renders,
  chat: undefined as AgentChat | undefined,
  /** Shows a chat. Its agent says what `say` is given, or what `script` has. */
  start(
    props: Omit<ComponentProps<typeof Chat>, "chat" | "slots"> = {},
    options: MockAgentOptions = {},
    from?: SavedChat,
  ): void {
    agent = new MockAgent({ script: told, ...options });
    const chat = createChat(agent, from ? { from } : {});
    page.chat = chat;
    page.show(chat, props);
  },
  show(chat: AgentChat, props: Omit<ComponentProps<typeof Chat>, "chat" | "slots"> = {}): void {
    root.render(<Chat chat={chat} slots={SLOTS} {...props} />);
  },
  /** Shows all requests at once. */
  ask(chat: AgentChat, requests: readonly ChatPending[]): void {
    root.render(
      <ChatRoot chat={chat}>
        {requests.map((request) =>
          request.type === "approval" ? (
            <Approval key={request.id} request={request} />
          ) : (
            <Question key={request.id} request={request} />
          ),
        )}
      </ChatRoot>,
    );
  },
  /** The agent says more. Resolves when the page shows it. */
  async say(...pieces: (string | MockAgentStep)[]): Promise<void> {
    waiting.push(...pieces);
    wake();
    await page.settled();
  },
  async end(): Promise<void> {
    isOver = true;
    wake();
    await page.settled();
    isOver = false;
  },
  /** Resolves when the agent has nothing more to say, and all is drawn. */
  async settled(): Promise<void> {
    for (let round = 0; round < 3 || waiting.length > 0; round++) {
      if (round > 1_000)
        throw new Error(`the agent does not say: ${JSON.stringify(page.chat?.getSnapshot().connection)}`);
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    await new Promise(requestAnimationFrame);
  },
};

export type TestPage = typeof page;

Object.assign(globalThis, { page });
