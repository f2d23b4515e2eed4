import type { CodeyClientOptions, SettledRequest } from "agentwire";
import { describe, expect, test } from "vitest";
import type { CodeyTurn } from "../helpers/codey.ts";
import { type FakePair, fakePair, say } from "../helpers/codey-fake.ts";

// How a request ended, for who looks on from outside of its turn.

const made = async (options: Partial<CodeyClientOptions> = { onToolApproval: "manual" }) => {
  const pair = await fakePair(options);
  const told: (readonly [request: SettledRequest, turn?: CodeyTurn])[] = [];
  pair.client.on("settled", (...values) => told.push(values));
  const turn = pair.client.prompt("one");
  const order: string[] = [];
  turn.on("toolCall", ({ state }) => order.push(state));
  pair.client.on("settled", () => order.push("settled"));
  await pair.settle();
  pair.says(say.request(["c1"]), say.asks("c1", 0, { command: "ls" }));
  return { pair, turn, told, order };
};

describe("a request that has ended", () => {
  test("is emitted once, with its call, ruling and turn, before its consequences", async () => {
    const { pair, turn, told, order } = await made();
    expect(pair.client.pending).toEqual(turn.pending);
    expect(pair.client.pending).toHaveLength(1);
    const ruling = pair.client.decide("c1", { decision: "once", reason: "fine" });
    pair.client.decide("c1", false);
    expect(told).toEqual([
      [
        { type: "approval", id: "c1", call: expect.objectContaining({ id: "c1", turnId: turn.id }), ruling },
        turn,
      ],
    ]);
    expect(order).toEqual(["requested", "awaiting", "settled", "approved", "running"]);
    expect(pair.client.pending).toEqual([]);
  });

  test.each<{ how: string; by: string; end: (pair: FakePair, turn: CodeyTurn) => void }>([
    { how: "was decided by the server", by: "elsewhere", end: (pair) => pair.says(say.started("c1")) },
    { how: "belongs to a turn that was cancelled", by: "cancelled", end: (_, turn) => void turn.cancel() },
    { how: "belongs to a turn that has finished", by: "ended", end: (pair) => pair.says(say.finished()) },
    { how: "belongs to a lost session", by: "disconnected", end: (pair) => pair.socket.ends(1006) },
    { how: "belongs to a client that was closed", by: "cancelled", end: (pair) => void pair.client.close() },
  ])("gives the reason: it $how", async ({ by, end }) => {
    const { pair, turn, told } = await made();
    end(pair, turn);
    await pair.settle();
    expect(told).toHaveLength(1);
    expect(told[0]?.[0]).toMatchObject({ type: "approval", id: "c1", ruling: { decision: "reject", by } });
    expect(pair.client.pending).toEqual([]);
  });

  test("by a rule, or without a handler, is emitted, too, and is never pending", async () => {
    for (const options of [{ toolPolicy: [{ tool: "mcp_shell", then: "deny" as const }] }, {}]) {
      const { pair, told } = await made(options);
      expect(told.map(([request]) => request)).toMatchObject([
        { id: "c1", ruling: { decision: "reject", by: "policy" } },
      ]);
      expect(pair.client.pending).toEqual([]);
    }
  });

  test("by the callback is emitted, too", async () => {
    const { pair, told } = await made({ onToolApproval: () => "always" });
    await pair.settle();
    expect(told.map(([request]) => request)).toMatchObject([
      { id: "c1", ruling: { decision: "always", by: "callback" } },
    ]);
  });
});
