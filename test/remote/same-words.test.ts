import { type Chat, type ChatSnapshot, createChat } from "agentwire/chat";
import { agentStep, MockAgent, type MockAgentReply } from "agentwire/testing/agent";
import type { UniversalEvent } from "agentwire/universal";
import { closeTranscript, fold } from "agentwire/universal";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { until } from "../../examples/support/until.ts";
import { PATIENCE, runs } from "../helpers/runs.ts";
import { Script } from "../universal/build.ts";
import { transcripts } from "../universal/support/arbitrary.ts";
import { FakeRelay } from "./support/fake-relay.ts";
import { RealRelay } from "./support/real-relay.ts";
import { comparable, isOver } from "./support/shown.ts";
import { expectSound, plain, Viewer } from "./support/world.ts";

/** Turns that do not complete as the agent meant, and what the user does in them. */
const ENDS: readonly {
  readonly what: string;
  readonly script: readonly MockAgentReply[];
  readonly act: (chat: Chat) => void;
}[] = [
  {
    what: "a turn that fails",
    script: [["Half.", agentStep.fail("the model is away")]],
    act: () => {},
  },
  {
    what: "a turn that the user cancels",
    script: [["Half.", agentStep.hang()]],
    act: (chat) => void chat.cancel(),
  },
  {
    what: "a turn whose agent is lost",
    script: [["Half.", agentStep.lose()]],
    act: () => {},
  },
  {
    what: "a call that the user denies",
    script: [[agentStep.tool({ name: "rm", approval: true, output: "gone" }), "As you like."]],
    act: (chat) => void chat.decide(chat.getSnapshot().pending[0]?.id ?? "", "reject"),
  },
];

/** The events of a chat over a mock agent, and what that chat shows: an approval, a question, a tool, a failure. */
async function ofMock(): Promise<{ events: readonly UniversalEvent[]; shown: unknown }> {
  const agent = new MockAgent();
  let prompts = 0;
  agent.script(function* () {
    if (++prompts === 2) {
      yield agentStep.fail("the model is away");
      return;
    }
    yield agentStep.reasoning("Hm.");
    yield "I ask. ";
    yield* agentStep.tool({
      name: "delete_file",
      input: { path: "a.txt" },
      approval: true,
      output: "deleted",
    });
    yield "Done.";
  });
  const chat = createChat(agent);
  const events: UniversalEvent[] = [];
  chat.on("event", (event) => void events.push(event));
  const idle = (): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        const { pending, busy } = chat.getSnapshot();
        for (const { id, type } of pending) if (type === "approval") chat.decide(id, "once");
        if (busy) return;
        off();
        resolve();
      };
      const off = chat.subscribe(look);
    });
  for (const text of ["First", "Second"]) {
    chat.send(text);
    await idle();
  }
  const shown = plain(chat.getSnapshot());
  await chat.close();
  return { events: events.filter(({ type }) => type !== "session.ended"), shown };
}

describe("R21: a chat over a relay", () => {
  test("shows the same messages as the chat over the source itself, also after a reload behind each event", async () => {
    const { events, shown } = await ofMock();
    await using relay = await FakeRelay.start();
    await using live = new Viewer(relay);
    await live.ready();
    for (const [at, event] of events.entries()) {
      relay.tell(event);
      await live.has(at + 1);
      await using reloaded = new Viewer(relay);
      await reloaded.ready();
      expect(plain(reloaded.now)).toEqual(plain(live.now));
      expectSound(reloaded);
    }
    expect(plain(live.now)).toEqual(shown);
  });

  test.each(ENDS)("shows $what as the chat over the source itself does", async ({ script, act }) => {
    const play = async (chat: Chat): Promise<unknown> => {
      chat.send("Go");
      const isWaiting = ({ messages, pending }: ChatSnapshot): boolean =>
        pending.length > 0 || JSON.stringify(messages).includes("Half.");
      await until(chat, (now) => isOver(now) || isWaiting(now));
      act(chat);
      await until(chat, isOver);
      const end = comparable(chat.getSnapshot());
      await chat.close();
      return end;
    };
    await using relay = await RealRelay.start(new MockAgent({ script }));
    const direct = await play(createChat(new MockAgent({ script })));
    expect(await play(new Viewer(relay).chat)).toEqual(direct);
  });

  test(
    "shows any transcript as the reducer does, whatever the frames are and wherever the link breaks",
    async () => {
      await using relay = await FakeRelay.start();
      const plans = fc.tuple(
        transcripts,
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.nat(60), { maxLength: 3 }),
      );
      await fc.assert(
        fc.asyncProperty(plans, async ([events, frame, breaks]) => {
          relay.frame = frame;
          relay.events = [];
          relay.log = `log${relay.streams.length}`;
          await using viewer = new Viewer(relay);
          await viewer.ready();
          for (const [at, event] of events.entries()) {
            relay.tell(event);
            if (breaks.includes(at)) relay.end(at % 2 === 0 ? "cut" : "cleanly");
          }
          await viewer.until(() => viewer.events.length === events.length);
          expect(viewer.events).toEqual(events);
          expect(plain(viewer.now)).toEqual(JSON.parse(JSON.stringify(fold(events).messages)));
          await viewer.chat.close();
          await relay.until(() => relay.viewers === 0);
        }),
        runs(60),
      );
    },
    PATIENCE,
  );

  test("never throws and never rejects, whatever it is called with", async () => {
    await using relay = await FakeRelay.start();
    await using viewer = new Viewer(relay);
    const calls = Object.entries(viewer.chat).filter(
      ([name, value]) => typeof value === "function" && !["subscribe", "on", "close"].includes(name),
    );
    for (const round of [1, 2]) {
      for (const [, call] of calls)
        for (const value of [undefined, null, 7, "x", {}, [], { text: "x" }])
          (call as (...values: unknown[]) => unknown)(value, value);
      if (round === 1) await viewer.ready();
    }
    await viewer.chat.close();
    for (const [, call] of calls) (call as (value: unknown) => unknown)("x");
    expect(viewer.now.connection.status).toBe("closed");
  });
});

describe("what the user sees when", () => {
  test("the driver is killed in a turn: nothing moves, then the server stopped; the next prompt goes on", async () => {
    await using relay = await FakeRelay.start();
    await using viewer = new Viewer(relay);
    const script = new Script("ses_1", Date.UTC(2026, 1, 1)).session().turn("Go", { prompt_id: "p_1" });
    const item = script.start();
    script.delta(item, "Half of ");
    script.permission("requested", { permission_id: "ses_1.1" });
    relay.tell(...script.events);
    relay.says({ busy: true });
    await viewer.ready();
    relay.queue = [{ key: "p_2", at: new Date().toISOString(), input: { text: "Next" } }];
    relay.says({ driver: "lost" });
    await viewer.until(({ queue }) => queue.length === 1);
    expect(viewer.lines.at(-1)).toBe("user queued: Next");
    expect(viewer.now).toMatchObject({ busy: true, pending: [{ id: "ses_1.1" }] });
    const error = { message: "the server stopped", code: "relay.driver-lost" };
    relay.tell(...closeTranscript(relay.events, { time: new Date().toISOString(), error }));
    relay.queue = [];
    relay.tell(...new Script("ses_2").session().turn("Next", { prompt_id: "p_2" }).turnEnded().events);
    relay.says({ driver: "running", busy: false });
    await viewer.until(({ busy, messages }) => !busy && messages.length >= 3);
    expect(viewer.now.pending).toEqual([]);
    expect(viewer.lines.slice(0, 3)).toEqual([
      "user sent: Go",
      "assistant failed: Half of <tool>",
      "user sent: Next",
    ]);
    expect(viewer.now.messages.at(1)?.error?.title).toBe("The server stopped");
    expectSound(viewer, false);
  });

  test("the server restarts with `close()`: a short `reconnecting`, the queue waits, nothing is lost", async () => {
    await using relay = await FakeRelay.start();
    await using viewer = new Viewer(relay);
    await viewer.ready();
    relay.nextStreams.push({ status: 503, body: { code: "closing" } });
    relay.nextCommands.push({ status: 503, body: { code: "closing" } });
    relay.end("cleanly");
    viewer.chat.send("Hello");
    await viewer.until(({ connection }) => connection.status !== "ready");
    await viewer.ready();
    await relay.until(() => relay.commands.length === 1);
    expect(viewer.lines).toEqual(["user queued: Hello"]);
  });

  test("nobody authorizes the viewer any more: closed, the messages stay, waiting prompts say what became of them", async () => {
    await using relay = await FakeRelay.start();
    relay.tell(...new Script().session().turn("Old", { prompt_id: "p_1" }).turnEnded().events);
    await using viewer = new Viewer(relay);
    await viewer.ready();
    viewer.chat.send("Waits");
    await relay.until(() => relay.commands.length === 1);
    await viewer.until(() => relay.posts.length === 1);
    relay.nextStreams.push({ status: 401, body: { code: "unauthorized", message: "who are you" } });
    relay.end("cut");
    await viewer.until(({ connection }) => connection.status === "closed");
    await viewer.until(({ busy }) => !busy);
    expect(viewer.lines).toEqual(["user sent: Old", "assistant completed: ", "user failed: Waits"]);
    expect(viewer.now.messages.at(2)?.error).toMatchObject({ title: "You are not signed in", retry: "no" });
    relay.queue = [];
    relay.tell(
      ...new Script("ses_2", Date.now())
        .session()
        .turn("Waits", { prompt_id: relay.posts[0]?.key ?? "" })
        .turnEnded().events,
    );
    viewer.chat.connect();
    await viewer.ready();
    expect(viewer.lines).toEqual([
      "user sent: Old",
      "assistant completed: ",
      "user sent: Waits",
      "assistant completed: ",
    ]);
  });
});
