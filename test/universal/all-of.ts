import type { UniversalEvent } from "agentwire/universal";

/** All events of a stream that ends. */
export async function allOf(stream: AsyncIterable<UniversalEvent>): Promise<readonly UniversalEvent[]> {
  const events: UniversalEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}
