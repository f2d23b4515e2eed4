import type { AnyAgentClient, AnyConversation, AnyTurn } from "agentwire";
import type { UniversalEvent, UniversalStream } from "agentwire/universal";
import { expect } from "vitest";
import { promise } from "./promise.ts";
import { hold } from "./support.ts";

/** What a stream can be about, and its prompt. */
const SCOPES: Readonly<
  Record<
    string,
    (client: AnyAgentClient) => { of: AnyAgentClient | AnyTurn | AnyConversation; turn: AnyTurn }
  >
> = {
  turn: (client) => {
    const turn = client.prompt("hello");
    return { of: turn, turn };
  },
  "turn of a conversation": (client) => {
    const turn = client.conversation().prompt("hello");
    return { of: turn, turn };
  },
  conversation: (client) => {
    const conversation = client.conversation();
    return { of: conversation, turn: conversation.prompt("hello") };
  },
  client: (client) => ({ of: client, turn: client.prompt("hello") }),
};

/** What a listener is told, from now on. */
function listen(stream: UniversalStream): readonly UniversalEvent[] {
  const told: UniversalEvent[] = [];
  stream.on("event", (event) => void told.push(event));
  return told;
}

/** All events of a stream that has ended. */
async function readAll(stream: UniversalStream): Promise<readonly UniversalEvent[]> {
  const read: UniversalEvent[] = [];
  for await (const event of stream) read.push(event);
  return read;
}

/** The events of one turn, in words. */
function words(events: readonly UniversalEvent[]): readonly string[] {
  const from = events.findIndex(({ type }) => type === "turn.started");
  const to = events.findIndex(({ type }) => type === "turn.ended");
  return events
    .slice(from, to + 1)
    .map(({ type, data }) => ("item" in data ? `${type} ${data.item.role}` : type));
}

for (const [scope, prompt] of Object.entries(SCOPES)) {
  promise(
    `universal: right after \`prompt()\`, the stream of a ${scope} gives listeners all that readers get`,
    async ({ client, toUniversal }) => {
      const before = toUniversal(client); // attached before the prompt: the measure
      const reference = listen(before);
      const { of, turn } = prompt(client);
      const stream = toUniversal(of);
      const told = listen(stream);
      await turn.outcome;
      stream.close();
      before.close();
      expect(told).toEqual(await readAll(stream));
      expect(words(told)).toEqual(words(reference));
      expect(words(told)).toContain("item.completed user");
      expect(told.find(({ type }) => type === "turn.started")?.data).not.toMatchObject({
        metadata: { attached_late: true },
      });
      expect(told.map(({ sequence }) => sequence)).toEqual(told.map((_, index) => index + 1));
    },
  );
}

promise(
  "universal: a listener added to a client's stream right after `prompt()` gets the whole turn",
  async ({ client, toUniversal }) => {
    const stream = toUniversal(client);
    const early = listen(stream);
    await client.prompt("one").outcome;
    const { length } = early;
    const turn = client.prompt("two");
    const late = listen(stream);
    await turn.outcome;
    expect(late).toEqual(early.slice(length));
    expect(late[0]?.type).toMatch(/^(turn|session)\.started$/);
    stream.close();
  },
);

promise("universal: a listener added later gets no earlier event", async (scene) => {
  const { client, toUniversal, backend } = scene;
  const goOn = hold(backend);
  const turn = client.prompt("hello");
  const stream = toUniversal(turn);
  const early = listen(stream);
  await backend.received(1);
  const { length } = early;
  const late = listen(stream);
  goOn();
  await turn.outcome;
  expect(late).toEqual(early.slice(length));
});

promise("universal: a cancel right after `prompt()` is emitted after the earlier events", async (scene) => {
  const { client, toUniversal } = scene;
  const turn = client.prompt("hello");
  const stream = toUniversal(turn);
  const told = listen(stream);
  void turn.cancel();
  await turn.outcome;
  stream.close();
  expect(told).toEqual(await readAll(stream));
  expect(told.at(-1)?.type).toMatch(/ended$/);
});

promise("universal: a listener removed right after `prompt()` gets nothing", async (scene) => {
  const { client, toUniversal } = scene;
  const turn = client.prompt("hello");
  const stream = toUniversal(turn);
  const left: UniversalEvent[] = [];
  stream.on("event", (event) => void left.push(event))();
  const behind = listen(stream);
  await turn.outcome;
  stream.close();
  expect(left).toEqual([]);
  expect(behind).toEqual(await readAll(stream));
});

promise(
  "universal: a listener that closes the stream in the middle of an answer gets every event up to the end, in order",
  async ({ client, toUniversal }) => {
    const turn = client.prompt("hello");
    const stream = toUniversal(turn);
    const told: UniversalEvent[] = [];
    stream.on("event", (event) => {
      told.push(event);
      if (event.type === "item.started" && event.data.item.role !== "user") stream.close();
    });
    await turn.outcome;
    stream.close();
    expect(told).toEqual(await readAll(stream));
    expect(told.map(({ sequence }) => sequence)).toEqual(told.map((_, index) => index + 1));
    expect(told.at(-1)?.type).toBe("session.ended");
  },
);

promise(
  "universal: the listeners of a turn and of its stream are told in the order in which they were added",
  async ({ client, toUniversal }) => {
    const turn = client.prompt("hello", { read: false });
    const order: string[] = [];
    turn.on("event", () => void order.push("before"));
    toUniversal(turn).on("event", ({ type }) => {
      if (type === "item.delta") order.push("stream");
    });
    turn.on("event", () => void order.push("after"));
    await turn.outcome;
    const streamed = order.flatMap((who, at) => (who === "stream" ? [order.slice(at - 1, at + 2)] : []));
    for (const around of streamed) expect(around).toEqual(["before", "stream", "after"]);
    expect(order.filter((who) => who === "before")).toHaveLength(
      order.filter((who) => who === "after").length,
    );
  },
);
