// A page of Next for docs/react.md.
// #region react-next-page
// app/page.tsx
"use client";
import { emptyMessages, inert, type MessagesState, reduceMessages } from "agentwire/chat";
import { JsonlReader } from "agentwire/universal";
import { useState } from "react";

export default function Page() {
  const [state, setState] = useState<MessagesState>(emptyMessages);
  const ask = async (form: FormData): Promise<void> => {
    const response = await fetch("/api/agent", { method: "POST", body: String(form.get("prompt")) });
    if (!response.ok || !response.body) throw new Error(await response.text());
    const lines = new JsonlReader();
    const body = response.body.getReader();
    for (let piece = await body.read(); !piece.done; piece = await body.read()) {
      const events = lines.push(piece.value);
      setState((before) => events.reduce((now, event) => reduceMessages(now, event), before));
    }
  };
  return (
    <main>
      {state.messages.map((message) => (
        <p key={message.id}>
          {message.parts.map((part) => (part.type === "text" ? inert(part.text) : null))}
          {message.error?.detail}
        </p>
      ))}
      <form action={ask}>
        <input name="prompt" aria-label="Your message" />
      </form>
    </main>
  );
}
// #endregion
