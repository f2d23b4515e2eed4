import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { cliWorld } from "../helpers/codebuff-cli.ts";
import { shown } from "../helpers/turns.ts";

const text = (words: string) => ({ type: "text", text: words });
const FINISH = { type: "finish", totalCost: 1 };

describe("a program whose reader is slow", () => {
  test("is not read further until the reader has taken half of the buffer", async () => {
    const events = [
      text("a"),
      text("b"),
      { hold: "go" },
      text("c"),
      { stderr: "said\n" },
      { hold: "end" },
      FINISH,
    ];
    await using at = await cliWorld({ events }, { maxQueuedEvents: 2 });
    const turn = at.client.prompt("hi");
    const reader = turn[Symbol.asyncIterator]();
    await shown(turn, "ab");
    const said = new Promise((resolve) => at.client.on("stderr", resolve));
    at.cli.release("go");
    await said;
    for (let moment = 0; moment < 10; moment++) await setImmediate(); // in which it would be read
    expect(turn.text).toBe("ab");
    await reader.next();
    await shown(turn, "abc");
    at.cli.release("end");
    let step = await reader.next();
    while (!step.done) step = await reader.next();
    expect(await turn.outcome).toMatchObject({ status: "completed" });
  });

  test("gets `exitGrace` after `finish` only once the reader has caught up", async () => {
    const events = [FINISH, text("a"), text("b"), { hold: "for ever" }];
    await using at = await cliWorld({ events }, { maxQueuedEvents: 3 });
    const turn = at.client.prompt("hi");
    const reader = turn[Symbol.asyncIterator]();
    await shown(turn, "ab");
    expect(at.clock.pending).toBe(0);
    await at.clock.advance(5_000);
    expect(turn.status).toBe("streaming");
    expect(at.cli.runs()[0]?.signals).toEqual([]);
    for (let count = 0; count < 3; count++) await reader.next();
    await at.clock.advance(5_000);
    expect(await turn.outcome).toMatchObject({ status: "completed" });
  });

  test("gets `exitGrace` also if `finish` arrived while reading was paused", async () => {
    const events = [text("a"), text("b"), FINISH, { hold: "for ever" }];
    await using at = await cliWorld(
      {
        events: [
          {
            raw: `${events
              .slice(0, 3)
              .map((event) => JSON.stringify(event))
              .join("\n")}\n`,
          },
          { hold: "x" },
        ],
      },
      { maxQueuedEvents: 2, idleTimeout: 3_000 },
    );
    const turn = at.client.prompt("hi");
    const reader = turn[Symbol.asyncIterator]();
    await new Promise<void>((resolve) => {
      turn.on("event", ({ type }) => type === "finish" && resolve());
    });
    expect(at.clock.pending).toBe(0);
    await at.clock.advance(5_000);
    expect(turn.status).toBe("streaming");
    for (let count = 0; count < 3; count++) await reader.next();
    await at.clock.advance(5_000); // silence does not count behind the last word, or it would be a limit by now
    expect(await turn.outcome).toMatchObject({ status: "completed" });
  });

  test("gets its whole `idleTimeout` again once the reader goes on", async () => {
    await using at = await cliWorld(
      { events: [text("a"), text("b"), { hold: "x" }] },
      { maxQueuedEvents: 2 },
    );
    const turn = at.client.prompt("hi");
    const reader = turn[Symbol.asyncIterator]();
    await shown(turn, "ab");
    await at.clock.advance(600_000);
    expect(turn.status).toBe("streaming");
    for (let count = 0; count < 2; count++) await reader.next();
    await at.clock.advance(599_999);
    expect(turn.status).toBe("streaming");
    await at.clock.advance(1);
    expect(await turn.outcome).toMatchObject({ status: "failed", error: { kind: "idle" } });
  });

  test.each([
    ["a `finish`", [FINISH]],
    ["no `finish`", []],
  ])("starts no timer if the reader catches up after its end, with %s", async (_, finish) => {
    const said = Array.from({ length: 10 }, (_, index) => ({ type: "text", text: `${index}` }));
    const events = [...said, ...finish];
    await using at = await cliWorld({ events }, { maxQueuedEvents: 4 });
    const turn = at.client.prompt("hi");
    const reader = turn[Symbol.asyncIterator]();
    await reader.next();
    expect(await turn.outcome).toMatchObject({ status: "completed" });
    expect(at.clock.pending).toBe(0);
    let count = 1;
    for (let step = await reader.next(); !step.done; step = await reader.next()) count++;
    expect(count).toBe(events.length);
    expect(at.clock.pending).toBe(0);
  });
});
