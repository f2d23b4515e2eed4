import type { UniversalEvent, UniversalStream } from "agentwire/universal";

/** All events of a stream, once it has ended. */
export async function collected(stream: UniversalStream): Promise<readonly UniversalEvent[]> {
  const events: UniversalEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}
