// Maps a stream of universal events to AG-UI: each turn is a run.
import { type Checks, checkFields, checks, isObject } from "../core/checks.ts";
import { InvalidInputError } from "../core/errors.ts";
import type { UniversalEvent } from "../universal/events.ts";
import { breakable, checkIterable } from "./breakable.ts";
import { type AgUiEvent, type AgUiRun, runError, runStarted } from "./event.ts";
import { TurnWriter } from "./turn-writer.ts";

const RUN: Checks<AgUiRun> = { threadId: checks.string, runId: checks.string };

/**
 * Maps universal events to AG-UI events: a live stream of a source, or stored events. Each turn is a run. The first has
 * the given `runId`, the next ones `<runId>.2`, `<runId>.3`. Nobody can answer over such a stream, so an approval is no
 * interrupt: use `agUiAgent` for these. What happens between turns is left out. Runs of AG-UI do not overlap: a turn that
 * starts while another is open, in any session, ends the run of the other with `RUN_ERROR`. Later events of the other turn
 * are left out. An error of `events` ends the run with `RUN_ERROR`.
 * @throws InvalidInputError for an argument of another type
 */
export function toAgUi(events: AsyncIterable<UniversalEvent>, run: AgUiRun): AsyncIterable<AgUiEvent> {
  checkIterable(events, "`source.toUniversal(turn)`");
  if (!isObject(run) || run.threadId === undefined || run.runId === undefined)
    throw new InvalidInputError("the ids of the run are missing.", "Pass { threadId, runId }.");
  checkFields<AgUiRun, typeof RUN>(run, RUN, "field");
  const iterator = events[Symbol.asyncIterator]();
  return breakable(mapped(iterator, { ...run }), () => iterator.return?.());
}

async function* mapped(
  events: AsyncIterator<UniversalEvent>,
  first: AgUiRun,
): AsyncGenerator<AgUiEvent, void, undefined> {
  let run = first;
  let session = "";
  let writer: TurnWriter | undefined;
  try {
    for (let turns = 0; ; ) {
      const { done, value: event } = await events.next();
      if (done) break;
      if (event.type === "turn.started") {
        if (writer) yield yield* writer.end(run, undefined); // that turn was cut off
        if (++turns > 1) run = { ...first, runId: `${first.runId}.${turns}` };
        session = event.session_id;
        writer = new TurnWriter(session, event.data.turn_id);
        yield runStarted(run);
      }
      if (event.session_id !== session) continue;
      if (event.type === "turn.ended" || event.type === "session.ended") {
        if (writer)
          yield yield* writer.end(run, event.type === "turn.ended" ? event.data.metadata : undefined);
        writer = undefined;
      } else if (writer) yield* writer.write(event);
    }
    if (writer) yield yield* writer.end(run, undefined);
  } catch (error) {
    yield runError(error);
  }
}
