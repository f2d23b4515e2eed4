// The first program with hooks of docs/react.md, which runs as it stands.
// #region react-first
import { createChat, inert, reveal } from "agentwire/chat";
import { ChatProvider, useAgentChat, useChat, usePending } from "agentwire/react";
import { agentStep, MockAgent } from "agentwire/testing/agent";
import { createRoot } from "react-dom/client";

const agent = new MockAgent({
  *script({ text }) {
    yield `You said: ${text}. Let me look. `;
    yield* agentStep.tool({ name: "shell", input: { command: "ls" }, output: "a.txt", approval: true });
    yield "One file.";
  },
});
const chat = createChat(agent);

function App() {
  const { send, cancel, decide } = useChat();
  const messages = useAgentChat(undefined, (now) => now.messages);
  // Stop ends the turn, or takes back what waits.
  const stop = useAgentChat(undefined, ({ busy, queue }) => (busy ? "turn" : queue.length > 0 && "all"));
  return (
    <main>
      {messages.map(({ id, status, parts }) => (
        <p key={id}>
          {parts.map((part) => {
            if (part.type === "text") return inert(part.text);
            return part.type === "tool" ? `${inert(part.name)}: ${part.state} ` : null;
          })}
          {status === "queued" && <i>waits</i>}
        </p>
      ))}
      {usePending().map(({ id, ...request }) =>
        request.type === "approval" ? (
          <button key={id} type="button" onClick={() => decide(id, "once")}>
            Allow {reveal(`${request.tool} ${JSON.stringify(request.input)}`)}?
          </button>
        ) : null,
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const { ok } = send(String(new FormData(event.currentTarget).get("prompt")));
          if (ok) event.currentTarget.reset();
        }}
      >
        <input name="prompt" aria-label="Your message" required />
        <button type="submit">Send</button>
      </form>
      {stop && (
        <button type="button" onClick={() => cancel(stop)}>
          Stop
        </button>
      )}
    </main>
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
