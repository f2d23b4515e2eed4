import { type AgentSource, sourceOf } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import type { Chat } from "../../src/chat/chat.ts";
import { createChat } from "../../src/chat/create-chat.ts";
import { deferred } from "../../src/core/deferred.ts";
import { settle } from "../../src/testing/settle.ts";
import { FakeAgent, type FakeOptions } from "../helpers/fake-source.ts";
import { Rig } from "./support/rig.ts";

/** Somebody else prompts the same conversation. */
function otherPrompts(rig: Rig): void {
  const { stream } = rig.source.conversation;
  stream?.turn([{ type: "text", text: "Hello from the other page" }], { prompt_id: "other-1" });
}

describe("a chat that sees the turns of others", () => {
  test("is busy while one is open, and shows its prompt under the id that the other page gave it", () => {
    const rig = new Rig();
    expect(rig.now.busy).toBe(false);
    otherPrompts(rig);
    expect(rig.now.busy).toBe(true);
    expect(rig.now.messages.at(0)).toMatchObject({ id: "other-1", role: "user", status: "sent" });
    rig.source.conversation.stream?.endTurn({ status: "completed" });
    expect(rig.now.busy).toBe(false);
  });

  test("cancels it where the client can, with and without its id", () => {
    const rig = new Rig({}, { cancelsOthers: true });
    otherPrompts(rig);
    const turnId = rig.now.messages.at(-1)?.turnId ?? "";
    expect(rig.chat.cancel({ turnId })).toEqual({ ok: true });
    expect(rig.chat.cancel()).toEqual({ ok: true });
    expect(rig.source.agent.cancelled).toEqual([turnId, turnId]);
  });

  test("says so where the client cannot, and of a turn that has ended; the own turn is cancelled by its id, too", async () => {
    const rig = new Rig();
    otherPrompts(rig);
    const turnId = rig.now.messages.at(-1)?.turnId ?? "";
    expect(rig.chat.cancel({ turnId })).toMatchObject({ ok: false, error: { code: "unsupported" } });
    expect(rig.chat.cancel({ turnId: "trn_99" })).toMatchObject({
      ok: false,
      error: { code: "invalid-input" },
    });
    rig.source.conversation.stream?.endTurn({ status: "completed" });
    expect(rig.chat.cancel({ turnId })).toMatchObject({ ok: false, error: { code: "invalid-input" } });
    rig.chat.send("Mine");
    expect(rig.chat.cancel({ turnId: rig.now.messages.at(-1)?.turnId ?? "" })).toEqual({ ok: true });
    expect(rig.source.turn.status).toBe("cancelled");
  });

  test("a waiting own prompt never makes cancel stop the turn of somebody else by its id", async () => {
    const rig = new Rig({}, { sendsAtOnce: false, cancelsOthers: true });
    rig.chat.send("Mine");
    otherPrompts(rig);
    const turnId = rig.now.messages.toArray().find(({ id }) => id === "other-1")?.turnId ?? "";
    rig.chat.cancel({ turnId });
    expect(rig.source.agent.cancelled).toEqual([turnId]);
    expect(rig.source.turn.status).toBe("queued");
  });
});

describe("sourceOf", () => {
  const chatOver = (options: FakeOptions): { readonly chat: Chat; readonly agents: readonly FakeAgent[] } => {
    const agents: FakeAgent[] = [];
    const source = sourceOf({
      name: "mine",
      connect: () => {
        const agent = new FakeAgent(options);
        agents.push(agent);
        return agent;
      },
    });
    return { chat: createChat(source), agents };
  };

  test("makes a source over a client that tells its own events, and a chat runs on it", async () => {
    const { chat, agents } = chatOver({});
    chat.send("Hello");
    const turn = agents[0]?.conversations[0]?.turns[0];
    turn?.says("Hi");
    turn?.completes();
    await settle();
    expect(chat.getSnapshot().messages.map(({ status }) => status)).toEqual(["sent", "completed"]);
    expect(chat.getSnapshot().saved.source).toBe("mine");
    await chat.close();
  });

  test("the chat is loading until the stream has caught up, and prompts are sent meanwhile", async () => {
    const caughtUp = deferred<void>();
    const { chat, agents } = chatOver({ caughtUp: caughtUp.promise });
    expect(chat.getSnapshot().loading).toBe(true);
    expect(chat.send("Hello").ok).toBe(true);
    expect(agents[0]?.conversations[0]?.turns).toHaveLength(1);
    caughtUp.resolve();
    await settle();
    expect(chat.getSnapshot().loading).toBe(false);
    await chat.close();
  });

  test("a chat that is closed before its stream has caught up is not loading", async () => {
    const { chat } = chatOver({ caughtUp: new Promise(() => {}) });
    await chat.close();
    expect(chat.getSnapshot().loading).toBe(false);
  });

  test("a wrong name, a wrong function, a name that does not exist, and a stranger are refused", () => {
    const connect = () => new FakeAgent({});
    expect(() => sourceOf({ name: "", connect })).toThrow(/name/);
    expect(() => sourceOf({ name: "mine", connect: 7 as unknown as typeof connect })).toThrow(/connect/);
    expect(() =>
      sourceOf({ name: "mine", connect, conect: 1 } as { name: string; connect: typeof connect }),
    ).toThrow(/conect/);
    const source: AgentSource = sourceOf({ name: "mine", connect });
    expect(() => source.toUniversal({} as FakeAgent)).toThrow(/no client, turn or conversation of `mine`/);
  });
});
