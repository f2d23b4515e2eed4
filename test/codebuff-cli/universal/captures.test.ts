import { readFileSync } from "node:fs";
import { type CodebuffCliOptions, toUniversal } from "agentwire/codebuff-cli";
import type { FakeCodebuffScenario } from "agentwire/testing";
import type { UniversalEvent } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { cliWorld } from "../../helpers/codebuff-cli.ts";
import { goldenOptions } from "../../universal/golden-options.ts";
import { expectInvariants } from "../../universal/invariants.ts";
import { collected } from "./collected.ts";

const read = (name: string) => readFileSync(new URL(`../../fixtures/${name}`, import.meta.url), "utf8");

/** The events of one prompt, without the random id of its turn. */
async function play(
  scenario: FakeCodebuffScenario,
  options: CodebuffCliOptions = {},
): Promise<readonly UniversalEvent[]> {
  await using at = await cliWorld(scenario, options);
  const turn = at.client.prompt("hi");
  const events = await collected(toUniversal(turn, goldenOptions()));
  expectInvariants(events);
  return JSON.parse(JSON.stringify(events).replaceAll(turn.id, "turn_1"));
}

/** All text that an assistant has said. */
const textOf = (events: readonly UniversalEvent[]): string =>
  events
    .map((event) => (event.type === "item.delta" && event.data.part?.type === "text" ? event.data.delta : ""))
    .join("");

/** How the calls of tools have ended. */
const resultsOf = (events: readonly UniversalEvent[]) =>
  events.flatMap((event) =>
    event.type === "item.completed" && event.data.item.kind === "tool_result" ? [event.data.item.status] : [],
  );

describe("recorded output of agents", () => {
  test.each([
    ["01-text-only", "Hello world", 0],
    ["02-tools-local", "I will edit.All done.", 9],
    ["03-previous-run", "turn 1turn 2", 0],
  ])("%s: gives each text once, and each call with its result", async (name, text, calls) => {
    const lines = read(`codebuff-events/${name}.jsonl`);
    const events = await play({ events: [{ raw: lines }] });
    expect(textOf(events)).toBe(text);
    expect(resultsOf(events)).toEqual(Array.from({ length: calls }, () => "completed"));
    expect(events.at(-1)).toMatchObject({ type: "session.ended", data: { reason: "completed" } });
  });

  test("gives the same events if the bytes arrive in other pieces", async () => {
    const raw = `${read("codebuff-events/02-tools-local.jsonl")}{"type":"text","text":"é漢🙂"}\n`;
    const whole = await play({ events: [{ raw }] });
    for (const chunkBytes of [1, 7, 1_000])
      expect(await play({ events: [{ raw }], chunkBytes })).toEqual(whole);
  });
});

const capture = z.object({ code: z.number(), stdout: z.string(), stderr: z.string() });

describe("recorded output of the command line", () => {
  test.each([
    ["json", "json", { reason: "completed" }, "Looking. Done."],
    ["plain", "text", { reason: "completed" }, "Looking. Done."],
    ["no-key", "json", { reason: "error", exit_code: 1 }, ""],
    ["unknown-flag", "stream-json", { reason: "error", exit_code: 1 }, ""],
  ] as const)("%s gives a complete transcript", async (name, profile, ended, text) => {
    const { code, stdout, stderr } = capture.parse(JSON.parse(read(`codebuff-cli/${name}.json`)));
    const script = [...(stdout === "" ? [] : [{ raw: stdout }]), ...(stderr === "" ? [] : [{ stderr }])];
    const program: FakeCodebuffScenario = { exit: { code }, unknownOption: "ignore" };
    const events = await play(
      name === "json"
        ? { ...program, jsonObject: z.looseObject({}).parse(JSON.parse(stdout)) }
        : { ...program, events: script },
      { profile },
    );
    expect(textOf(events)).toBe(text);
    expect(events.at(-1)).toMatchObject({ type: "session.ended", data: ended });
  });
});
