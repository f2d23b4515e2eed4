// A client of a relay without a chat over it: what it refuses, its turns and their calls, its requests, its conversation.
import { type RemoteClient, type RemoteOptions, remote } from "agentwire/remote";
import { ManualClock } from "agentwire/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { deferred } from "../../src/core/deferred.ts";
import { Script } from "../universal/build.ts";
import { FakeRelay } from "./support/fake-relay.ts";
import { HastyClock } from "./support/world.ts";

async function open(
  options: Partial<RemoteOptions> = {},
): Promise<{ readonly relay: FakeRelay; readonly client: RemoteClient }> {
  const relay = await FakeRelay.start();
  const client = remote({ url: relay.url, chat: "c", clock: new HastyClock(), ...options }).client();
  onTestFinished(async () => {
    await client.close();
    await relay[Symbol.asyncDispose]();
  });
  return { relay, client };
}

/** A client whose prompt `p_1` runs as a turn. */
async function running() {
  const { relay, client } = await open();
  const turn = client.prompt("Go", { key: "p_1" });
  await relay.until(() => relay.commands.length === 1 && relay.viewers === 1);
  relay.queue = [];
  const script = new Script().session().turn("Go", { prompt_id: "p_1" });
  let told = 0;
  const say = (): void => {
    relay.tell(...script.events.slice(told));
    told = script.events.length;
  };
  /** Says what the script has more. Resolves once the turn has it. */
  const tell = async (): Promise<void> => {
    const newest = script.events.at(-1)?.event_id;
    const heard = new Promise<void>((resolve) => {
      const off = turn.on("event", ({ event_id }) => {
        if (event_id !== newest) return;
        off();
        resolve();
      });
    });
    say();
    await heard;
  };
  return { relay, client, turn, script, say, tell };
}

const PNG = "iVBORw0KGgo=";

describe("a client of a relay refuses", () => {
  test.each([
    ["a blank prompt", "  "],
    ["a prompt without text", { text: "" }],
    ["a prompt that is no text", 5],
  ])("%s", async (_, input) => {
    const { relay, client } = await open();
    expect(() => client.prompt(input as string)).toThrow(expect.objectContaining({ code: "invalid-input" }));
    expect(relay.posts).toEqual([]);
  });

  test("images that the backend does not take, and branches: the relay makes those itself", async () => {
    const { relay, client } = await open();
    relay.state["capabilities"] = { images: false };
    await client.connect();
    const unsupported = expect.objectContaining({ code: "unsupported" });
    expect(() => client.prompt({ text: "Look", images: [{ data: PNG }] })).toThrow(unsupported);
    expect(() => client.prompt("Again", { branchOf: "p_1" })).toThrow(unsupported);
    expect(relay.posts).toEqual([]);
  });

  test("the state of another protocol", async () => {
    const { client } = await open();
    expect(() => client.conversation({ from: { protocol: "acp", version: 1 } })).toThrow(
      /no state of a chat/,
    );
  });

  test("the id of a turn that does not run, and of a request that nobody has asked", async () => {
    const { client, script, tell } = await running();
    await tell();
    expect(() => client.cancel("trn_9")).toThrow(expect.objectContaining({ code: "invalid-input" }));
    expect(() => client.decide("none", "once")).toThrow(expect.objectContaining({ code: "invalid-input" }));
    script.turnEnded();
    await tell();
    expect(() => client.cancel("trn_1")).toThrow(/no turn/);
  });
});

describe("a request to a relay", () => {
  test("goes to the chat below an address with or without a slash at its end", async () => {
    const relay = await FakeRelay.start();
    await using _ = relay;
    const client = remote({ url: `${relay.url}/`, chat: "c", clock: new HastyClock() }).client();
    await client.connect();
    await client.close();
  });

  test("sends cookies as `credentials` says", async () => {
    const seen: unknown[] = [];
    const { client } = await open({
      credentials: "include",
      fetch: (url, init) => {
        seen.push(init.credentials);
        return fetch(url, init as RequestInit);
      },
    });
    await client.connect();
    expect(seen).toEqual(["include"]);
  });

  test("has the images of a prompt as `data:` URLs, with their types if these are known", async () => {
    const { relay, client } = await open();
    const unknown = new Uint8Array([1, 2, 3]);
    client.prompt({ text: "Look", images: [{ data: PNG, mediaType: "image/png" }, { data: unknown }] });
    await relay.until(() => relay.commands.length === 1);
    expect(relay.commands[0]?.["input"]).toEqual({
      text: "Look",
      images: [
        { data: `data:image/png;base64,${PNG}`, mediaType: "image/png" },
        { data: "data:;base64,AQID" },
      ],
    });
  });
});

describe("a turn over a relay", () => {
  test("of a signal that was aborted is cancelled, and asks the relay for nothing", async () => {
    const { relay, client } = await open();
    const turn = client.prompt("Go", { signal: AbortSignal.abort() });
    expect(await turn.outcome).toMatchObject({ status: "cancelled" });
    expect(client.status).toBe("idle");
    expect(relay.posts).toEqual([]);
    expect(relay.streams).toEqual([]);
  });

  test("that is cancelled before its prompt was ever sent ends at once, and its prompt is never sent", async () => {
    const network = deferred<Record<string, string>>();
    const { relay, client } = await open({ headers: () => network.promise });
    const turn = client.prompt("Never", { key: "p_1" });
    expect(await turn.cancel()).toMatchObject({ status: "cancelled" });
    client.prompt("Sent", { key: "p_2" });
    network.resolve({});
    await relay.until(() => relay.posts.length === 1);
    expect(relay.posts).toMatchObject([{ key: "p_2" }]);
  });

  test("that is cancelled twice asks the relay once", async () => {
    const { relay, client, turn, script, say, tell } = await running();
    await tell();
    const cancels = [turn.cancel(), turn.cancel()];
    await relay.until(() => relay.posts.length === 2);
    script.turnEnded({ status: "cancelled" });
    say();
    await Promise.all(cancels);
    client.prompt("Next", { key: "p_2" });
    await relay.until(() => relay.posts.length === 3);
    expect(relay.posts.map(({ type }) => type)).toEqual(["prompt", "cancel", "prompt"]);
  });

  test("is cancelled for all by `cancel(turnId)`, with its session", async () => {
    const { relay, client, tell } = await running();
    await tell();
    client.cancel("trn_1");
    await relay.until(() => relay.commands.length === 2);
    expect(relay.commands[1]).toMatchObject({
      type: "cancel",
      target: { session_id: "ses_1", turn_id: "trn_1" },
    });
  });

  test("that another viewer has cancelled is cancelled here", async () => {
    const { relay, turn, script, say } = await running();
    script.turnEnded({ status: "cancelled" });
    say();
    expect(await turn.outcome).toMatchObject({ status: "cancelled" });
    expect(relay.posts).toHaveLength(1);
  });

  test("that failed before the agent got the prompt can be sent again", async () => {
    const { turn, script, tell } = await running();
    const details = { delivery: "not-sent" };
    script.error("no agent", { code: "relay.source-failed", details, turn_id: script.turnId });
    script.turnEnded({ status: "failed" });
    await tell();
    expect(await turn.outcome).toMatchObject({
      status: "failed",
      error: { kind: "relay.source-failed", delivery: "not-sent" },
    });
  });

  test("has its events in a universal stream too, which ends with the turn", async () => {
    const { turn, script, tell } = await running();
    const stream = (turn as unknown as RemoteClient).universal();
    script.message(["Yes."]);
    script.turnEnded();
    const types: string[] = [];
    const reading = (async () => {
      for await (const { type } of stream) types.push(type);
    })();
    await tell();
    await reading;
    expect([types[0], types.at(-1)]).toEqual(["turn.started", "turn.ended"]);
  });

  test("has the text of deltas without a type, as an older relay sends them", async () => {
    const { turn, script, tell } = await running();
    const id = script.start();
    script.add("item.delta", { item_id: id, native_item_id: null, delta: "Plain" });
    script.turnEnded();
    await tell();
    expect(await turn.result).toMatchObject({ text: "Plain" });
  });

  test("knows what became of each of its calls", async () => {
    const { turn, script, tell } = await running();
    const [denied, allowed, failed] = [script.call("rm"), script.call("mv"), script.call("cp")];
    const asked = (call: string) => ({ permission_id: `prm_${call}`, call_id: call });
    for (const { call } of [denied, allowed]) script.permission("requested", asked(call));
    await tell();
    expect(turn.toolCalls.map(({ state }) => state)).toEqual(["awaiting", "awaiting", "requested"]);
    script.permission("reject", asked(denied.call)).permission("accept", asked(allowed.call));
    script.permission("accept", { permission_id: "prm_9" }); // of no call
    await tell();
    expect(turn.toolCalls.map(({ state }) => state)).toEqual(["denied", "approved", "requested"]);
    script.result(denied, "denied", { status: "failed" });
    const content = [{ type: "tool_result", call_id: allowed.call, output: "moved" }] as const;
    script.item({ kind: "tool_result", parent_id: allowed.item, content }); // its call is in the content alone
    script.result(failed, "no space", { status: "failed" });
    await tell();
    expect(turn.toolCalls).toMatchObject([
      { name: "rm", state: "denied" },
      { name: "mv", state: "done", output: "moved" },
      { name: "cp", state: "failed", output: "no space" },
    ]);
  });
});

describe("a request of a chat on a relay", () => {
  test("is decided once and answered once: a second reply gets the first one", async () => {
    const { relay, client, script, tell } = await running();
    script.permission("requested", { permission_id: "a" }).question("requested", { question_id: "q" });
    await tell();
    expect(client.decide("a", "once")).toEqual({ decision: "once", by: "reply" });
    expect(client.decide("a", "reject")).toEqual({ decision: "once", by: "reply" });
    expect(client.answer("q", "Yes")).toEqual({ answers: [["Yes"]], by: "reply" });
    expect(client.answer("q", "No")).toEqual({ answers: [["Yes"]], by: "reply" });
    await relay.until(() => relay.commands.length === 3);
    expect(relay.posts).toHaveLength(3);
  });

  test("that was settled elsewhere says how", async () => {
    const { client, script, tell } = await running();
    const settled: unknown[] = [];
    client.on("settled", (request) =>
      settled.push(request.type === "approval" ? request.ruling : request.reply),
    );
    script.permission("requested", { permission_id: "a" }).question("requested", { question_id: "q" });
    script.permission("requested", { permission_id: "b" });
    script
      .permission("accept_for_session", { permission_id: "a" })
      .permission("reject", { permission_id: "b" });
    const answers = [{ question_index: 0, selected: ["Yes"], other_text: "but later" }];
    script.question("answered", { question_id: "q", answers });
    await tell();
    expect(settled).toEqual([
      { decision: "always", by: "elsewhere" },
      { decision: "reject", by: "elsewhere" },
      { answers: [["Yes", "but later"]], by: "elsewhere" },
    ]);
    expect(client.pending).toEqual([]);
  });

  test("that was open when its turn ended does not wait any more, and one of another session does", async () => {
    const { relay, client, script, tell } = await running();
    script.permission("requested", { permission_id: "a" });
    const other = new Script("ses_2").session().turn().permission("requested", { permission_id: "b" });
    await tell();
    relay.tell(...other.events);
    script.turnEnded();
    await tell();
    expect(client.pending.map(({ id }) => id)).toEqual(["b"]);
  });

  test("does not wait again when the relay refuses a reply that came behind another viewer's", async () => {
    let network = Promise.resolve<Record<string, string>>({});
    const { relay, client } = await open({ headers: () => network });
    await client.connect();
    const gate = deferred<Record<string, string>>();
    network = gate.promise;
    const script = new Script().session().turn().permission("requested", { permission_id: "a" });
    relay.tell(...script.events);
    await new Promise<void>((resolve) => client.on("approval", () => resolve()));
    relay.nextCommands.push({ status: 403, body: { code: "forbidden", message: "no" } });
    const refused = new Promise<unknown>((resolve) =>
      client.inbox.onChange((error) => error && resolve(error)),
    );
    client.decide("a", "once");
    const resolved = new Promise<void>((resolve) =>
      client.universal().on("event", ({ type }) => type === "permission.resolved" && resolve()),
    );
    relay.tell(...script.permission("accept", { permission_id: "a" }).events.slice(-1));
    await resolved;
    let isOpenAgain = false;
    client.on("approval", () => {
      isOpenAgain = true;
    });
    gate.resolve({});
    expect(await refused).toMatchObject({ status: 403 });
    expect(isOpenAgain).toBe(false);
    expect(client.pending).toEqual([]);
  });
});

describe("the conversation of a relay", () => {
  test("has a state between two turns, where a later client goes on, and none for earlier turns", async () => {
    const { relay, client, turn, script, tell } = await running();
    const conversation = client.conversation();
    await tell();
    expect(conversation.state).toEqual({ protocol: "relay", version: 1 });
    script.turnEnded();
    await tell();
    await turn.outcome;
    const position = `log1.${relay.events.length}`;
    expect(conversation.earlier(0)).toEqual({ protocol: "relay", version: 1, position });
    expect(conversation.earlier(1)).toBeUndefined();
  });

  test("goes on where the client is, once it has connected: a state is for its start", async () => {
    const { relay, client } = await open();
    relay.tell(...new Script().session().turn().turnEnded().events);
    await client.connect();
    client.conversation({ from: { protocol: "relay", version: 1, position: "log1.1" } as never });
    const back = new Promise<void>((resolve) => client.on("reconnected", () => resolve()));
    relay.end("cut");
    await back;
    expect(relay.streams).toEqual([null, "log1.3"]);
    expect(client.conversation().state.position).toBe("log1.3");
  });
});

describe("the end of a relay's client", () => {
  test("comes once its turns have ended, with `drainTimeout`, whatever the link does meanwhile", async () => {
    const { relay, client, turn, script, tell } = await running();
    await tell();
    const statuses: string[] = [];
    client.on("status", (status) => statuses.push(status));
    const closes = [client.close({ drainTimeout: 60_000 }), client.close({ drainTimeout: 60_000 })];
    relay.end("cut");
    await relay.until(() => relay.viewers === 1);
    script.turnEnded();
    await tell();
    expect(await turn.outcome).toMatchObject({ status: "completed" });
    await Promise.all(closes);
    expect(statuses).toEqual(["draining", "closed"]);
  });

  test("gives an ended stream to whoever asks for one, also in the same tick", async () => {
    const { relay, client } = await open();
    const before = client.universal();
    const closed = client.close();
    const after = client.universal();
    await closed;
    expect([before.ended, after.ended]).toEqual([true, true]);
    expect(relay.streams).toEqual([]);
  });

  test("may come in a listener of the first status, and then nothing is asked", async () => {
    const { relay, client } = await open();
    client.on("status", (status) => {
      if (status === "connecting") void client.close();
    });
    await expect(client.connect()).rejects.toMatchObject({ code: "closed" });
    expect(relay.streams).toEqual([]);
  });

  test("may come in a listener of an event, and then nothing more is told", async () => {
    const { relay, client } = await open();
    relay.frame = 1;
    relay.tell(...new Script().session().turn().turnEnded().events);
    const told: string[] = [];
    client.universal().on("event", ({ type }) => {
      told.push(type);
      void client.close();
    });
    await relay.until(() => relay.streams.length === 1 && relay.viewers === 0);
    expect(told).toEqual(["session.started"]);
  });
});

test("a stream that is asked for behind the last event is caught up at once", async () => {
  const { client } = await open();
  await client.connect();
  await client.universal().caughtUp;
});

test("a prompt that was withdrawn is not looked for", async () => {
  const clock = new ManualClock();
  const { relay, client } = await open({ clock });
  await client.connect();
  client.prompt("Hello", { key: "p_1" });
  await relay.until(() => relay.commands.length === 1);
  relay.queue = [];
  await client.inbox.send("cmd_1", { type: "withdraw", target: "p_1" });
  await clock.advance(60_000);
  expect(relay.streams).toHaveLength(1);
});
