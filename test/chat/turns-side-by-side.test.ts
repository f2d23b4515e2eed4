// Adapters of a chat whose source tells turns of several sessions, or of several viewers.
import { agUiAgent } from "agentwire/ag-ui";
import { AgentwireChatTransport } from "agentwire/ai-sdk";
import type { UIMessage } from "ai";
import { describe, expect, test } from "vitest";
import { FeedTurn, TurnFeed } from "../../src/chat/turn-feed.ts";
import { inputOf, textOf } from "../ag-ui/support/client.ts";
import { collect, told } from "../ag-ui/support/judge.ts";
import { chunksIn, messageOf, textsOf } from "../ai-sdk/support.ts";
import { FakeStream } from "../helpers/fake-stream.ts";
import { Rig } from "./support/rig.ts";

/** Another session whose events the chat shows too. */
function otherSession(rig: Rig): FakeStream {
  const other = new FakeStream(undefined);
  for (const listener of rig.source.conversation.stream?.listeners ?? []) other.on("event", listener);
  return other;
}

/** How each adapter sends a prompt: the text of its answer, and how its stream ended. */
const ADAPTERS = {
  "AI SDK": async (rig: Rig, signal?: AbortSignal) => {
    const transport = new AgentwireChatTransport(rig.chat);
    const user: UIMessage = { id: "u", role: "user", parts: [{ type: "text", text: "mine" }] };
    const stream = await transport.sendMessages({
      trigger: "submit-message",
      chatId: "chat",
      messageId: undefined,
      messages: [user],
      abortSignal: signal,
    });
    const chunks = await chunksIn(stream);
    return { text: textsOf(await messageOf(chunks)).text, end: chunks.at(-1)?.type };
  },
  "AG-UI": async (rig: Rig, signal?: AbortSignal) => {
    const options = signal ? { signal } : {};
    const events = await collect(agUiAgent(rig.chat).run(inputOf(["mine"]), options));
    return { text: textOf(events), end: told(events).at(-1) };
  },
} as const;

const ENDS = {
  "AI SDK": ["finish", "abort", "error"],
  "AG-UI": ["RUN_FINISHED success", "RUN_FINISHED cancelled", "RUN_ERROR incomplete"],
} as const;

describe.each(["AI SDK", "AG-UI"] as const)("a stream of %s", (name) => {
  const send = ADAPTERS[name];
  const [finish, abort, cut] = ENDS[name];

  test("goes on while another session has a turn, which ends before or after it", async () => {
    for (const isLonger of [false, true]) {
      const rig = new Rig();
      const sent = send(rig);
      await rig.settle();
      rig.source.turn.says("for ");
      const other = otherSession(rig);
      other.turn([{ type: "text", text: "theirs" }], { prompt_id: "other" });
      await rig.settle();
      rig.source.turn.says("me");
      other.delta(other.start("assistant", []), "for them");
      if (!isLonger) other.endTurn({ status: "completed" });
      rig.source.turn.completes();
      expect(await sent).toEqual({ text: "for me", end: finish });
    }
  });

  test("that is aborted cancels its own turn, not that of another session with the same id", async () => {
    const rig = new Rig({}, { cancelsOthers: true });
    const given = new AbortController();
    const sent = send(rig, given.signal);
    await rig.settle();
    rig.source.turn.says("for me");
    otherSession(rig).turn([], { prompt_id: "other" });
    await rig.settle();
    given.abort();
    expect(await sent).toEqual({ text: "for me", end: abort });
    expect(rig.source.turn.cancels).toBe(1);
    expect(rig.source.agent.cancelled).toEqual([]);
  });

  test("ends if its session begins another turn without an end of this one", async () => {
    const rig = new Rig();
    const sent = send(rig);
    await rig.settle();
    rig.source.turn.says("for me");
    rig.source.conversation.stream?.turn([], { prompt_id: "other" });
    expect(await sent).toEqual({ text: "for me", end: cut });
  });

  test("shows a turn that was over, and followed by another viewer's, before it was read", async () => {
    const rig = new Rig();
    rig.chat.on("event", (event) => {
      if (event.type !== "turn.started" || event.data.metadata?.prompt_id === "other") return;
      queueMicrotask(() => {
        rig.source.turn.says("for me");
        rig.source.turn.completes();
        rig.source.conversation.stream?.turn([], { prompt_id: "other" });
      });
    });
    expect(await send(rig)).toEqual({ text: "for me", end: finish });
  });
});

test("a turn that its session replaces without an end is over", async () => {
  const rig = new Rig();
  const feed = TurnFeed.of(rig.chat);
  const sent = rig.chat.send("Hello");
  const turn = await feed.follow(sent.ok ? sent.id : "");
  rig.source.conversation.stream?.turn([], { prompt_id: "other" });
  expect(turn instanceof FeedTurn && turn.isOver).toBe(true);
  expect(feed.turn?.promptId).toBe("other");
});

test("the newest turn that runs is the feed's turn, and the newest of all if none runs", () => {
  const rig = new Rig();
  const feed = TurnFeed.of(rig.chat);
  rig.chat.send("Hello");
  const mine = feed.turn;
  const other = otherSession(rig);
  other.turn([], { prompt_id: "other" });
  expect(feed.turn?.promptId).toBe("other");
  other.endTurn({ status: "completed" });
  expect(feed.turn).toBe(mine);
  rig.source.turn.completes();
  expect(feed.turn?.promptId).toBe("other");
});
