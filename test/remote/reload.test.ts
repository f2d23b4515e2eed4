import { type Chat, type ChatSnapshot, createChat } from "agentwire/chat";
import { checkTranscript, type UniversalEvent } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { until } from "../../examples/support/until.ts";
import { BACKENDS, type BackendRow } from "./support/backends.ts";
import { CHAT, RealRelay } from "./support/real-relay.ts";
import { comparable, isOver, shown } from "./support/shown.ts";
import { Viewer } from "./support/world.ts";

/** The chat over the source itself, at the end of the answer. */
async function answerOf(start: BackendRow["start"]): Promise<ChatSnapshot> {
  await using backend = await start();
  const chat = createChat(backend.source);
  const off = chat.subscribe(() => reply(chat));
  chat.send("Go");
  await until(chat, isOver);
  const over = chat.getSnapshot();
  off();
  await chat.close();
  return over;
}

/** Replies to what waits: yes. */
function reply(chat: Chat): void {
  for (const { type, id } of chat.getSnapshot().pending)
    if (type === "approval") chat.decide(id, "once");
    else chat.answer(id, "Yes");
}

/** All types of parts, of sub-agents too. */
function typesIn(value: unknown, types = new Set<string>()): ReadonlySet<string> {
  JSON.parse(JSON.stringify(value), (name, each: unknown) => {
    if (name === "type" && typeof each === "string") types.add(each);
    return each;
  });
  return types;
}

describe.each(BACKENDS)("a reload behind each event of an answer of $name", ({ start, shows, asks }) => {
  test("ends with the messages of the chat that saw everything, and of a chat over the source itself", async () => {
    const wanted = await answerOf(start);
    expect([...typesIn(wanted.messages)]).toEqual(expect.arrayContaining([...shows]));
    await using backend = await start();
    await using relay = await RealRelay.start(backend.source);
    await using first = new Viewer(relay);
    await first.ready();
    const viewers: Viewer[] = [];
    first.chat.on("event", () => void viewers.push(new Viewer(relay)));
    first.chat.send("Go");
    for (const type of asks) {
      // Another viewer decides, that came when the request was waiting already.
      await first.until(({ pending }) => pending.length > 0);
      const [request] = first.now.pending;
      await using later = new Viewer(relay);
      await later.until(({ pending }) => pending.length > 0);
      const [seen] = later.now.pending;
      expect(seen).toEqual(request);
      expect(seen?.type).toBe(type);
      reply(later.chat);
      await first.until(({ pending }) => pending[0]?.id !== request?.id);
    }
    await first.until(isOver);
    const log = await relay.events();
    expect(viewers.length).toBe(log.length);
    expect(checkTranscript(log, { live: true })).toEqual([]);
    expect(comparable(first.now)).toEqual(comparable(wanted));
    for (const viewer of viewers) {
      await viewer.has(log.length);
      expect(viewer.events).toEqual(log);
      expect(shown(viewer.now)).toEqual(shown(first.now));
      await viewer.chat.close();
    }
    await replay(log, shown(first.now));
  });
});

/** The same log once more, event by event: each viewer comes exactly behind one of them. */
async function replay(events: readonly UniversalEvent[], wanted: unknown): Promise<void> {
  const never = { name: "never", client: () => expect.fail("not driven"), toUniversal: () => expect.fail() };
  await using relay = await RealRelay.start(never, { drive: false });
  const lease = await relay.log.acquire(CHAT, "test", 1_000_000);
  if (!lease || lease === "orphan") throw new Error("the chat is driven");
  const viewers: Viewer[] = [];
  for (const [at, event] of events.entries()) {
    const viewer = new Viewer(relay);
    viewers.push(viewer);
    await viewer.has(at);
    expect(checkTranscript(viewer.events, { live: true })).toEqual([]);
    await relay.log.append(CHAT, lease.epoch, at + 1, [event]);
  }
  for (const viewer of viewers) {
    await viewer.has(events.length);
    expect(shown(viewer.now)).toEqual(wanted);
    await viewer.chat.close();
  }
}
