// The first program of docs/react.md, which runs as it stands.
// #region react-first
import { type ChatMessage, type ChatPart, createChat, inert, reveal } from "agentwire/chat";
import { ChatProvider, useAgentChat, useChat, usePending } from "agentwire/react";
import { agentStep, MockAgent } from "agentwire/testing/agent";
import { memo } from "react";
import { createRoot } from "react-dom/client";

const agent = new MockAgent({
  *script({ text }) {
    yield `You said: ${text}. Let me look. `;
    yield* agentStep.tool({ name: "shell", input: { command: "ls" }, output: "a.txt", approval: true });
    yield "One file.";
  },
});
const chat = createChat(agent); // a backend of yours: createChat(codey({ url, onToolApproval: "manual" }))

function App() {
  const messages = useAgentChat(undefined, (now) => now.messages);
  return (
    <main>
      {messages.map((message) => (
        <Message key={message.id} message={message} />
      ))}
      <Approvals />
      <Composer />
    </main>
  );
}

// Messages and parts that did not change are the same objects, so `memo` renders only what is new.
const Message = memo(({ message }: { readonly message: ChatMessage }) => (
  <article>
    <b>{message.role}</b>{" "}
    {message.parts.map((part) => (
      <Part key={part.id} part={part} />
    ))}
    {message.status === "queued" && <i>waits</i>}
    {message.error && <p role="alert">{`${message.error.title}. ${message.error.detail}`}</p>}
  </article>
));

const Part = memo(({ part }: { readonly part: ChatPart }) => {
  if (part.type === "text") return <span>{inert(part.text)}</span>;
  if (part.type === "tool") return <pre>{`${inert(part.name)}: ${part.state}\n${inert(part.output)}`}</pre>;
  return null; // docs/ui.md lists the other parts
});

function Approvals() {
  const { decide } = useChat();
  return usePending().map((request) =>
    request.type === "approval" ? (
      <fieldset key={request.id}>
        <legend>Allow {reveal(request.tool)}?</legend>
        <pre>{reveal(JSON.stringify(request.input, null, 2))}</pre>
        <button type="button" onClick={() => decide(request.id, "once")}>
          Allow
        </button>
        <button type="button" onClick={() => decide(request.id, "reject")}>
          Reject
        </button>
      </fieldset>
    ) : null,
  );
}

function Composer() {
  const { send, cancel } = useChat();
  // While a turn runs, Stop ends it. Without a turn, Stop takes back the prompts that wait, such as for `resume`.
  const stop = useAgentChat(undefined, ({ busy, queue }) =>
    busy ? "turn" : queue.length > 0 ? "all" : null,
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const { ok } = send(String(new FormData(event.currentTarget).get("prompt")));
        if (ok) event.currentTarget.reset();
      }}
    >
      <input name="prompt" aria-label="Your message" required />
      <button type="submit">Send</button>
      {stop && (
        <button type="button" onClick={() => cancel(stop)}>
          Stop
        </button>
      )}
    </form>
  );
}

const root = document.getElementById("root");
if (root)
  createRoot(root).render(
    <ChatProvider chat={chat}>
      <App />
    </ChatProvider>,
  );
// #endregion
