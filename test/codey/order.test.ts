import type { CodeyClientOptions } from "agentwire/codey";
import { describe, expect, test } from "vitest";
import { askingPair, FakePair, fakePair, say } from "../helpers/codey-fake.ts";

// The order in which users are told, where the suite of all clients cannot see it: calls and approvals among the events, and what is
// on the wire by then.

const CANCEL = ["Cancel", "ToolDecision c1 false"];

/** A client, a turn that was sent, and whatever the two tell from then on, in short. */
async function listening(options: Partial<CodeyClientOptions> = {}) {
  const made = await fakePair(options);
  const { client } = made;
  const turn = client.prompt("one");
  const log: string[] = [];
  client.on("frame", ({ direction, text }) => log.push(`${direction} ${JSON.parse(text).type}`));
  client.on("message", () => log.push("message"));
  client.on("event", ({ type }) => log.push(`client event ${type}`));
  client.on("approval", ({ id }) => log.push(`client approval ${id}`));
  turn.on("status", (status) => log.push(`turn ${status}`));
  turn.on("event", ({ type }) => log.push(`turn event ${type}`));
  turn.on("toolCall", ({ id, state }) => log.push(`${id} ${state}`));
  turn.on("approval", ({ id }) => log.push(`turn approval ${id}`));
  await made.settle();
  log.length = 0;
  return { made, turn, log };
}

describe("a turn with an approval", () => {
  test("emits in order: the call before its event, then the approval, the turn's end last", async () => {
    const { made, turn, log } = await listening({ onToolApproval: "manual" });
    made.says(say.text("let me see"));
    expect(log.splice(0)).toEqual([
      "in TextDelta",
      "message",
      "turn streaming",
      "client event TextDelta",
      "turn event TextDelta",
    ]);
    made.says(say.asks("c1"));
    expect(log.splice(0)).toEqual([
      "in ToolAwaitingApproval",
      "message",
      "c1 awaiting",
      "client event ToolAwaitingApproval",
      "turn event ToolAwaitingApproval",
      "turn approval c1",
      "client approval c1",
    ]);
    made.client.decide("c1", true);
    const replied = log.splice(0);
    expect(replied).toContain("out ToolDecision");
    expect(replied.filter((word) => !word.startsWith("out "))).toEqual([
      "c1 approved",
      "c1 running",
      "client event ToolStarted",
      "turn event ToolStarted",
    ]);
    made.says(say.started("c1"), say.completed("c1"), say.text("done"));
    expect(log.splice(0)).toEqual([
      "in ToolStarted",
      "message",
      "in ToolCompleted",
      "message",
      "c1 done",
      "client event ToolCompleted",
      "turn event ToolCompleted",
      "in TextDelta",
      "message",
      "client event TextDelta",
      "turn event TextDelta",
    ]);
    made.says(say.finished());
    expect(log).toEqual([
      "in Finished",
      "message",
      "client event Finished",
      "turn event Finished",
      "turn completed",
    ]);
    expect((await turn.outcome).status).toBe("completed");
  });

  test("is cancelled in order: Cancel, denial and Ping are sent, the call ends, the turn ends", async () => {
    const { made, turn, log } = await listening({ onToolApproval: "manual" });
    made.says(say.asks("c1"));
    log.length = 0;
    void turn.cancel();
    const frames = (): string[] => log.filter((word) => /^(out|in)/.test(word));
    const others = (): string[] => log.filter((word) => !/^(out|in|message)/.test(word));
    expect(frames()).toEqual(["out Cancel", "out ToolDecision", "out Ping"]);
    expect(others()).toEqual(["turn cancelling", "c1 abandoned"]);
    made.says(say.pong);
    expect(others()).toEqual(["turn cancelling", "c1 abandoned", "turn cancelled"]);
  });
});

describe("frames that are already sent", () => {
  test("are Cancel and denials, when a listener gets `cancelling`", async () => {
    const { made, turn } = await askingPair();
    const sent: unknown[] = [];
    turn.on("status", (status) => {
      if (status === "cancelling") sent.push(made.sent.slice(1, 3));
    });
    void turn.cancel();
    expect(sent).toEqual([CANCEL]);
  });

  test("are the prompt, when a listener gets `sent`, and each frame, when a `frame` listener gets it", async () => {
    const made = new FakePair();
    const turn = made.client.prompt("one");
    const seen: (readonly [string, string | undefined])[] = [];
    turn.on("status", (status) => {
      if (status === "sent") seen.push([status, made.sent.at(-1)]);
    });
    made.client.on("frame", ({ direction, text }) => {
      if (direction === "out") seen.push([JSON.parse(text).content, made.sent.at(-1)]);
    });
    await made.greet();
    expect(seen.sort()).toEqual([
      ["one", "SendMessage one"],
      ["sent", "SendMessage one"],
    ]);
  });

  test("are the queued prompt, when a listener gets `ready`", async () => {
    const made = new FakePair();
    made.client.prompt("one");
    const sent: unknown[] = [];
    made.client.on("status", (status) => {
      if (status === "ready") sent.push(made.sent);
    });
    await made.greet();
    expect(sent).toEqual([["SendMessage one"]]);
  });

  test("are the denial, when the approval's signal aborts", async () => {
    const sent: unknown[] = [];
    const { made, turn } = await askingPair({
      onToolApproval: (_, { signal }) => {
        signal.addEventListener("abort", () => sent.push(made.sent.slice(1, 3)));
        return new Promise(() => {});
      },
    });
    void turn.cancel();
    expect(sent).toEqual([CANCEL]);
  });

  test("are the decision, after `decide()` in a listener", async () => {
    const { made } = await askingPair();
    const sent: unknown[] = [];
    const off = made.client.on("event", () => {
      off();
      made.client.decide("c1", true);
      sent.push(made.sent.at(-1));
    });
    made.says(say.text("thinking aloud"));
    expect(sent).toEqual(["ToolDecision c1 true"]);
  });

  test("are the prompt, after `prompt()` in a listener, before the next listener is called", async () => {
    const made = await fakePair();
    const turn = made.client.prompt("one");
    const sent: unknown[] = [];
    turn.on("status", (status) => {
      if (status !== "completed") return;
      made.client.prompt("two");
      sent.push(made.sent.at(-1));
    });
    turn.on("status", (status) => {
      if (status === "completed") sent.push(made.sent.at(-1));
    });
    await made.settle();
    made.says(say.finished());
    expect(sent).toEqual(["SendMessage two", "SendMessage two"]);
  });
});
