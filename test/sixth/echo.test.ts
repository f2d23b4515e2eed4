import { describe, expect, test } from "vitest";
import { createChat } from "../../src/chat/index.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { checkTranscript, type UniversalEvent } from "../../src/universal/index.ts";
import { gate } from "../helpers/codebuff.ts";
import { failureOf, rejection, shown, thrown } from "../helpers/turns.ts";
import { EchoClient, type EchoClientOptions, echo, toUniversal } from "./index.ts";
import { type EchoStep, type MockEchoOptions, MockEchoServer } from "./mock.ts";

// What this protocol alone has. What every client does alike is in test/contract/.

const ASK: EchoStep = { kind: "ask", name: "read", input: { path: "a.txt" }, output: "of a.txt" };

/** A server and a client of it, closed at the end of the scope. */
async function rig(server: MockEchoOptions = {}, options: Partial<EchoClientOptions> = {}) {
  const mock = await MockEchoServer.start(server);
  const client = new EchoClient({ url: mock.url, reconnect: false, ...options });
  return {
    mock,
    client,
    async [Symbol.asyncDispose]() {
      await Promise.all([client.close({ force: true }), mock.stop()]);
    },
  };
}

/** The types of the frames that the server has got, without the greeting. */
const heard = ({ frames }: MockEchoServer): readonly unknown[] =>
  frames
    .filter(({ direction }) => direction === "c2s")
    .map(({ raw }) => JSON.parse(raw).type)
    .slice(1);

/** Resolves once the server has got a frame of this type. */
const got = (mock: MockEchoServer, type: string): Promise<boolean> =>
  mock.waitFor((server) => heard(server).includes(type));

/** A server that begins to answer, and goes on for ever. */
const ENDLESS: MockEchoOptions = {
  answer: async function* () {
    yield "part";
    await new Promise<never>(() => {});
  },
};

describe("the handshake", () => {
  test("that is refused is not retried, and its error quotes the server without the token", async () => {
    await using place = await rig({ refuses: "no such token: t0ken-1234" }, { token: "t0ken-1234" });
    expect(await rejection(place.client.connect())).toMatchObject({
      code: "handshake-refused",
      reason: "rejected",
      message: expect.stringMatching(/refused the client: no such token: (?!t0ken)/),
    });
    expect(place.client.status).toBe("closed");
  });

  test("is refused with a token over plain `ws://` to another machine", () => {
    expect(thrown(() => new EchoClient({ url: "ws://example.com/", token: "t0ken-1234" }))).toMatchObject({
      code: "invalid-input",
    });
  });
});

describe("a tool call", () => {
  test("that is allowed runs, and its output arrives", async () => {
    await using place = await rig(
      { answer: () => ["Let me see. ", ASK, "Done."] },
      { onToolApproval: ({ name }) => name === "read" },
    );
    const turn = place.client.prompt("what is in a.txt?");
    const events: string[] = [];
    for await (const { type } of turn) events.push(type);
    expect(events).toEqual(["delta", "ask", "output", "delta", "done"]);
    expect(await turn.result).toMatchObject({
      text: "Let me see. Done.",
      toolCalls: [{ name: "read", input: { path: "a.txt" }, state: "done", output: "of a.txt" }],
    });
    expect(place.mock.violations).toEqual([]);
  });

  test("is denied without an approval handler, and the turn goes on", async () => {
    await using place = await rig({ answer: () => [ASK, "Never mind."] });
    expect(await place.client.prompt("what is in a.txt?").result).toMatchObject({
      text: "Never mind.",
      toolCalls: [{ state: "denied", deniedBy: "policy" }],
    });
    expect(heard(place.mock)).toEqual(["prompt", "decision"]);
  });

  test("that waits for approval is withdrawn by a cancel, and no decision is sent", async () => {
    await using place = await rig({ answer: () => [ASK] }, { onToolApproval: "manual" });
    const { client, mock } = place;
    const asked = new Promise<string>((resolve) => client.on("approval", ({ id }) => resolve(id)));
    const turn = client.prompt("what is in a.txt?");
    const id = await asked;
    expect(await turn.cancel()).toMatchObject({ status: "cancelled" });
    expect(client.decide(id, true)).toMatchObject({ decision: "reject", by: "cancelled" });
    expect(turn.toolCalls).toMatchObject([{ state: "abandoned" }]);
    expect(heard(mock)).toEqual(["prompt", "cancel"]);
  });

  test("that the server runs without waiting is settled as decided elsewhere", async () => {
    await using place = await rig({ answer: () => [ASK] }, { onToolApproval: "manual" });
    const { client, mock } = place;
    const asked = new Promise<string>((resolve) => client.on("approval", ({ id }) => resolve(id)));
    const turn = client.prompt("what is in a.txt?");
    const id = await asked;
    const ran = new Promise<void>((resolve) => client.on("settled", () => resolve()));
    mock.connections[0]?.send(JSON.stringify({ type: "output", id: turn.id, callId: "call 1", text: "x" }));
    await ran;
    expect(client.decide(id, true)).toMatchObject({ by: "elsewhere" });
    expect(turn.toolCalls).toMatchObject([{ state: "done", output: "x" }]);
    expect(heard(mock)).toEqual(["prompt"]);
  });

  test("that waits for approval ends with the connection", async () => {
    await using place = await rig({ answer: () => [ASK] }, { onToolApproval: "manual" });
    const { client, mock } = place;
    const asked = new Promise<void>((resolve) => client.on("approval", () => resolve()));
    const turn = client.prompt("what is in a.txt?");
    await asked;
    mock.dropAll();
    expect(await failureOf(turn)).toMatchObject({ code: "connection-lost", sideEffectsPossible: true });
    expect([client.pending, turn.pending]).toEqual([[], []]);
  });
});

describe("turns", () => {
  test("run side by side, each with its own text", async () => {
    const { passed, open } = gate();
    await using place = await rig({
      answer: async function* (text) {
        yield `${text}: `;
        if (text === "slow") await passed;
        yield "done";
      },
    });
    const slow = place.client.prompt("slow");
    await shown(slow, "slow: ");
    expect((await place.client.prompt("fast").result).text).toBe("fast: done");
    expect(slow.status).toBe("streaming");
    open();
    expect((await slow.result).text).toBe("slow: done");
  });

  test("that are cancelled settle within `cancelTimeout`, even if the server does not answer", async () => {
    const clock = new ManualClock();
    await using place = await rig(ENDLESS, { clock, cancelTimeout: 700, keepalive: false });
    const turn = place.client.prompt("hello");
    await shown(turn, "part");
    place.mock.connections[0]?.pause();
    const cancelled = turn.cancel();
    await clock.advance(699);
    expect(turn.status).toBe("cancelling");
    await clock.advance(1);
    expect(await cancelled).toMatchObject({ status: "cancelled", partial: { text: "part" } });
  });

  test("fail if the server cancels them by itself", async () => {
    await using place = await rig(ENDLESS);
    const turn = place.client.prompt("hello");
    await shown(turn, "part");
    place.mock.connections[0]?.send(JSON.stringify({ type: "cancelled", id: turn.id }));
    expect(await failureOf(turn)).toMatchObject({ code: "turn-failed", kind: "cancelled" });
  });

  test("fail alone if one of their messages is invalid, and are cancelled on the server", async () => {
    await using place = await rig(ENDLESS);
    const [one, other] = [place.client.prompt("one"), place.client.prompt("other")];
    await Promise.all([shown(one, "part"), shown(other, "part")]);
    place.mock.connections[0]?.send(JSON.stringify({ type: "delta", id: one.id, text: 5 }));
    expect(await failureOf(one)).toMatchObject({ code: "turn-failed", kind: "unreadable" });
    expect(other.status).toBe("streaming");
    await got(place.mock, "cancel");
  });

  test("that have ended ignore later messages, which go to `stray` listeners", async () => {
    await using place = await rig();
    const turn = place.client.prompt("hello");
    const { text } = await turn.result;
    const stray = new Promise((resolve) => place.client.on("stray", resolve));
    const late = { type: "delta", id: turn.id, text: "late" };
    place.mock.connections[0]?.send(JSON.stringify(late));
    expect(await stray).toEqual(late);
    expect(turn.text).toBe(text);
  });
});

describe("universal events of the sixth protocol", () => {
  test("form a valid transcript: text, a call with its approval, and the end", async () => {
    await using made = await rig({ answer: () => ["One ", ASK, "two."] }, { onToolApproval: () => true });
    const events: UniversalEvent[] = [];
    const turn = made.client.prompt("go", { read: false });
    for await (const event of toUniversal(turn)) events.push(event);
    expect(checkTranscript(events)).toEqual([]);
    const completed = events.flatMap(({ type, data }) =>
      type === "item.completed" ? data.item.content.map((part) => part.type) : [],
    );
    expect(completed).toEqual(["text", "text", "tool_call", "tool_result", "text"]);
    expect(events.at(-1)).toMatchObject({ type: "turn.ended", data: { metadata: { status: "completed" } } });
  });

  test("are enough for a chat", async () => {
    await using server = await MockEchoServer.start({ answer: () => ["Hello."] });
    const chat = createChat(echo({ url: server.url }));
    const answered = new Promise<void>((resolve) => {
      chat.subscribe(() => {
        if (chat.getSnapshot().messages.at(-1)?.status === "completed") resolve();
      });
    });
    expect(chat.send("Hi!").ok).toBe(true);
    await answered;
    const said = chat
      .getSnapshot()
      .messages.map(({ role, parts }) => [role, ...parts.map((part) => part.type)]);
    expect(said).toEqual([
      ["user", "text"],
      ["assistant", "text"],
    ]);
    await chat.close();
  });
});
