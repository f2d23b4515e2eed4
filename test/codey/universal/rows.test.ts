import { expect, test } from "vitest";
import { toUniversal } from "../../../src/codey/universal.ts";
import { fakePair, say } from "../../helpers/codey-fake.ts";
import { allOf } from "../../universal/all-of.ts";
import { goldenOptions } from "../../universal/golden-options.ts";
import { eventsSoFar } from "../../universal/invariants.ts";
import { listened, listenTo } from "./listened.ts";

// One golden file for each row of the table of Codey: `test/fixtures/universal/codey-ws`.

const awaiting = (call_id: string, background = false) => ({ ...say.asks(call_id), background });

test("`Connected` becomes `session.started`, with the session's id and the capabilities", async () => {
  const { made, stream, expectGolden } = await listened();
  await expectGolden("connected");
  const [started] = await eventsSoFar(stream);
  expect(started).toMatchObject({ data: { metadata: { capabilities: made.client.capabilities } } });
});

test("a prompt becomes a turn with the user's item; text and thinking become items", async () => {
  const { prompt, says, expectGolden } = await listened();
  prompt("hello");
  await says(say.thinking("hm"), say.thinking("m"), say.text("Hello "), say.text(""), say.text("you"));
  await says(say.finished(10));
  await expectGolden("text-and-thinking");
});

test("an approved foreground call starts without a `ToolStarted`", async () => {
  const { made, prompt, says, expectGolden } = await listened();
  prompt();
  await says(say.text("Let me look."), say.request(["c1"]), say.asks("c1"));
  made.client.decide("c1", true);
  await made.settle();
  await says(say.completed("c1", "one file\n"), say.text("One file."), say.finished());
  await expectGolden("approved-without-start");
});

test("`always` becomes accept_for_session; the next call is settled by policy, and still shown", async () => {
  const { made, prompt, says, expectGolden } = await listened();
  prompt();
  const ls = { command: "ls" };
  await says(say.request(["c1"]), say.asks("c1", 0, ls));
  made.client.decide("c1", "always");
  await made.settle();
  await says(say.completed("c1", "1"), say.request(["c2"]), say.asks("c2", 0, ls), say.completed("c2", "2"));
  await says(say.finished());
  await expectGolden("always");
});

test("a call that the user denies fails with the server's own text", async () => {
  const { made, prompt, says, expectGolden } = await listened();
  prompt();
  await says(say.request(["c1"]), say.asks("c1"));
  made.client.decide("c1", false);
  await made.settle();
  await says(say.toolError("c1", "Denied by user"), say.finished());
  await expectGolden("denied");
});

test("a denied call fails at the end of the turn if the server does not confirm the denial", async () => {
  const { made, prompt, says, expectGolden } = await listened();
  prompt();
  await says(say.request(["c1"]), say.asks("c1"));
  made.client.decide("c1", { decision: "reject", reason: "not on this machine" });
  await made.settle();
  await says(say.finished());
  await expectGolden("denied-unconfirmed");
});

test("a call is denied by policy at once if nobody can be asked", async () => {
  const { prompt, says, expectGolden } = listenTo(await fakePair());
  prompt();
  await says(say.request(["c1"]), say.asks("c1"), say.toolError("c1", "Denied by user"), say.finished());
  await expectGolden("denied-by-default");
});

test("a `ToolError` right after its `ToolRequest` is a denial by the server's own filter", async () => {
  const { prompt, says, expectGolden } = await listened();
  prompt();
  await says(say.request(["c1"]), say.toolError("c1", "Denied by user"), say.finished());
  await expectGolden("denied-by-server");
});

test("a repeated `ToolStarted` starts the call once", async () => {
  const { prompt, says, expectGolden } = await listened();
  prompt();
  await says(say.request(["c1"]), say.started("c1"), say.started("c1"), say.completed("c1", "ok"));
  await says(say.completed("c1", "again"), say.finished());
  await expectGolden("doubled-start");
});

test("a call that starts while it awaits approval was accepted elsewhere, by policy", async () => {
  const { prompt, says, expectGolden } = await listened();
  prompt();
  await says(
    say.request(["c1"]),
    say.asks("c1"),
    say.asks("c1"),
    say.started("c1"),
    say.completed("c1", "ok"),
  );
  await says(say.finished());
  await expectGolden("started-while-pending");
});

test("a call that fails while it awaits approval was rejected elsewhere, by policy", async () => {
  const { prompt, says, expectGolden } = await listened();
  prompt();
  await says(say.request(["c1"]), say.asks("c1"), say.toolError("c1", "no such tool"), say.finished());
  await expectGolden("failed-while-pending");
});

test("a `ToolDelta` adds to the result, even if the call's id was used before", async () => {
  const { prompt, says, expectGolden } = await listened();
  prompt();
  await says(say.request(["c1"]), say.started("c1"), say.completed("c1", "1"));
  await says(say.request(["c1"]), say.delta("c1", "2"), say.delta("c1", "3"), say.completed("c1", "23!"));
  await says(say.finished());
  await expectGolden("output-deltas");
});

test("a background call waits for its approval beside a running foreground call", async () => {
  const { made, prompt, says, expectGolden } = await listened();
  prompt();
  await says(say.request(["f1", "b1"]), say.started("f1"), awaiting("b1", true), say.text("Meanwhile."));
  made.client.decide("b1", true);
  await made.settle();
  await says(say.completed("f1", "1"), say.completed("b1", "exit code 1"), say.finished());
  await expectGolden("background-approval");
});

test("`Retrying` becomes a status; five without counting up end the turn and stop the server", async () => {
  const { made, prompt, says, expectGolden } = await listened();
  prompt();
  await says(
    say.text("Hel"),
    say.retrying(1),
    say.retrying(1),
    say.retrying(1),
    say.retrying(1),
    say.retrying(1),
  );
  expect(made.sent).toContain("Cancel");
  await says(say.retrying(1), say.pong);
  await expectGolden("retrying-flood");
});

test("a server that counts its retries up may go on", async () => {
  const { prompt, says, expectGolden } = await listened();
  prompt();
  await says(say.retrying(1), say.retrying(2), say.text("There."), say.finished());
  await expectGolden("retrying");
});

test("other agents have items of their own, and their `Finished` ends only these items", async () => {
  const { prompt, says, expectGolden } = await listened();
  prompt();
  await says(say.text("a", 3), say.text("b", 4), say.text("A", 3), say.finished(5, 4), say.text("c", 4));
  await says(say.finished(9, 3));
  await expectGolden("agents");
});

test("an Error ends its turn without a Finished", async () => {
  const { prompt, says, expectGolden } = await listened();
  prompt();
  await says(say.text("Hel"), say.error('Stream error: ApiError { status: 529, body: "busy" }'), say.pong);
  await expectGolden("error-in-turn");
});

test("an Error between turns is only an error", async () => {
  const { says, expectGolden } = await listened();
  await says(say.error("broke"));
  await expectGolden("error-out-of-turn");
});

test("a fatal Error ends the turn and the session", async () => {
  const { made, prompt, says, expectGolden } = await listened();
  prompt();
  await says(say.text("Hel"), say.error("out of memory", true));
  made.socket.ends(1000);
  await made.settle();
  await expectGolden("fatal-error");
});

test("a fatal Error between turns ends the session", async () => {
  const { made, says, expectGolden } = await listened();
  await says(say.error("out of memory", true));
  made.socket.ends(1000);
  await made.settle();
  await expectGolden("fatal-error-out-of-turn");
});

test("a cancel resolves open approvals, and late messages before the Pong are dropped", async () => {
  const { made, prompt, says, expectGolden } = await listened();
  const turn = prompt();
  await says(say.text("Hel"), say.request(["c1", "c2"]), say.started("c2"), say.asks("c1"));
  void turn.cancel();
  await made.settle();
  expect(made.sent.slice(-3)).toEqual(["Cancel", "ToolDecision c1 false", "Ping"]);
  await says(say.text("lo"), say.completed("c2", "late"), say.finished(20), say.pong);
  prompt("again");
  await says(say.text("Yes."), say.finished(25));
  void made.client.close({ force: true });
  await made.clock.advance(1_000);
  await expectGolden("cancel");
});

test("a cancel without a Pong ends the session", async () => {
  const { made, prompt, says, expectGolden } = await listened();
  const turn = prompt();
  await says(say.text("Hel"));
  void turn.cancel();
  await made.settle();
  await made.clock.advance(5_000);
  await expectGolden("cancel-unconfirmed");
});

test("unknown messages become items; unreadable messages become `agent.unparsed`", async () => {
  const { prompt, says, expectGolden } = await listened();
  prompt();
  await says({ type: "Weather", degrees: 7 }, { type: "TextDelta", agent_id: 0 }, say.finished());
  await expectGolden("unknown-and-unreadable");
});

test("State, History and Pong make no events", async () => {
  const { made, says, expectGolden } = await listened();
  void made.client.getState();
  void made.client.getHistory();
  void made.client.ping();
  await made.settle();
  await says(
    { type: "State", agents: [], pending_approvals: [] },
    { type: "History", messages: [] },
    say.pong,
  );
  await expectGolden("replies");
});

test("a lost link ends the turn and the session; a new connection starts a new session", async () => {
  const listening = await listened({ reconnect: { minDelay: 1, maxDelay: 1 } });
  const { made, prompt, says, expectGolden } = listening;
  prompt();
  await says(say.text("Hel"), say.request(["c1"]), say.asks("c1"));
  made.socket.ends(1006);
  await made.clock.advance(1);
  await made.greet("session-2");
  prompt("again");
  await says(say.text("Yes."), say.finished(3));
  await expectGolden("reconnect");
});

test("the stream of a conversation ends with its connection", async () => {
  const { made } = await listened();
  const conversation = made.client.conversation();
  const stream = toUniversal(conversation, goldenOptions());
  conversation.prompt("hello");
  await made.settle();
  made.socket.ends(1006);
  await made.settle();
  const events = await allOf(stream);
  expect(events.map(({ type }) => type)).toEqual([
    "session.started",
    "turn.started",
    "item.started",
    "item.completed",
    "error",
    "turn.ended",
    "item.started",
    "item.completed",
    "session.ended",
  ]);
  expect(events.at(-1)).toMatchObject({ data: { reason: "error", terminated_by: "daemon" } });
});

test("the stream of a turn reports the end of the session when the link is lost", async () => {
  const { made, prompt } = await listened();
  const stream = toUniversal(prompt(), goldenOptions());
  made.socket.ends(1006);
  await made.settle();
  const events = await allOf(stream);
  expect(events.at(-1)).toMatchObject({ type: "session.ended", data: { reason: "error" } });
});

test("work without a prompt becomes a turn, which ends after 5 s of silence", async () => {
  const { made, says, expectGolden } = await listened();
  await says(say.text("By the "), say.text("way"), say.request(["c1"]), say.asks("c1"));
  await says(say.toolError("c1", "Denied by user"));
  await made.clock.advance(5_000);
  await expectGolden("stray");
});

test("work without a prompt ends with its Finished, or with the next prompt", async () => {
  const { prompt, says, expectGolden } = await listened();
  await says(say.text("one"), say.finished(1), say.text("two"));
  prompt("hello");
  await says(say.text("three"), say.finished(2));
  await expectGolden("stray-ends");
});

test("tokens are counted per turn, although the server counts over all turns", async () => {
  const { prompt, says, expectGolden } = await listened();
  for (const [index, total] of [10, 25, 25].entries()) {
    prompt(`prompt ${index + 1}`);
    await says(say.text("."), say.finished(total));
  }
  await expectGolden("three-turns");
});

test("closing the client ends what is open, and the session", async () => {
  const { made, prompt, says, expectGolden } = await listened();
  prompt();
  prompt("waits");
  await says(say.text("Hel"), say.request(["c1"]), say.asks("c1"));
  void made.client.close({ force: true });
  await made.clock.advance(1_000);
  await expectGolden("close");
});

test("`raw` holds the server's message, on its first event, only with `includeRaw`", async () => {
  const { prompt, says, expectGolden } = await listened({}, { includeRaw: true });
  prompt();
  await says(say.text("Hello"), say.finished());
  await expectGolden("raw");
});

test("a call that needs a missing capability throws, and emits no event", async () => {
  const { made, stream } = await listened();
  const before = stream.count;
  expect(() => made.client.conversation({ from: { protocol: "codey", version: 1 } as never })).toThrow(
    expect.objectContaining({ code: "unsupported" }),
  );
  expect(() =>
    made.client.prompt({ text: "look", images: [{ data: "AAAA", mediaType: "image/png" }] }),
  ).toThrow(expect.objectContaining({ code: "unsupported" }));
  await made.settle();
  expect(stream.count).toBe(before);
});
