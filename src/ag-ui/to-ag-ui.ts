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
 *
 * Ids have the id of the session in front: `ses_1:itm_2`. Facts without a field in AG-UI are in `metadata.agentwire` of the event.
 * The names of `CUSTOM` events begin with `agentwire.`. A turn without an end gets the `RUN_ERROR` `incomplete`.
 *
 * | universal | AG-UI |
 * | --- | --- |
 * | `turn.started` | `RUN_STARTED`; `CUSTOM turn` with `turnId` |
 * | prompt id, branch | `CUSTOM turn`: `promptId`, `branchOf` |
 * | `turn.ended` completed, cancelled | `RUN_FINISHED` with the outcome `success` or `cancelled` |
 * | `turn.ended` failed | `RUN_ERROR`: what happened and what to do, in words; the backend's own message is in `metadata` |
 * | usage, cost, model, context of a turn | `usage` of the last event; all of it in its `metadata` |
 * | text, citation | `TEXT_MESSAGE_*`; `annotations` in the metadata of its end |
 * | reasoning | `REASONING_*` |
 * | tool call, streamed arguments | `TOOL_CALL_START`, `TOOL_CALL_ARGS` for each piece, `TOOL_CALL_END`, with `isCut` if the arguments were cut |
 * | tool facts | metadata of the call: `title`, `kind`, `locations` |
 * | tool result, call state | `TOOL_CALL_RESULT`, with images and audio as parts; `state` and `files` in its metadata. A call without a result gets one with the state `abandoned` |
 * | output of a running tool | `CUSTOM tool_output` |
 * | approval, question, preview | an interrupt; `CUSTOM permission` and `CUSTOM question` when they are asked and settled |
 * | scope | `CUSTOM permission`: `scope` |
 * | sub-agent | `SUBAGENT_STARTED`, `SUBAGENT_FINISHED`, `SUBAGENT_ERROR`; its events have its `subagentRunId` |
 * | plan | `ACTIVITY_SNAPSHOT` of the type `plan`, which the turn's next plan replaces |
 * | notice, compaction | `ACTIVITY_SNAPSHOT` of the type `notice` or `compaction` |
 * | file or image of an answer | `ACTIVITY_SNAPSHOT` of the type `file` |
 * | context, mode, model, commands, other status | `CUSTOM status` with `label`, `detail`, `json` |
 * | data of an answer | `CUSTOM data` |
 * | an error that the turn survives | `CUSTOM error` |
 * | system message | a text message with the role `system` |
 * | unknown message | `RAW` |
 * | unreadable message | `CUSTOM unparsed` |
 *
 * Lost: events between turns, private reasoning, the times of events, and who stated them.
 *
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
