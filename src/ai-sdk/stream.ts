// Streams of chunks, and `toUIMessageStream` for a route handler.
import type { UIMessageChunk } from "ai";
import { describe } from "../core/checks.ts";
import { InvalidInputError } from "../core/errors.ts";
import type { UniversalEvent } from "../universal/events.ts";
import { describeError } from "../universal/words/describe-error.ts";
import type { Chunk } from "./message.ts";
import { CUT_OFF } from "./refusals.ts";
import { TurnChunks } from "./turn-chunks.ts";

/** Makes a stream. `chunks` must not throw. @param onCancel must wake `chunks` if it waits */
export function streamOf(
  chunks: AsyncGenerator<Chunk, void, undefined>,
  onCancel: () => void = () => {},
): ReadableStream<UIMessageChunk> {
  return new ReadableStream<UIMessageChunk>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel() {
      onCancel();
      void chunks.return(); // not awaited: a foreign iterator may never wake
    },
  });
}

/** An error in words for the user. */
export function errorWords(error: unknown): string {
  const { title, detail } = describeError(error);
  return `${title}. ${detail}`;
}

/**
 * The first turn of a stream of universal events, as a stream for `createUIMessageStreamResponse`. Ends with the turn. It
 * does not end at an approval, and shows no request that the page could not answer: decide with `toolPolicy` or a
 * callback of the client. For approvals in the page, use `AgentwireChatTransport` in the route. Cancelling the stream ends
 * the iteration, not the turn. An error of the iteration becomes an `error` chunk.
 *
 * Ids are `<session>/<id>`, because the id of an item is unique only in its session.
 *
 * | universal event | chunks |
 * | --- | --- |
 * | `turn.started` | `start` with `promptId` and `branchOf` as metadata, `start-step` |
 * | text, public reasoning | `text-*`, `reasoning-*` |
 * | sources of a text (citation) | `citations` of `text-end`, then `source-url` or `source-document` |
 * | image or file with a `data:` or web address | `file`, or `reasoning-file` in reasoning; any other path `data-file` |
 * | tool call | `tool-input-start`, `tool-input-delta` while arguments stream, `tool-input-available`; cut arguments `tool-input-error`. `title` is the title; kind, locations and sub-agent are `toolMetadata` |
 * | tool result | `tool-output-available`, `preliminary` and whole each time while it grows; `tool-output-error` |
 * | `permission.requested` | `tool-approval-request`, then `finish` with `tool-calls`. Its `approvalDescriptor` has the preview, the words of a grant, and the sub-agent; in the part it is `approval.descriptor` |
 * | `permission.resolved` | by policy `tool-approval-request` with `isAutomatic` and `tool-approval-response`; a rejection also `tool-output-denied` |
 * | question | a tool part `ask_user`, which `addToolOutput` answers with a string, or with a list of strings for each question; an error declines |
 * | sub-agent | `data-subagent` with all of its text |
 * | plan, notice, compaction, title | `data-plan`, `data-notice`, `data-compaction`, `data-title` |
 * | mode, model, commands; other status, system | `data-mode`, `data-model`, `data-commands`; `data-status`: transient |
 * | context, usage, cost | `message-metadata`, metadata of `finish` |
 * | data, unknown messages | `custom`, kind `agentwire.json` |
 * | a further prompt inside a turn | `steering-message` |
 * | error that does not end the turn | `data-error`, transient |
 * | `turn.ended` | `finish`; cancelled `abort`; failed `error`. Open parts end first |
 *
 * Lost: `scope` of a decision; call states between `approved` and the end (a call without output yet is `input-available` or
 * `approval-responded`); the JSON of a tool's result; the reasoning of sub-agents, and private reasoning; events between turns;
 * `agent.unparsed`.
 *
 * @throws InvalidInputError if `events` cannot be iterated
 */
export function toUIMessageStream(events: AsyncIterable<UniversalEvent>): ReadableStream<UIMessageChunk> {
  const value: unknown = events;
  if (typeof value !== "object" || value === null || !(Symbol.asyncIterator in value))
    throw new InvalidInputError(
      `the events are ${describe(value)}, which cannot be iterated.`,
      "Pass a stream: toUIMessageStream(source.toUniversal(turn)).",
    );
  const iterator = events[Symbol.asyncIterator]();
  const leave = (): void => {
    Promise.resolve(iterator.return?.()).catch(() => {}); // the reader has gone: nobody could be told
  };
  return streamOf(chunksOf(iterator, leave), leave);
}

async function* chunksOf(
  iterator: AsyncIterator<UniversalEvent>,
  leave: () => void,
): AsyncGenerator<Chunk, void, undefined> {
  const chunks = new TurnChunks();
  try {
    while (!chunks.isOver) {
      const { done, value } = await iterator.next();
      if (done) break;
      yield* chunks.push(value);
    }
    if (chunks.isOpen) yield* chunks.stop(CUT_OFF);
  } catch (error) {
    yield* chunks.stop(errorWords(error));
  }
  leave();
}
