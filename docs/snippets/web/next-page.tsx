// A page of Next for docs/react.md.
// #region react-next-page
// app/page.tsx
"use client";
import { emptyMessages, inert, type MessagesState, reduceMessages } from "agentwire/chat";
import { JsonlReader } from "agentwire/universal";
import { useState } from "react";

export default function Page() {
  const [state, setState] = useState<MessagesState>(emptyMessages);
  const [problem, setProblem] = useState("");
  const stream = async (prompt: string): Promise<void> => {
    const response = await fetch("/api/agent", { method: "POST", body: prompt });
    if (!response.ok || !response.body) throw new Error(await response.text());
    setProblem("");
    const lines = new JsonlReader();
    const body = response.body.getReader();
    for (let piece = await body.read(); !piece.done; piece = await body.read()) {
      const events = lines.push(piece.value);
      setState((before) => events.reduce((now, event) => reduceMessages(now, event), before));
    }
  };
  // React unmounts a page whose form action throws.
  const ask = (form: FormData): Promise<void> =>
    stream(String(form.get("prompt"))).catch(({ message }: Error) => setProblem(message));
  return (
    <main>
      {state.messages.map((message) => (
        <p key={message.id}>
          {message.parts.map((part) => (part.type === "text" ? inert(part.text) : null))}
          {message.error?.detail}
        </p>
      ))}
      {problem && <p role="alert">{problem}</p>}
      <form action={ask}>
        <input name="prompt" aria-label="Your message" required />
      </form>
    </main>
  );
}
// #endregion
