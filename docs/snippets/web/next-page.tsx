// A page of Next for docs/react.md.
// #region react-next-page
// app/page.tsx
"use client";
import { inert } from "agentwire/chat";
import { emptyTranscript, fold, JsonlReader } from "agentwire/universal";
import { useState } from "react";

export default function Page() {
  const [transcript, setTranscript] = useState(emptyTranscript);
  const [problem, setProblem] = useState("");
  const stream = async (prompt: string): Promise<void> => {
    const response = await fetch("/api/agent", { method: "POST", body: prompt });
    if (!response.ok || !response.body) throw new Error(await response.text());
    setProblem("");
    const lines = new JsonlReader();
    const body = response.body.getReader();
    for (let piece = await body.read(); !piece.done; piece = await body.read()) {
      const events = lines.push(piece.value);
      setTranscript((before) => fold(events, before));
    }
  };
  // React unmounts a page whose form action throws.
  const ask = (form: FormData): Promise<void> =>
    stream(String(form.get("prompt"))).catch(({ message }: Error) => setProblem(message));
  return (
    <main>
      {transcript.messages.map((message) => (
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
