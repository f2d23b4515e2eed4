// Chats over `remote`, with users who decide, answer and resume.
import { type Chat, createChat } from "agentwire/chat";
import { remote } from "agentwire/remote";
import type { AgentSource, UniversalEvent, UniversalStream } from "agentwire/universal";
import type { Dice } from "../dice.ts";
import { atOf, endSegment, newSegment, printOf, type ViewerRecord } from "./history.ts";
import type { Wire } from "./wire.ts";

/** ms that a user thinks about a request, at most. */
const THINKING = 300;

export interface ChatViewer {
  readonly name: string;
  readonly chat: Chat;
  readonly record: ViewerRecord;
}

/** Opens a chat whose user decides, answers and resumes, and notes all that the relay tells it. */
export function openViewer(wire: Wire, id: string, name: string, dice: Dice): ChatViewer {
  const record: ViewerRecord = { chat: id, name, segments: [newSegment(0)] };
  const source = remote({
    url: wire.url,
    chat: id,
    headers: { authorization: name },
    fetch: wire.fetchFor(id),
  });
  const chat = createChat(recorded(source, record));
  const waiting = new Set<string>();
  const later = (name: string, act: () => void): void => {
    if (waiting.has(name)) return;
    waiting.add(name);
    setTimeout(
      () => {
        waiting.delete(name);
        act();
      },
      dice.int(0, THINKING),
    ).unref();
  };
  const look = (): void => {
    const { pending, connection } = chat.getSnapshot();
    for (const { type, id } of pending)
      later(id, () => {
        if (type === "question") chat.answer(id, [["this"]]);
        else chat.decide(id, { decision: dice.chance(0.7) ? "once" : "reject" });
      });
    const how = dice.chance(0.5) ? "with-transcript" : "without-context";
    if (connection.contextLost)
      later("resume", () => {
        if (chat.getSnapshot().connection.contextLost) chat.resume(how);
      });
  };
  chat.subscribe(look);
  chat.connect();
  return { name, chat, record };
}

/** Leaves the chat. What it has seen until then is judged. */
export async function leave({ chat, record }: ChatViewer): Promise<void> {
  const last = record.segments.at(-1);
  if (last?.end === "open") last.end = "left";
  await chat.close();
}

/** The same source. Its events and resets are noted as the chat gets them. */
function recorded<Source extends AgentSource>(source: Source, record: ViewerRecord): AgentSource {
  const note = (event: UniversalEvent, position: string | undefined): void => {
    const at = atOf(position);
    const last = record.segments.at(-1);
    // The first event behind a snapshot says where the snapshot ends.
    if (last?.seen.length === 0 && record.segments.at(-2)?.end === "snapshot")
      record.segments[record.segments.length - 1] = newSegment(at - 1);
    record.segments.at(-1)?.seen.push({ at, print: printOf(event) });
  };
  return {
    name: source.name,
    ...(source.hasInbox ? { hasInbox: true } : {}),
    client: () => source.client(),
    toUniversal: (of, options) => {
      const stream: UniversalStream = source.toUniversal(of, options);
      return {
        get count() {
          return stream.count;
        },
        get ended() {
          return stream.ended;
        },
        ...(stream.caughtUp ? { caughtUp: stream.caughtUp } : {}),
        events: (replay) => stream.events(replay),
        on: (name, listener, listening) =>
          stream.on(
            name,
            (event, position) => {
              note(event, position);
              listener(event, position);
            },
            listening,
          ),
        onReset: (listener) =>
          stream.onReset?.((saved) => {
            endSegment(record, saved === undefined ? "reset" : "snapshot");
            listener(saved);
          }) ?? (() => {}),
        close: () => stream.close(),
        [Symbol.asyncIterator]: () => stream[Symbol.asyncIterator](),
      };
    },
  };
}

/** Whether nothing runs or waits, as far as the viewer shows. */
export function isIdle({ chat }: ChatViewer): boolean {
  const { busy, loading, messages } = chat.getSnapshot();
  return !busy && !loading && messages.toArray().every(({ status }) => status !== "queued");
}

/** What it shows, as JSON, without prompts that never left it. */
export function messagesOf({ chat }: ChatViewer): string {
  const { messages } = chat.getSnapshot().saved;
  return JSON.stringify(
    messages.filter(({ role, turnId, status }) => role !== "user" || turnId || status === "queued"),
  );
}
