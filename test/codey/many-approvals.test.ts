import { expect, test } from "vitest";
import { mapWorkDuring } from "../core/support/costs.ts";
import { fakePair, say } from "../helpers/codey-fake.ts";

/** Lookups and elements per call, for a turn with so many that all wait for the user at the same time. */
async function workPer(calls: number): Promise<number> {
  const pair = await fakePair({ onToolApproval: "manual" });
  const turn = pair.client.prompt("go");
  const heard: string[] = [];
  turn.on("approval", ({ id }) => heard.push(id));
  await pair.settle();
  const ids = Array.from({ length: calls }, (_, at) => `c${at}`);
  const work = mapWorkDuring(() => {
    pair.says(...ids.map((id) => say.asks(id)));
    for (const id of heard) pair.client.decide(id, "reject");
  });
  expect(new Set(heard).size).toBe(calls);
  expect(pair.client.pending).toEqual([]);
  void pair.client.close({ force: true });
  return work / calls;
}

test("the cost of an approval does not grow with the number of open approvals", async () => {
  expect(await workPer(1_200)).toBeLessThan(1.5 * (await workPer(300)));
});
