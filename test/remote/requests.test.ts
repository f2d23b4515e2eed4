import { InvalidInputError } from "agentwire";
import { type RemoteClient, remote } from "agentwire/remote";
import { describe, expect, test } from "vitest";
import { Script } from "../universal/build.ts";
import { FakeRelay } from "./support/fake-relay.ts";
import { HastyClock, Viewer } from "./support/world.ts";

/** A turn that asks for an approval and a question. */
function asking(session = "ses_1"): Script {
  const script = new Script(session).session().turn("Go", { prompt_id: "p_1" });
  const { item, call } = script.call("delete_file", { path: "a.txt" });
  script.permission("requested", {
    permission_id: `${session}.1`,
    action: "delete_file",
    item_id: item,
    call_id: call,
    metadata: {
      request_id: "r1",
      native_id: null,
      toolName: "delete_file",
      input: { path: "a.txt" },
      grant: "deletions of a.txt",
      agent: "helper",
    },
    preview: [{ path: "a.txt", diff: "-a", by: "tool" }],
  });
  return script.question("requested", { question_id: `${session}.2`, metadata: { request_id: "r2" } });
}

describe("requests of a chat on a relay", () => {
  test("are in `pending` of each viewer, under the ids of their events", async () => {
    await using relay = await FakeRelay.start();
    relay.tell(...asking().events);
    await using viewer = new Viewer(relay);
    await viewer.ready();
    expect(viewer.now.pending).toEqual([
      {
        type: "approval",
        id: "ses_1.1",
        tool: "delete_file",
        input: { path: "a.txt" },
        grant: "deletions of a.txt",
        agent: "helper",
        preview: [{ path: "a.txt", diff: "-a", by: "tool" }],
      },
      {
        type: "question",
        id: "ses_1.2",
        questions: [
          { question: "Commit?", options: [{ label: "Yes" }, { label: "No" }], multi_select: false },
        ],
      },
    ]);
  });

  test("R12: a decision names its session and id; all viewers see it, and the second one does nothing", async () => {
    await using relay = await FakeRelay.start();
    const script = asking();
    relay.tell(...script.events);
    await using one = new Viewer(relay);
    await using two = new Viewer(relay);
    await one.ready();
    await two.ready();
    expect(one.chat.decide("ses_1.1", "once")).toEqual({ ok: true });
    expect(one.chat.decide("ses_1.1", "reject")).toEqual({ ok: true });
    expect(one.now.pending).toHaveLength(1);
    await relay.until(() => relay.commands.length === 1);
    expect(relay.commands).toMatchObject([
      { type: "decide", session_id: "ses_1", permission_id: "ses_1.1", decision: "once" },
    ]);
    const before = script.events.length;
    script.permission("accept", { permission_id: "ses_1.1", action: "delete_file" });
    relay.tell(...script.events.slice(before));
    await two.until(({ pending }) => pending.length === 1);
    expect(two.chat.decide("ses_1.1", "reject")).toEqual({ ok: true });
    one.chat.answer("ses_1.2", "Yes");
    await relay.until(() => relay.posts.length === 2);
    expect(relay.posts[1]).toMatchObject({
      type: "answer",
      session_id: "ses_1",
      question_id: "ses_1.2",
      answer: [["Yes"]],
    });
  });

  test("R12: a late decision (409) has no effect, and is no problem: the event of the first one shows", async () => {
    await using relay = await FakeRelay.start();
    const script = asking();
    relay.tell(...script.events);
    await using viewer = new Viewer(relay);
    await viewer.ready();
    relay.nextCommands.push({ status: 409, body: { code: "settled", message: "settled" } });
    viewer.chat.decide("ses_1.1", "once");
    viewer.chat.answer("ses_1.2", null);
    await relay.until(() => relay.commands.length === 1);
    expect(relay.commands).toMatchObject([{ type: "answer", answer: null }]);
    expect(viewer.now.problem).toBeUndefined();
  });

  test("a decision that the relay forbids is a problem, and the request waits again", async () => {
    await using relay = await FakeRelay.start();
    relay.tell(...asking().events);
    await using viewer = new Viewer(relay);
    await viewer.ready();
    relay.nextCommands.push({ status: 403, body: { code: "forbidden", message: "no grants for you" } });
    viewer.chat.decide("ses_1.1", { decision: "once", scope: "turn", tool: true, reason: "please" });
    await viewer.until(({ problem }) => problem !== undefined);
    expect(relay.posts).toMatchObject([
      { decision: { decision: "once", scope: "turn", tool: true, reason: "please" } },
    ]);
    expect(viewer.now.problem?.title).toBe("You may not do this");
    expect(viewer.now.pending).toHaveLength(2);
    viewer.chat.decide("ses_1.1", "reject");
    await relay.until(() => relay.commands.length === 1);
    expect(relay.commands).toMatchObject([{ decision: "reject" }]);
  });

  test("end with their turn: a takeover asks again under other ids, and a late yes is for nobody", async () => {
    await using relay = await FakeRelay.start();
    const script = asking();
    relay.tell(...script.events);
    await using viewer = new Viewer(relay);
    await viewer.ready();
    const before = script.events.length;
    script.permission("reject", { permission_id: "ses_1.1", reason: "disconnected" });
    script.question("rejected", { question_id: "ses_1.2", reason: "disconnected" });
    script.turnEnded({ status: "failed" }).sessionEnded({ reason: "error" });
    relay.tell(...script.events.slice(before), ...asking("ses_2").events);
    await viewer.until(({ pending }) => pending[0]?.id === "ses_2.1");
    expect(viewer.chat.decide("ses_1.1", "once")).toEqual({ ok: true });
    viewer.chat.decide("ses_2.1", "once");
    await relay.until(() => relay.posts.length === 1);
    expect(relay.posts).toMatchObject([{ session_id: "ses_2", permission_id: "ses_2.1" }]);
  });

  test("a wrong decision or answer sends nothing and says why", async () => {
    await using relay = await FakeRelay.start();
    relay.tell(...asking().events);
    await using viewer = new Viewer(relay);
    await viewer.ready();
    expect(viewer.chat.decide("ses_1.1", "maybe" as "once")).toMatchObject({ ok: false });
    expect(viewer.chat.decide("ses_1.2", "once")).toMatchObject({ ok: false });
    expect(viewer.chat.answer("ses_1.1", "x")).toMatchObject({ ok: false });
    expect(viewer.chat.answer("ses_1.2", ["a", "b", "c"] as never)).toEqual({ ok: true }); // several labels of one question
    await relay.until(() => relay.posts.length === 1);
  });

  test("grants are those of the state; a revoked one is gone at once", async () => {
    await using relay = await FakeRelay.start();
    relay.state["grants"] = [{ id: "g1", tool: "delete_file", grant: "a.txt", scope: "session" }, { id: 5 }];
    await using viewer = new Viewer(relay);
    await viewer.ready();
    expect(viewer.now.approvals).toEqual([
      { id: "g1", tool: "delete_file", grant: "a.txt", scope: "session" },
    ]);
    expect(viewer.chat.revoke("g1")).toEqual({ ok: true });
    expect(viewer.now.approvals).toEqual([]);
    await relay.until(() => relay.commands.length === 1);
    expect(relay.commands).toMatchObject([{ type: "revoke", id: "g1" }]);
  });
});

describe("a client of a relay without a chat", () => {
  const open = async (): Promise<{ relay: FakeRelay; client: RemoteClient; clock: HastyClock }> => {
    const relay = await FakeRelay.start();
    const clock = new HastyClock();
    return { relay, client: remote({ url: relay.url, chat: "c", clock }).client(), clock };
  };

  test("`prompt` gives a turn with events, text, calls and a result; its status is `queued` until it begins", async () => {
    const { relay, client, clock } = await open();
    await using _ = relay;
    const turn = client.prompt("Go", { key: "p_1" });
    await relay.until(() => relay.commands.length === 1 && relay.viewers === 1);
    expect(turn.status).toBe("queued");
    const script = asking();
    const approval = new Promise((resolve) => turn.on("approval", ({ id }) => resolve(id)));
    relay.tell(...script.events);
    expect(await approval).toBe("ses_1.1");
    expect(turn.pending).toHaveLength(2);
    expect(client.decide("ses_1.1", "once")).toEqual({ decision: "once", by: "reply" });
    const before = script.events.length;
    script.permission("accept", { permission_id: "ses_1.1", call_id: "call_1" });
    script.question("answered", {
      question_id: "ses_1.2",
      answers: [{ question_index: 0, selected: ["Yes"] }],
    });
    script.result({ item: "itm_2", call: "call_1" }, "gone");
    script.message(["All ", "done."]);
    script.turnEnded({ usage: { input_tokens: 1, output_tokens: 2 }, cost: { total: 3, currency: "EUR" } });
    relay.tell(...script.events.slice(before));
    const types: string[] = [];
    for await (const event of turn) types.push(event.type);
    expect(types[0]).toBe("turn.started");
    expect(types.at(-1)).toBe("turn.ended");
    expect(await turn.result).toEqual({
      text: "All done.",
      usage: { inputTokens: 1, outputTokens: 2 },
      cost: { amount: 3, unit: "EUR" },
    });
    expect(turn.toolCalls).toMatchObject([{ id: "call_1", state: "done", output: "gone" }]);
    await client.close();
    expect(clock.running.size).toBe(0);
  });

  test("a turn that fails on the relay fails with its code; one that another viewer withdraws, with `withdrawn`", async () => {
    const { relay, client } = await open();
    await using _ = relay;
    const failing = client.prompt("Go", { key: "p_1" });
    await relay.until(() => relay.commands.length === 1 && relay.viewers === 1);
    const script = new Script().session().turn("Go", { prompt_id: "p_1" });
    script.error("the server stopped", { code: "relay.driver-lost", turn_id: script.turnId });
    relay.queue = [];
    relay.tell(...script.turnEnded({ status: "failed" }).events);
    await expect(failing.result).rejects.toMatchObject({ kind: "relay.driver-lost", delivery: "unknown" });
    const lost = client.prompt("Again");
    await relay.until(() => relay.commands.length === 2);
    relay.queue = [];
    relay.says();
    await expect(lost.result).rejects.toMatchObject({
      kind: "withdrawn",
      delivery: "not-sent",
      input: "Again",
    });
    await client.close();
  });

  test("`cancel()` names the prompt, and settles when the relay ends the turn", async () => {
    const { relay, client, clock } = await open();
    await using _ = relay;
    const turn = client.prompt("Go", { key: "p_1" });
    await relay.until(() => relay.commands.length === 1 && relay.viewers === 1);
    relay.queue = [];
    const script = new Script().session().turn("Go", { prompt_id: "p_1" });
    relay.tell(...script.events);
    await new Promise<void>((resolve) => turn.on("event", () => resolve()));
    const cancelled = turn.cancel();
    await relay.until(() => relay.commands.length === 2);
    expect(relay.commands[1]).toMatchObject({ type: "cancel", target: "p_1" });
    const before = script.events.length;
    relay.tell(...script.turnEnded({ status: "cancelled" }).events.slice(before));
    expect(await cancelled).toMatchObject({ status: "cancelled", by: "user" });
    await client.close();
    expect(clock.running.size).toBe(0);
  });

  test("`close()` ends every turn, with what became of its prompt", async () => {
    const { relay, client, clock } = await open();
    await using _ = relay;
    const accepted = client.prompt("Accepted");
    await relay.until(() => relay.commands.length === 1 && relay.viewers === 1);
    await relay.until(() => relay.posts.length === 1);
    relay.nextCommands.push(...Array.from({ length: 100 }, () => ({ status: 503 })));
    const tried = client.prompt("Tried");
    const unsent = client.prompt("Unsent");
    await relay.until(() => relay.posts.length > 1);
    await client.close();
    expect(await accepted.outcome).toMatchObject({
      status: "failed",
      error: { code: "closed", delivery: "accepted" },
    });
    expect(await tried.outcome).toMatchObject({ error: { code: "closed", delivery: "unknown" } });
    expect(await unsent.outcome).toMatchObject({
      error: { code: "closed", delivery: "not-sent", input: "Unsent" },
    });
    expect(() => client.prompt("Late")).toThrow(expect.objectContaining({ code: "closed" }));
    await expect(client.connect()).rejects.toMatchObject({ code: "closed" });
    expect(clock.running.size).toBe(0);
    await relay.until(() => relay.viewers === 0);
  });

  test("`connect` resolves when everything was told, and rejects when an attempt fails, which is repeated", async () => {
    const { relay, client } = await open();
    await using _ = relay;
    relay.nextStreams.push({ status: 503 });
    await expect(client.connect()).rejects.toMatchObject({ code: "connect-failed", status: 503 });
    await client.connect();
    expect(client.status).toBe("ready");
    await client.close();
    expect(client.closedBy).toMatchObject({ code: "closed" });
  });

  test("its universal stream gives the events with positions, and ends with the client", async () => {
    const { relay, client } = await open();
    await using _ = relay;
    relay.tell(...asking().events);
    const stream = client.universal();
    const heard: unknown[] = [];
    stream.on("event", ({ sequence }, position) => heard.push([sequence, position]));
    await stream.caughtUp;
    expect(heard.slice(0, 2)).toEqual([
      [1, "log1.1"],
      [2, "log1.2"],
    ]);
    const reading = (async () => {
      let count = 0;
      for await (const _ of stream) count++;
      return count;
    })();
    await client.close();
    expect(await reading).toBe(stream.count);
    expect(stream.ended).toBe(true);
  });
});

describe("remote refuses", () => {
  test.each([
    [{ url: "https://a.example/chats" }],
    [{ chat: "c" }],
    [{ url: "", chat: "c" }],
    [{ url: "chats", chat: "c" }],
    [{ url: "ftp://a.example", chat: "c" }],
    [{ url: "https://a.example/chats?x=1", chat: "c" }],
    [{ url: "https://a.example", chat: "c".repeat(129) }],
    [{ url: "https://a.example", chat: "\ud800" }],
    [{ url: "https://a.example", chat: "c", outbox: "disk" }],
    [{ url: "https://a.example", chat: "c", credentials: true }],
    [{ url: "https://a.example", chat: "c", header: {} }],
    [{ url: "http://a.example", chat: "c", headers: { authorization: "Bearer x" } }],
  ])("%j", (options) => {
    expect(() => remote(options as never)).toThrow(expect.objectContaining({ code: "invalid-input" }));
  });

  test("nothing of a page's own address, and of plain HTTP on this machine or with `allowInsecure`", () => {
    remote({ url: "/chats", chat: "c", headers: { authorization: "Bearer x" } });
    remote({ url: "http://localhost:1/chats", chat: "c", headers: { authorization: "Bearer x" } });
    remote({ url: "http://a.example", chat: "c", headers: {}, allowInsecure: true });
  });
});

describe("options of `remote`", () => {
  test.each([".", "..", "a\0", "\ud800", "x".repeat(129)])("the id %j is refused", (chat) => {
    expect(() => remote({ url: "https://relay.example/chats", chat })).toThrow(InvalidInputError);
  });

  test("a `url` without a host closes the chat outside of a page, and says why", async () => {
    await using viewer = new Viewer({ url: "/chats" });
    await viewer.until(({ connection }) => connection.status === "closed");
    expect(viewer.now.connection.reason?.detail).toMatch(/works in a page only/);
  });
});
