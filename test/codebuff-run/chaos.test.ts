import { getEventListeners } from "node:events";
import { CodebuffRun, CodebuffRunError } from "agentwire/codebuff-run";
import { MockCodebuffBackend } from "agentwire/testing";
import { expect, test } from "vitest";
import { share } from "../helpers/runs.ts";
import { Dice } from "../soak/dice.ts";
import { ChaoticLink, type Sent } from "./chaotic-link.ts";
import { AGENT, agentWith, json, RunClock } from "./world.ts";

// Runs over a link that breaks by chance: each settles, nothing is repeated that must not be, and nothing stays.
// AGENTWIRE_RUNS=30 makes it a soak; CODEBUFF_RUN_CHAOS_SEED repeats one.

const RUNS = share(300);
const SEED = Number(process.env["CODEBUFF_RUN_CHAOS_SEED"] ?? 1);
const AT_ONCE = 20;

/** Calls that are repeated, by the specification. */
const isRepeated = ({ what, body }: Sent): boolean =>
  what.startsWith("GET ") || what.endsWith("/chat/completions") || body.includes('"START"');

/** What is wrong with the order of the requests. */
function mistakesIn(sent: readonly Sent[]): readonly string[] {
  const last = new Map<string, Sent>();
  return sent.flatMap((each) => {
    if (each.what.startsWith("GET ") || each.what.endsWith("/token-count")) return []; // they change nothing
    const key = `${each.what} ${each.body}`;
    const before = last.get(key);
    last.set(key, each);
    if (!before) return [];
    if (!isRepeated(each)) return [`${key} was sent twice`];
    if (before.hasBegun) return [`${key} was repeated behind a byte of its answer`];
    const passes: readonly string[] = ["unreachable", "lost", "busy", "limited", "cut"];
    return passes.includes(before.fate) ? [] : [`${key} was repeated after ${before.fate}`];
  });
}

test(`${RUNS} runs over an unreliable link settle, repeat no unsafe call and leave nothing open`, {
  timeout: Math.max(60_000, RUNS * 100),
}, async () => {
  const dice = new Dice("codebuff-run", SEED);
  const roll = (): number => dice.next();
  const toolCalls = [{ name: "glob", arguments: { pattern: "*" } }];
  const answer = ({ call, agentId }: { call: number; agentId: string | null }) =>
    call === 1
      ? {
          text: ["I ", "look."],
          toolCalls: agentId?.startsWith("parent") ? [{ name: "child" }] : toolCalls,
          usage: { cost: 0.05 },
        }
      : { reasoning: "hm", text: ["All ", "done."], usage: { cost: 0.05 } };
  await using backend = await MockCodebuffBackend.start({ answer });
  const clock = new RunClock({ random: roll });
  const link = new ChaoticLink(roll, 0.15);
  const stop = new AbortController();
  const child = { ...agentWith("glob"), id: "child" };
  const client = new CodebuffRun({
    apiKey: backend.apiKey,
    baseUrl: backend.url,
    fetch: link.fetch,
    clock,
    agentDefinitions: [child],
    overrideTools: { glob: () => json([]) },
    maxRuns: AT_ONCE,
    maxQueuedTurns: AT_ONCE,
    signal: stop.signal,
  });
  const ends = { completed: 0, cancelled: 0, failed: 0 };
  const kinds = new Set<string>();
  for (let begun = 0; begun < RUNS; ) {
    const turns = Array.from({ length: Math.min(AT_ONCE, RUNS - begun) }, () => {
      const isParent = roll() < 0.2;
      const id = `${isParent ? "parent" : "agent"}-${begun++}`;
      const agent = {
        ...AGENT,
        id,
        toolNames: ["glob"],
        ...(isParent ? { spawnableAgents: ["child"] } : {}),
      };
      const turn = client.prompt(id, {
        agent,
        signal: stop.signal,
        ...(roll() < 0.1 ? { timeout: 1 + Math.floor(roll() * 20_000) } : {}),
      });
      const chunks = roll() < 0.1 ? Math.floor(roll() * 4) : -1;
      let seen = 0;
      turn.on("event", () => {
        if (seen++ === chunks) void turn.cancel();
      });
      return turn;
    });
    let left = turns.length;
    const all = Promise.all(
      turns.map(async (turn) => {
        const outcome = await turn.outcome;
        left--;
        return outcome;
      }),
    );
    while (left > 0 || clock.pending > 0) {
      await new Promise((later) => setImmediate(later));
      if (!link.isMoving && clock.next !== undefined) await clock.advance(clock.next);
    }
    for (const outcome of await all) {
      ends[outcome.status]++;
      if (outcome.status !== "failed") continue;
      const { error } = outcome;
      expect(error.code).toMatch(/^turn-(failed|timeout)$/);
      if (error instanceof CodebuffRunError) kinds.add(error.kind);
    }
    expect(mistakesIn(link.sent)).toEqual([]);
    expect(link.open).toBe(0);
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(1); // the client's own
    const finished = link.sent
      .filter(({ body }) => body.includes('"FINISH"'))
      .map(({ body }) => JSON.parse(body).runId);
    expect(new Set(finished).size).toBe(finished.length);
    link.sent.length = 0;
    backend.reset();
  }
  expect(ends.completed).toBeGreaterThan(RUNS / 10);
  expect(ends.failed).toBeGreaterThan(0);
  expect([...kinds]).not.toContain("invalid_agent"); // the kind of what nobody has thought of
  await client.close();
  expect(clock.pending).toBe(0);
  expect(getEventListeners(stop.signal, "abort")).toHaveLength(0);
  const mistakes = backend.violations.map(({ kind, detail }) => `${kind}: ${detail}`);
  expect(mistakes).toEqual([]);
});
