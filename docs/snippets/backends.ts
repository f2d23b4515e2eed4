// What docs/backends.md shows.
import { checkTranscript, type Mapping, Normaliser, type UniversalEvent } from "agentwire/universal";

/** What the backend of the page says. */
interface Delta {
  readonly type: "delta";
  readonly text: string;
}

export function translated(): readonly UniversalEvent[] {
  // #region backend-mapping
  const mapping: Mapping<Delta> = {
    protocol: "my-protocol",
    errorPrefix: "mine",
    asksOnWire: false, // no message of the backend asks for approvals
    event: ({ text }, session) => session.text(undefined, text),
    completed: () => ({ metadata: {} }),
  };
  const engine = new Normaliser(mapping, { sessionId: crypto.randomUUID(), wallTime: Date.now });
  const turnId = "1";
  const events = [
    ...engine.push({ type: "sent", turnId, input: { text: "Hello" } }),
    ...engine.push({ type: "event", turnId, event: { type: "delta", text: "Hi!" } }),
    ...engine.push({ type: "ended", turnId, end: { status: "completed", result: { text: "Hi!" } } }),
  ];
  console.log(events.length, checkTranscript(events, { live: true })); // 8 []
  // #endregion
  return events;
}
