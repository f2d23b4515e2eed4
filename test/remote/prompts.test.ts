import { describe, expect, test } from "vitest";
import { TurnFeed } from "../../src/chat/turn-feed.ts";
import { deferred } from "../../src/core/deferred.ts";
import { Script } from "../universal/build.ts";
import { FakeRelay } from "./support/fake-relay.ts";
import { localStorageOf } from "./support/local-storage.ts";
import { expectSound, Viewer } from "./support/world.ts";

/** The driver takes the first prompt of the queue, and answers it. */
function answers(relay: FakeRelay, session = `ses_${relay.events.length}`): void {
  const [first] = relay.queue;
  if (!first) throw new Error("the queue is empty");
  relay.queue = relay.queue.slice(1);
  relay.says({ busy: true });
  const script = new Script(session);
  script.session().turn(first.input.text, { prompt_id: first.key }).message(["Yes", "."]);
  relay.tell(...script.turnEnded().sessionEnded().events);
  relay.says({ busy: false });
}

const foreign = { key: "p_9", at: "2026-02-10T09:00:00.000Z", by: "user_2", input: { text: "Of another" } };

describe("a prompt over a relay", () => {
  test("is `queued` at once, is sent with the id of its message as key, and stays one message", async () => {
    await using relay = await FakeRelay.start();
    await using viewer = new Viewer(relay);
    await viewer.ready();
    const sent = viewer.chat.send("Hello");
    expect(viewer.lines).toEqual(["user queued: Hello"]);
    expect(viewer.now.busy).toBe(true);
    await relay.until(() => relay.commands.length === 1);
    expect(relay.commands).toEqual([
      { key: sent.ok ? sent.id : "", type: "prompt", input: { text: "Hello" } },
    ]);
    answers(relay);
    await viewer.until(({ busy }) => !busy);
    expect(viewer.lines).toEqual(["user sent: Hello", "assistant completed: Yes."]);
    expect(viewer.now.messages.at(0)?.id).toBe(sent.ok ? sent.id : "");
    expect(viewer.now.queue).toEqual([]);
    expectSound(viewer, false);
  });

  test("stays one message when its session goes on behind the turn of a withdrawn prompt", async () => {
    await using relay = await FakeRelay.start();
    await using viewer = new Viewer(relay);
    await viewer.ready();
    relay.tell(...new Script("ses_1").session().turn("First", { prompt_id: "p_1" }).turnEnded().events);
    const withdrawn = new Script("ses_2").session().turn("Never", { prompt_id: "p_2" });
    relay.tell(...withdrawn.turnEnded({ status: "cancelled" }).sessionEnded().events);
    viewer.chat.send("Second");
    await relay.until(() => relay.queue.length === 1);
    const script = new Script("ses_1").session().turn("First", { prompt_id: "p_1" }).turnEnded();
    const told = script.events.length;
    relay.queue = [];
    script.turn("Second", { prompt_id: relay.commands[0]?.key ?? "" }).message(["Yes."]);
    relay.tell(...script.turnEnded().events.slice(told));
    relay.says({ busy: false });
    await viewer.until(({ busy, messages }) => !busy && messages.at(-1)?.role === "assistant");
    expect(viewer.lines.filter((line) => line.endsWith("Second"))).toEqual(["user sent: Second"]);
  });

  test("goes to the relay at once even while a turn runs, and the queue is that of the relay for all viewers", async () => {
    await using relay = await FakeRelay.start();
    await using viewer = new Viewer(relay);
    await using other = new Viewer(relay);
    await viewer.ready();
    await other.ready();
    relay.says({ busy: true });
    relay.tell(...new Script().session().turn("Run", { prompt_id: "p_0" }).events);
    viewer.chat.send("One");
    viewer.chat.send("Two");
    await other.until(({ queue }) => queue.length === 2);
    await viewer.until(() => relay.commands.length === 2);
    expect(other.now.queue.map(({ input }) => input)).toEqual(["One", "Two"]);
    expect(other.lines).toEqual([
      "user sent: Run",
      "assistant open: ",
      "user queued: One",
      "user queued: Two",
    ]);
    expect(viewer.lines).toEqual(other.lines);
  });

  test("R5: prompts of one viewer are posted in their order", async () => {
    await using relay = await FakeRelay.start();
    await using viewer = new Viewer(relay);
    const texts = Array.from({ length: 20 }, (_, at) => `Prompt ${at}`);
    relay.nextCommands.push(
      { status: 503 },
      { status: 202, lost: true },
      { status: 502, body: "bad gateway" },
    );
    for (const text of texts) viewer.chat.send(text);
    await relay.until(() => relay.commands.length === 20);
    expect(relay.queue.map(({ input }) => input.text)).toEqual(texts);
  });

  test.each([
    ["HTTP 503", { status: 503, body: { code: "log-unavailable" } }],
    ["HTTP 502 of a proxy", { status: 502, body: "<html>" }],
    ["HTTP 408", { status: 408 }],
    ["HTTP 400 of a server that got half of the request", { status: 400, body: "" }],
    ["a page of another server", { status: 200, body: "<html>Log in</html>" }],
    ["an answer about another key", { status: 202, body: { key: "other" } }],
  ] as const)("R6, R7: is sent again with the same key when %s, and runs once", async (_, misbehavior) => {
    await using relay = await FakeRelay.start();
    relay.nextCommands.push(misbehavior);
    await using viewer = new Viewer(relay);
    await viewer.ready();
    viewer.chat.send("Hello");
    await relay.until(() => relay.posts.length === 2);
    expect(new Set(relay.posts.map((post) => JSON.stringify(post))).size).toBe(1);
    expect(relay.commands).toHaveLength(1);
    answers(relay);
    await viewer.until(({ busy }) => !busy);
    expect(viewer.lines).toEqual(["user sent: Hello", "assistant completed: Yes."]);
  });

  test.each([
    [400, "invalid-input", "This cannot work", "no"],
    [401, "unauthorized", "You are not signed in", "no"],
    [403, "forbidden", "You may not do this", "no"],
    [409, "busy", "The server refused the request", "no"],
    [413, "too-large", "The message is too large", "no"],
    [422, "key-reused", "The server refused the request", "no"],
    [429, "rate", "Too many requests", "safe"],
    [429, "queue-full", "Too many messages are waiting", "safe"],
  ])(
    "R7: HTTP %i `%s` fails the message with its reason as not sent; the chat goes on",
    async (status, code, title, retry) => {
      await using relay = await FakeRelay.start();
      relay.nextCommands.push({ status, body: { code, message: "the relay says no" } });
      await using viewer = new Viewer(relay);
      await viewer.ready();
      viewer.chat.send("Hello");
      await viewer.until(({ busy }) => !busy);
      expect(viewer.lines).toEqual(["user failed: Hello"]);
      expect(viewer.now.messages.at(0)?.error).toMatchObject({ title, retry });
      expect(relay.posts).toHaveLength(1);
      viewer.chat.send("Again");
      await relay.until(() => relay.commands.length === 1);
      answers(relay);
      await viewer.until(({ busy }) => !busy);
      expect(viewer.lines).toEqual(["user failed: Hello", "user sent: Again", "assistant completed: Yes."]);
      expect(viewer.now.connection.status).toBe("ready");
    },
  );

  test("sent before there is a link is `queued`, and sent once the relay can be reached", async () => {
    await using relay = await FakeRelay.start();
    relay.nextStreams.push({ status: 503 }, { status: 503 });
    relay.nextCommands.push({ status: 503 }, { status: 503 });
    await using viewer = new Viewer(relay);
    viewer.chat.send("Offline");
    expect(viewer.lines).toEqual(["user queued: Offline"]);
    await relay.until(() => relay.commands.length === 1);
    answers(relay);
    await viewer.until(({ busy, loading }) => !busy && !loading);
    expect(viewer.lines).toEqual(["user sent: Offline", "assistant completed: Yes."]);
  });

  test("R6: whose answer was lost is sent again with the same key, unless the state or an event shows it", async () => {
    await using relay = await FakeRelay.start();
    await using viewer = new Viewer(relay);
    relay.nextStreams.push({ status: 503 });
    relay.nextCommands.push({ status: 202, lost: true });
    viewer.chat.send("Hello");
    await relay.until(() => relay.commands.length === 1);
    answers(relay);
    await viewer.until(({ busy, messages }) => !busy && messages.length === 2);
    expect(new Set(relay.posts.map((post) => JSON.stringify(post))).size).toBe(1);
    expect(relay.commands).toHaveLength(1);
    expect(viewer.lines).toEqual(["user sent: Hello", "assistant completed: Yes."]);
  });

  test("that a proxy answers with 502 makes the client open its stream anew: the old one may be dead", async () => {
    await using relay = await FakeRelay.start();
    await using viewer = new Viewer(relay);
    await viewer.ready();
    relay.nextCommands.push({ status: 502, body: "Bad Gateway" });
    relay.onCommand = () => answers(relay);
    viewer.chat.send("Hello");
    await relay.until(() => relay.streams.length === 2);
    await viewer.until(({ busy, messages }) => !busy && messages.length === 2);
    expect(viewer.lines).toEqual(["user sent: Hello", "assistant completed: Yes."]);
  });

  test("whose turn came while its answer was lost is not posted again", async () => {
    await using relay = await FakeRelay.start();
    await using viewer = new Viewer(relay);
    await viewer.ready();
    relay.nextCommands.push({ status: 202, lost: true });
    relay.onCommand = () => answers(relay);
    viewer.chat.send("Hello");
    await viewer.until(({ messages }) => messages.length === 2);
    expect(relay.commands).toHaveLength(1);
    expect(viewer.lines).toEqual(["user sent: Hello", "assistant completed: Yes."]);
  });

  test("taken by a driver that is lost stays `queued` until the events say what became of it", async () => {
    await using relay = await FakeRelay.start();
    await using viewer = new Viewer(relay);
    await viewer.ready();
    viewer.chat.send("Hello");
    await relay.until(() => relay.commands.length === 1);
    const [taken] = relay.queue;
    relay.queue = [];
    relay.says({ driver: "lost", busy: true });
    await viewer.until(({ queue }) => queue.length === 0);
    expect(viewer.lines).toEqual(["user queued: Hello"]);
    const script = new Script("ses_7").session().turn("Hello", { prompt_id: taken?.key ?? "" });
    script.error("not known", { code: "relay.delivery-unknown", turn_id: script.turnId });
    relay.tell(...script.turnEnded({ status: "failed" }).sessionEnded({ reason: "error" }).events);
    relay.says({ driver: "running", busy: false });
    await viewer.until(({ busy }) => !busy);
    expect(viewer.lines[0]).toBe("user sent: Hello");
    expect(viewer.now.messages.at(-1)?.error?.title).toBe("It is not known whether the agent got this");
  });
});

describe("the queue of a relay", () => {
  test("is changed by commands that name the prompt", async () => {
    await using relay = await FakeRelay.start();
    relay.queue = [foreign, { ...foreign, key: "p_10" }];
    await using viewer = new Viewer(relay);
    await viewer.ready();
    expect(viewer.now.queue).toEqual([
      { id: "p_9", input: "Of another", at: Date.parse(foreign.at) },
      { id: "p_10", input: "Of another", at: Date.parse(foreign.at) },
    ]);
    expect(viewer.chat.editQueued("p_9", "Changed")).toEqual({ ok: true });
    expect(viewer.chat.moveQueued("p_10", "p_9")).toEqual({ ok: true });
    expect(viewer.chat.sendNow("p_9")).toEqual({ ok: true });
    expect(viewer.chat.unqueue("p_10")).toEqual({ ok: true });
    await relay.until(() => relay.commands.length === 4);
    expect(relay.commands.map(({ key: _, ...fields }) => fields)).toEqual([
      { type: "edit_queued", target: "p_9", input: { text: "Changed" } },
      { type: "move_queued", target: "p_10", before: "p_9" },
      { type: "send_now", target: "p_9" },
      { type: "withdraw", target: "p_10" },
    ]);
    await viewer.until(({ queue }) => queue.length === 1);
    expect(viewer.chat.unqueue("p_77")).toMatchObject({ ok: false, error: { code: "invalid-input" } });
  });

  test("shows changes of other viewers: order, text, and prompts that were withdrawn", async () => {
    await using relay = await FakeRelay.start();
    relay.queue = [foreign, { ...foreign, key: "p_10", input: { text: "Second" } }];
    await using viewer = new Viewer(relay);
    await viewer.ready();
    relay.queue = [{ ...foreign, key: "p_10", input: { text: "Second!" } }, foreign];
    relay.says();
    await viewer.until(({ queue }) => queue[0]?.id === "p_10");
    expect(viewer.lines).toEqual(["user queued: Second!", "user queued: Of another"]);
    relay.queue = [];
    relay.says();
    await viewer.until(({ queue }) => queue.length === 0);
    expect(viewer.lines).toEqual([]);
  });

  test("an own prompt that another viewer withdraws is `cancelled`, and can be sent again", async () => {
    await using relay = await FakeRelay.start();
    await using viewer = new Viewer(relay);
    await viewer.ready();
    const sent = viewer.chat.send("Mine");
    await relay.until(() => relay.commands.length === 1);
    relay.queue = [];
    relay.says();
    await viewer.until(({ busy }) => !busy);
    expect(viewer.lines).toEqual(["user cancelled: Mine"]);
    expect(viewer.chat.retry(sent.ok ? sent.id : "")).toMatchObject({ ok: true });
    await relay.until(() => relay.commands.length === 2);
  });

  test("a prompt that was never posted is withdrawn here", async () => {
    await using relay = await FakeRelay.start();
    const network = deferred<Record<string, string>>();
    const headers = (): Promise<Record<string, string>> => network.promise;
    await using viewer = new Viewer(relay, { headers });
    viewer.chat.send("First");
    const second = viewer.chat.send("Second");
    expect(viewer.chat.unqueue(second.ok ? second.id : "")).toEqual({ ok: true });
    await viewer.until(() => viewer.lines.at(-1) === "user cancelled: Second");
    network.resolve({});
    await relay.until(() => relay.posts.length === 1);
    expect(relay.posts).toMatchObject([{ type: "prompt", input: { text: "First" } }]);
  });

  test("a refused change is a problem of the chat", async () => {
    await using relay = await FakeRelay.start();
    relay.queue = [foreign];
    await using viewer = new Viewer(relay);
    await viewer.ready();
    relay.nextCommands.push({
      status: 409,
      body: { code: "settled", message: "the prompt was taken already" },
    });
    viewer.chat.editQueued("p_9", "Changed");
    await viewer.until(({ problem }) => problem !== undefined);
    expect(viewer.now.problem?.detail).toContain("the prompt was taken already");
  });

  test("a prompt of an earlier page (outbox `local`) is sent again with the same key", async () => {
    await using relay = await FakeRelay.start();
    using _ = localStorageOf(new Map());
    relay.nextStreams.push({ status: 503 });
    relay.nextCommands.push({ status: 503 });
    const before = new Viewer(relay, { outbox: "local" });
    before.chat.send("Kept");
    await relay.until(() => relay.posts.length === 1);
    await before.chat.close();
    const [first] = relay.posts;
    await using after = new Viewer(relay, { outbox: "local" });
    await relay.until(() => relay.commands.length === 1);
    expect(relay.commands).toEqual([first]);
    await after.until(({ queue }) => queue.length === 1);
    expect(after.lines).toEqual(["user queued: Kept"]);
    answers(relay);
    await after.until(({ messages }) => messages.length === 2);
    expect(after.lines).toEqual(["user sent: Kept", "assistant completed: Yes."]);
    expect(globalThis.localStorage.getItem(`agentwire.outbox ${relay.url}/c%201`)).toBeNull();
  });

  test("a prompt of an earlier page that the relay refuses is shown as failed", async () => {
    await using relay = await FakeRelay.start();
    const name = `agentwire.outbox ${relay.url}/c%201`;
    using _ = localStorageOf(new Map([[name, JSON.stringify([{ key: "k", text: "Kept", at: 5 }, 7])]]));
    relay.nextCommands.push({ status: 413 });
    await using viewer = new Viewer(relay, { outbox: "local" });
    await viewer.until(() => viewer.lines[0] === "user failed: Kept");
    expect(globalThis.localStorage.getItem(name)).toBeNull();
  });
});

describe("cancelling over a relay", () => {
  test("names the turn that the user saw", async () => {
    await using relay = await FakeRelay.start();
    await using viewer = new Viewer(relay);
    relay.tell(...new Script().session().turn("Run", { prompt_id: "p_0" }).events);
    await viewer.ready();
    viewer.chat.cancel();
    await relay.until(() => relay.commands.length === 1);
    expect(relay.commands).toMatchObject([
      { type: "cancel", target: { session_id: "ses_1", turn_id: "trn_1" } },
    ]);
    expect(viewer.chat.cancel({ turnId: "trn_9" })).toMatchObject({ ok: false });
  });

  test("`all` withdraws what waits", async () => {
    await using relay = await FakeRelay.start();
    relay.queue = [foreign];
    await using viewer = new Viewer(relay);
    relay.tell(...new Script().session().turn("Run", { prompt_id: "p_0" }).events);
    await viewer.ready();
    viewer.chat.cancel("all");
    await relay.until(() => relay.commands.length === 2);
    expect(relay.commands).toMatchObject([
      { type: "withdraw", target: "p_9" },
      { type: "cancel", target: { turn_id: "trn_1" } },
    ]);
  });

  test("a prompt whose turn has not begun is cancelled by its key", async () => {
    await using relay = await FakeRelay.start();
    await using viewer = new Viewer(relay);
    await viewer.ready();
    const sent = viewer.chat.send("Hello");
    await relay.until(() => relay.commands.length === 1);
    viewer.chat.cancel();
    await relay.until(() => relay.commands.length === 2);
    expect(relay.commands[1]).toMatchObject({ type: "cancel", target: sent.ok ? sent.id : "" });
  });

  test("nothing runs: nothing is sent", async () => {
    await using relay = await FakeRelay.start();
    await using viewer = new Viewer(relay);
    await viewer.ready();
    expect(viewer.chat.cancel()).toEqual({ ok: true });
    viewer.chat.send("Hello");
    await relay.until(() => relay.posts.length === 1);
    expect(relay.posts).toMatchObject([{ type: "prompt" }]);
  });
});

describe("a backend behind a relay", () => {
  test("that forgot the conversation lets the prompts wait until a viewer resumes", async () => {
    await using relay = await FakeRelay.start();
    await using viewer = new Viewer(relay);
    await viewer.ready();
    relay.says({ context_lost: true });
    await viewer.until(({ connection }) => connection.contextLost);
    expect(viewer.chat.resume()).toMatchObject({ ok: false });
    expect(viewer.chat.resume("with-transcript")).toEqual({ ok: true });
    await relay.until(() => relay.commands.length === 1);
    expect(relay.commands).toMatchObject([{ type: "resume", how: "with-transcript" }]);
    relay.says({ context_lost: false });
    await viewer.until(({ connection }) => !connection.contextLost);
  });

  test("says what it can do in the state, and the chat refuses the rest before it sends", async () => {
    await using relay = await FakeRelay.start();
    relay.state["capabilities"] = {
      images: false,
      branches: true,
      usage: "tokens",
      history: "client",
      plan: 7,
    };
    relay.tell(...new Script().session().turn("One", { prompt_id: "p_1" }).turnEnded().events);
    await using viewer = new Viewer(relay);
    await viewer.ready();
    expect(viewer.now.capabilities).toMatchObject({
      images: false,
      branches: true,
      usage: "tokens",
      history: "server",
      plan: true,
    });
    expect(
      viewer.chat.send({ text: "x", images: [{ data: "iVBORw0KGgo=", mediaType: "image/png" }] }),
    ).toMatchObject({ ok: false });
    viewer.chat.regenerate("p_1");
    viewer.chat.edit("p_1", "Other");
    viewer.chat.selectBranch("p_1");
    await relay.until(() => relay.commands.length === 3);
    expect(relay.commands).toMatchObject([
      { type: "regenerate", message_id: "p_1" },
      { type: "edit", message_id: "p_1", input: { text: "Other" } },
      { type: "select_branch", message_id: "p_1" },
    ]);
    relay.says({ capabilities: { images: true } });
    await viewer.until(({ capabilities }) => capabilities?.images === true);
    expect(viewer.chat.regenerate("p_1")).toMatchObject({ ok: false, error: { code: "unsupported" } });
  });
});

describe("modes, models and files over a relay", () => {
  const can = { modes: true, models: true, files: true };

  test("a mode and a model are commands, each sent once, and resolve when the relay has them", async () => {
    await using relay = await FakeRelay.start();
    relay.state["capabilities"] = can;
    await using viewer = new Viewer(relay);
    await viewer.ready();
    relay.nextCommands.push({ status: 0, lost: true });
    expect(await viewer.chat.setMode("auto")).toEqual({ ok: true });
    expect(await viewer.chat.setModel("big")).toEqual({ ok: true });
    expect(relay.commands).toMatchObject([
      { type: "set_mode", id: "auto" },
      { type: "set_model", id: "big" },
    ]);
    expect(new Set(relay.posts.map(({ key }) => key)).size).toBe(2);
  });

  test("what the relay refuses is a typed result, with what to do next", async () => {
    await using relay = await FakeRelay.start();
    relay.state["capabilities"] = can;
    await using viewer = new Viewer(relay);
    await viewer.ready();
    for (const code of ["unsupported", "invalid-input"]) {
      relay.nextCommands.push({ status: 400, body: { code, message: "No." } });
      expect(await viewer.chat.setMode("auto")).toMatchObject({
        ok: false,
        error: { code, delivery: "not-sent", hint: expect.stringMatching(/\w/) },
      });
    }
    expect(relay.commands).toEqual([]);
  });

  test("nothing is sent before the relay says that the backend has them, and files never are", async () => {
    await using relay = await FakeRelay.start();
    await using viewer = new Viewer(relay);
    await viewer.ready();
    expect(viewer.now.capabilities).toMatchObject({ modes: false, models: false, files: false });
    const unsupported = { ok: false, error: { code: "unsupported" } };
    expect(await viewer.chat.setMode("auto")).toMatchObject(unsupported);
    relay.says({ capabilities: can });
    await viewer.until(({ capabilities }) => capabilities?.modes === true);
    expect(viewer.now.capabilities?.files).toBe(false);
    expect(await viewer.chat.files("a")).toMatchObject(unsupported);
    expect(viewer.chat.send({ text: "Look", files: ["a.ts"] })).toMatchObject(unsupported);
    expect(relay.posts).toEqual([]);
  });
});

test("R13: closing leaves the relay alone: what it has accepted is failed here as `accepted`, and what it has not is not sent", async () => {
  await using relay = await FakeRelay.start();
  const viewer = new Viewer(relay);
  await viewer.ready();
  viewer.chat.send("Accepted");
  await viewer.until(({ queue }) => queue.length === 1 && relay.commands.length === 1);
  relay.queue = relay.queue.slice();
  relay.accepts = false;
  relay.nextCommands.push(...Array.from({ length: 1_000 }, () => ({ status: 503 })));
  viewer.chat.send("Tried");
  viewer.chat.send("Not tried");
  await relay.until(() => relay.posts.length >= 2);
  await viewer.chat.close();
  const posts = relay.posts.length;
  const [accepted, tried, unsent] = viewer.now.messages.toArray();
  expect(viewer.lines).toEqual(["user failed: Accepted", "user failed: Tried", "user failed: Not tried"]);
  expect(accepted?.error?.detail).toContain("The server has your message");
  expect(tried?.error?.detail).toContain("may have been carried out");
  expect(unsent?.error?.detail).toContain("was not sent");
  await relay.until(() => relay.viewers === 0);
  expect(relay.posts.length).toBe(posts);
  expect(relay.commands).toHaveLength(1);
  expect(viewer.clock.running.size).toBe(0);
});

test("a turn feed ends with a reset: the adapter's reader does not hang", async () => {
  await using relay = await FakeRelay.start();
  await using viewer = new Viewer(relay);
  await viewer.ready();
  const feed = new TurnFeed(viewer.chat);
  relay.tell(...new Script().session().turn("Run", { prompt_id: "p_0" }).events);
  await viewer.until(({ messages }) => messages.length === 2);
  const turn = await feed.follow("p_0");
  if (!turn || !("read" in turn)) throw new Error("no turn");
  const read = (async () => {
    for await (const _ of turn.read()); // to its end
  })();
  relay.log = "log2";
  relay.events = [];
  relay.end("cut");
  await read;
  feed.close();
});
