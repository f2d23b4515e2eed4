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

describe("a chat that receives other users' turns", () => {
  test("is busy during such a turn, and shows its prompt under the id from the other user", () => {
    const rig = new Rig();
    expect(rig.now.busy).toBe(false);
    otherPrompts(rig);
    expect(rig.now.busy).toBe(true);
    expect(rig.now.messages.at(0)).toMatchObject({ id: "other-1", role: "user", status: "sent" });
    rig.source.conversation.stream?.endTurn({ status: "completed" });
    expect(rig.now.busy).toBe(false);
  });

  test("cancels such a turn with and without its id, if the client can", () => {
    const rig = new Rig({}, { cancelsOthers: true });
    otherPrompts(rig);
    const turnId = rig.now.messages.at(-1)?.turnId ?? "";
    expect(rig.chat.cancel({ turnId })).toEqual({ ok: true });
    expect(rig.chat.cancel()).toEqual({ ok: true });
    expect(rig.source.agent.cancelled).toEqual([turnId, turnId]);
  });

  test("refuses to cancel such a turn if the client cannot, or if it has ended", async () => {
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

  test("cancels such a turn by its id even if an own prompt waits, which stays queued", async () => {
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

  test("makes a source for a client that emits universal events, and a chat runs on it", async () => {
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

  test("keeps `loading` true until the stream's `caughtUp`, and sends prompts meanwhile", async () => {
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

  test("does not leave a chat loading that closes before `caughtUp`", async () => {
    const { chat } = chatOver({ caughtUp: new Promise(() => {}) });
    await chat.close();
    expect(chat.getSnapshot().loading).toBe(false);
  });

  test("refuses a wrong name, a wrong function, an unknown option and a foreign client", () => {
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
