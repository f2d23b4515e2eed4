// What the user reads of each code of a relay, and of `delivery: "accepted"`: through a real relay and the chat over it.
import { describeError } from "agentwire/chat";
import { remote } from "agentwire/remote";
import { memoryLog } from "agentwire/server";
import { agentStep, MockAgent } from "agentwire/testing/agent";
import { describe, expect, test } from "vitest";
import { until } from "../../examples/support/until.ts";
import { BrokenLog } from "../server/relay/support/broken-log.ts";
import { CHAT, RealRelay } from "./support/real-relay.ts";
import { Viewer } from "./support/world.ts";

const hangs = (): MockAgent => new MockAgent({ script: () => ["Half. ", agentStep.wait("go"), "Whole."] });

/** The last error that the viewer shows, with the status of its message. */
function shownBy(viewer: Viewer): unknown {
  const message = viewer.now.messages.toArray().findLast(({ error }) => error !== undefined);
  return message && { status: message.status, code: message.error?.code, title: message.error?.title };
}

describe("a code of a relay has its words in the chat", () => {
  test("`relay.driver-lost`: the server ends in a turn", async () => {
    const log = memoryLog();
    const first = await RealRelay.start(hangs(), { log });
    await using viewer = new Viewer(first);
    viewer.chat.send("Go");
    await viewer.until(() => viewer.lines.at(-1) === "assistant open: Half. ");
    await first.relay.close({ drain: 0 });
    await using second = await RealRelay.start(hangs(), { log });
    await using later = new Viewer(second);
    await later.ready();
    expect(shownBy(later)).toEqual({
      status: "failed",
      code: "relay.driver-lost",
      title: "The server stopped",
    });
    await first[Symbol.asyncDispose]();
  });

  test("`relay.delivery-unknown`: the server ended between the inbox and the first event", async () => {
    const log = memoryLog();
    const wish = { type: "prompt", input: "Go" };
    const value = { at: "2026-01-01T00:00:00.000Z", by: "user_1", wish };
    await log.send(CHAT, { key: "p_1", kind: "prompt", value }, "hash", { maxQueued: 9, keyTtl: 1_000 });
    const lease = await log.acquire(CHAT, "dead", 1_000);
    if (lease === null || lease === "orphan") throw new Error("no lease");
    await log.take(CHAT, lease.epoch, "prompt", undefined);
    await log.release(CHAT, "dead", lease.epoch);
    await using relay = await RealRelay.start(hangs(), { log });
    await using viewer = new Viewer(relay);
    viewer.chat.send("And now?");
    await viewer.until(({ messages }) => messages.length > 2);
    expect(shownBy(viewer)).toEqual({
      status: "failed",
      code: "relay.delivery-unknown",
      title: "It is not known whether the agent got this",
    });
  });

  test("`relay.log-lost`: the log fails for too long", async () => {
    const broken = new BrokenLog();
    const agent = new MockAgent({
      deltas: 1,
      async *script() {
        yield "a";
        yield agentStep.wait("more");
        for (;;) yield "word ";
      },
    });
    await using relay = await RealRelay.start(agent, { log: broken.log, maxUnsaved: 20 });
    await using viewer = new Viewer(relay);
    viewer.chat.send("Go");
    await viewer.until(() => viewer.lines.at(-1) === "assistant open: a");
    broken.fail("append");
    agent.release("more");
    await agent.waitFor(({ cancels }) => cancels.length === 1);
    broken.mend();
    await viewer.until(({ busy, messages }) => !busy && messages.length === 3);
    expect(viewer.now.messages.at(1)?.status).toBe("cancelled");
    expect(shownBy(viewer)).toMatchObject({ code: "relay.log-lost", title: "The chat could not be kept" });
  });

  test("`relay.withdrawn`: a viewer takes back the prompt of another one", async () => {
    const agent = hangs();
    await using relay = await RealRelay.start(agent);
    await using viewer = new Viewer(relay);
    await using other = new Viewer(relay);
    viewer.chat.send("Go");
    await other.until(() => other.lines.at(-1) === "assistant open: Half. ");
    viewer.chat.send("And now?");
    await other.until(({ queue }) => queue.length === 1);
    other.chat.unqueue(other.now.queue[0]?.id ?? "");
    await viewer.until(({ queue }) => queue.length === 0);
    agent.release("go");
    for (const each of [viewer, other]) {
      await each.until(({ busy }) => !busy);
      const part = { type: "error", code: "relay.withdrawn", message: expect.stringContaining("withdrawn") };
      expect(JSON.parse(JSON.stringify(each.now.messages.at(-1)))).toMatchObject({
        status: "cancelled",
        parts: [part],
      });
      expect(each.lines).toContain("assistant completed: Half. Whole.");
    }
    expect(agent.prompts).toHaveLength(1);
  });
});

test("a turn can be cancelled after a prompt behind it was withdrawn", async () => {
  const agent = hangs();
  await using relay = await RealRelay.start(agent);
  await using viewer = new Viewer(relay);
  viewer.chat.send("Go");
  await viewer.until(() => viewer.lines.at(-1) === "assistant open: Half. ");
  viewer.chat.send("And now?");
  await viewer.until(({ queue }) => queue.length === 1);
  viewer.chat.unqueue(viewer.now.queue[0]?.id ?? "");
  await viewer.until(({ messages }) => messages.at(-1)?.status === "cancelled");
  expect(viewer.now.busy).toBe(true);
  viewer.chat.cancel();
  await viewer.until(({ busy }) => !busy);
  expect(agent.cancels).toHaveLength(1);
  expect(viewer.lines[1]).toBe("assistant cancelled: Half. ");
});

test("R13: a prompt whose client closes is `accepted`, its words say so, and the relay carries it out", async () => {
  const agent = hangs();
  await using relay = await RealRelay.start(agent);
  const client = remote({ url: relay.url, chat: CHAT }).client();
  const turns = [client.prompt("Go"), client.prompt("And now?")];
  await using viewer = new Viewer(relay);
  await viewer.until(({ queue }) => queue.length === 1);
  await new Promise<void>((resolve) => {
    turns[0]?.on("status", (status) => status === "streaming" && resolve());
  });
  await client.close();
  for (const turn of turns) {
    const outcome = await turn.outcome;
    if (outcome.status !== "failed") throw new Error(outcome.status);
    expect(outcome.error).toMatchObject({ code: "closed", delivery: "accepted" });
    expect(outcome.error).not.toHaveProperty("input");
    expect(describeError(outcome.error).detail).toContain("The server has your message");
  }
  agent.release("go");
  await until(viewer.chat, ({ busy, queue }) => !busy && queue.length === 0);
  expect(agent.prompts.map(({ text }) => text)).toEqual(["Go", "And now?"]);
});
