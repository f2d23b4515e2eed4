import { describe, expect, test } from "vitest";
import { type FakeCodebuff, fakeRunning, say } from "../helpers/codebuff-fake.ts";
import { ASK, json } from "../helpers/codebuff-requests.ts";

// How requests ended, for who looks on from outside of their turn: a tool call, a question, a read of files.

const OPTIONS = {
  toolPolicy: ASK,
  onToolApproval: "manual",
  onQuestion: "manual",
  tools: { act: () => json(1) },
  onReadFiles: () => ({ a: "x" }),
} as const;

type Running = Awaited<ReturnType<typeof fakeRunning>>;

async function asking(options: object = {}) {
  const running = await fakeRunning({ ...OPTIONS, ...options });
  const { made, turn } = running;
  const told: string[] = [];
  made.client.on("settled", ({ id }, of) => told.push(of === turn ? id : `${id} of nobody`));
  made.says(say.calls(turn, "act", {}, "r1"), say.calls(turn, "ask_user", { question: "Which?" }, "r2"), {
    type: "action",
    data: { type: "read-files", requestId: "f1", filePaths: ["a"] },
  });
  expect(made.client.pending.map(({ type, id }) => [type, id])).toEqual([
    ["approval", "r1"],
    ["question", "r2"],
    ["approval", "f1"],
  ]);
  return { ...running, told };
}

const ends: Readonly<Record<string, (pair: FakeCodebuff, turn: Running["turn"]) => void>> = {
  "the client is closed by force": ({ client }) => void client.close({ force: true }),
  "the client is closed without a drain": ({ client }) => void client.close({ drainTimeout: 0 }),
  "the client is closed while its socket is closing": ({ client, socket }) => {
    socket.readyState = 2;
    void client.close();
  },
  "the client is closed by force while its socket is closing": ({ client, socket }) => {
    socket.readyState = 2;
    void client.close({ force: true });
  },
  "the link is lost": ({ socket }) => socket.ends(),
  "the link is lost, and the client is closed": ({ client, socket }) => {
    socket.ends();
    void client.close();
  },
  "the prompt is cancelled": (_, turn) => void turn.cancel(),
  "the prompt is cancelled, and the client is closed": ({ client }, turn) => {
    void turn.cancel();
    void client.close({ force: true });
  },
};

describe("each open request emits `settled` once when", () => {
  test.each(Object.keys(ends))("%s", async (how) => {
    const { made, turn, told } = await asking();
    ends[how]?.(made, turn);
    await made.settle();
    expect(told.map((id) => id.slice(0, 2)).sort()).toEqual(["f1", "r1", "r2"]);
    expect([made.client.pending, turn.pending]).toEqual([[], []]);
    void made.client.close({ force: true });
  });

  test("it is decided or answered", async () => {
    const { made, turn, told } = await asking();
    made.client.decide("r1", true);
    made.client.answer("r2", "this");
    made.client.decide("f1", "reject");
    expect(told).toEqual(["r1", "r2", "f1"]);
    expect([made.client.pending, turn.pending]).toEqual([[], []]);
    void made.client.close({ force: true });
  });
});
