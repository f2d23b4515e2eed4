// A page of docs/ai-sdk.md, which shows the call of `useChat`.
import { useChat } from "@ai-sdk/react";
import {
  AgentwireChatTransport,
  type AgentwireUIMessage,
  type AskUserInput,
  lastMessageIsDecided,
} from "agentwire/ai-sdk";
import { createChat, inert, reveal } from "agentwire/chat";
import { codebuff } from "agentwire/codebuff";

const source = codebuff({
  url: "ws://127.0.0.1:4242/ws",
  tools: { get_time: () => [{ type: "json", value: { time: new Date().toISOString() } }] },
  onToolApproval: "manual",
  onQuestion: "manual",
});
const transport = new AgentwireChatTransport(createChat(source)); // one for each chat, outside of components

export function Page({ by = transport }: { readonly by?: AgentwireChatTransport }) {
  // #region ai-sdk-page
  const { messages, status, error, sendMessage, stop, addToolApprovalResponse, addToolOutput } =
    useChat<AgentwireUIMessage>({
      id: "agent",
      transport: by,
      resume: true,
      sendAutomaticallyWhen: lastMessageIsDecided,
    });
  // #endregion
  return (
    <main>
      {messages.map(({ id, parts }) => (
        <article key={id}>
          {parts.map((part, at) => {
            const key = `${id} ${at}`;
            if (part.type === "text") return <p key={key}>{inert(part.text)}</p>;
            if (part.type === "data-subagent") return <p key={key}>{inert(part.data.text)}</p>;
            if (part.type !== "dynamic-tool") return null;
            if (part.toolName === "ask_user" && part.state === "input-available") {
              const { questions } = part.input as AskUserInput;
              const answer = async (form: FormData) => {
                await addToolOutput({
                  tool: "ask_user" as never, // the page has no types of the agent's tools
                  toolCallId: part.toolCallId,
                  output: questions.map((_, n) => [String(form.get(`answer ${n}`))]) as never,
                });
              };
              return (
                <form key={key} action={answer}>
                  {questions.map(({ question, options }, n) => (
                    <label key={question}>
                      <pre>{reveal([question, ...options.map(({ label }) => label)].join("\n"))}</pre>
                      <input name={`answer ${n}`} required />
                    </label>
                  ))}
                  <button type="submit">Answer</button>
                </form>
              );
            }
            return (
              <fieldset key={key}>
                <legend>{`${inert(part.toolName)}: ${part.state}`}</legend>
                <pre>{reveal(JSON.stringify(part.input ?? {}, null, 2))}</pre>
                {part.state === "approval-requested" &&
                  [true, false].map((approved) => (
                    <button
                      key={String(approved)}
                      type="button"
                      onClick={() => addToolApprovalResponse({ id: part.approval.id, approved })}
                    >
                      {approved ? "Allow" : "Reject"}
                    </button>
                  ))}
              </fieldset>
            );
          })}
        </article>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form action={(form) => void sendMessage({ text: String(form.get("prompt")) })}>
        <input name="prompt" aria-label="Your message" required />
        <button type="submit">Send</button>
        {status === "streaming" && (
          <button type="button" onClick={stop}>
            Stop
          </button>
        )}
      </form>
    </main>
  );
}
