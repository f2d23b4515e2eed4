import { isAgentwireError } from "agentwire";
import { expect, test } from "vitest";
import type { AnyAgentClient } from "../../src/core/client/any-client.ts";
import { share } from "../helpers/runs.ts";
import { WORLDS } from "./support/asking-worlds.ts";

const BACKENDS = WORLDS.filter(([name]) => !/reconnects|forgets/.test(name)); // nothing is lost here

/** Prompts with 100 calls each. */
const PROMPTS = share(100);

/** The ids of the calls, 100 at each prompt: many come again, and some look as if a client had made them. */
const idsAt = (prompt: string): readonly string[] =>
  prompt.includes("again")
    ? ["mcp_shell"]
    : ["mcp_shell", ...Array.from({ length: 99 }, (_, at) => idOf(99 * Number(/\d+/.exec(prompt)) + at))];
const idOf = (n: number): string => (n % 3 === 0 ? `mcp_shell~${n % 50}` : `call-${n % 5_000}`);

/** What an old dialog is told: how its call was decided, or the code of the error. */
function late(client: AnyAgentClient, id: string): string {
  try {
    return client.decide(id, "once").decision;
  } catch (error) {
    if (isAgentwireError(error)) return error.code;
    throw error;
  }
}

test.each(BACKENDS)(
  "of many calls on %s no id comes again in one client or its events, and no old dialog decides the next call",
  async (_, start) => {
    await using world = await start(idsAt);
    const client = world.source.client();
    const own: string[] = [];
    const told: string[] = [];
    world.source.toUniversal(client).on("event", ({ type, data }) => {
      if (type === "permission.requested") told.push(data.permission_id);
    });
    let decide = (id: string): void => void client.decide(id, "reject");
    client.on("approval", ({ id }) => {
      own.push(id);
      decide(id);
    });
    for (let n = 0; n < PROMPTS; n++) await client.prompt(`${n}`).outcome;
    expect([new Set(own).size, new Set(told).size]).toEqual([PROMPTS * 100, PROMPTS * 100]);
    const asked = new Promise<void>((resolve) => {
      decide = () => resolve();
    });
    const turn = client.prompt("again");
    await asked;
    for (const id of own.slice(0, -1)) expect(late(client, id)).toMatch(/reject|invalid-input/);
    expect(late(client, own.at(-2) ?? "")).toBe("reject");
    expect([turn.pending.length, world.done]).toEqual([1, []]);
    expect(client.decide(own.at(-1) ?? "", "once").decision).toBe("once");
    await turn.outcome;
    await Promise.all([client.close(), world.clock.advance(10_000)]);
  },
  120_000,
);
