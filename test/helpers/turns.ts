import type { FrameRecord, Turn, TurnOutcome, TurnResult } from "agentwire";

/** What a client of any protocol tells of its frames. */
interface FrameSource {
  on(name: "frame", listener: (frame: FrameRecord) => void): () => void;
}

/** Resolves with the next frame that the client receives and that contains `part`. */
export function heard(client: FrameSource, part: string): Promise<string> {
  return new Promise((resolve) => {
    const off = client.on("frame", ({ direction, text }) => {
      if (direction !== "in" || !text.includes(part)) return;
      off();
      resolve(text);
    });
  });
}

/** Resolves once the turn has shown `text`. */
export async function shown<Event, Result extends TurnResult>(
  turn: Turn<Event, Result>,
  text: string,
): Promise<void> {
  if (turn.text === text) return;
  await new Promise<void>((resolve) => {
    const off = turn.on("event", () => {
      if (turn.text !== text) return;
      off();
      resolve();
    });
  });
}

/** The events of a turn, as they come. */
export function eventsOf<Event, Result extends TurnResult>(turn: Turn<Event, Result>): readonly Event[] {
  const events: Event[] = [];
  turn.on("event", (event) => events.push(event));
  return events;
}

/** What a turn failed with. */
export async function failureOf<Result extends TurnResult>(turn: {
  readonly outcome: Promise<TurnOutcome<Result>>;
}): Promise<unknown> {
  const outcome = await turn.outcome;
  return outcome.status === "failed" ? outcome.error : outcome;
}

/** What a promise rejects with; its value would be a mistake of the test. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const settled = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ("error" in settled) return settled.error;
  throw new Error(`Nothing was rejected: ${JSON.stringify(settled.value)}`);
}

/** What a call throws at once; its value would be a mistake of the test. */
export function thrown(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error("Nothing was thrown");
}
