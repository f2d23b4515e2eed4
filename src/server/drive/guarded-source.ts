// A source whose events pass a guard before the chat sees them.
import type { UniversalEvent } from "../../universal/events.ts";
import type { AgentSource, UniversalStream } from "../../universal/stream.ts";

/** Sees each event once, and returns what the chat and the log get. Must not throw. */
export type PassEvent = (event: UniversalEvent) => UniversalEvent;

export function guardedSource(source: AgentSource, guard: PassEvent): AgentSource {
  return {
    name: source.name,
    client: () => source.client(),
    toUniversal: (of, options) => guardedStream(source.toUniversal(of, options), guard),
  };
}

/** A chat listens by `on`. Iterations are guarded too, but count as another look. */
function guardedStream(stream: UniversalStream, guard: PassEvent): UniversalStream {
  async function* guarded(events: AsyncIterable<UniversalEvent>): AsyncGenerator<UniversalEvent> {
    for await (const event of events) yield guard(event);
  }
  return {
    get count() {
      return stream.count;
    },
    get ended() {
      return stream.ended;
    },
    ...(stream.caughtUp ? { caughtUp: stream.caughtUp } : {}),
    events: (options) => guarded(stream.events(options)),
    on: (name, listener, options) =>
      stream.on(name, (event, position) => listener(guard(event), position), options),
    close: () => stream.close(),
    [Symbol.asyncIterator]: () => guarded(stream)[Symbol.asyncIterator](),
  };
}
