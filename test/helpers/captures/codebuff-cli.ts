// Has a fake command line print captured output: each file gives one stream.
import { readFile } from "node:fs/promises";
import { type CodebuffCliOptions, toUniversal } from "agentwire/codebuff-cli";
import type { FakeCodebuffScenario } from "agentwire/testing";
import type { UniversalEvent } from "agentwire/universal";
import { allOf } from "../../universal/all-of.ts";
import { goldenOptions } from "../../universal/golden-options.ts";
import { cliWorld } from "../codebuff-cli.ts";

/** What a captured program was started with and what it said. */
interface Output {
  readonly args: readonly string[];
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What the command line itself printed. */
export async function playCliOutput(file: string): Promise<readonly (readonly UniversalEvent[])[]> {
  const { args, code, stdout, stderr }: Output = JSON.parse(await readFile(file, "utf8"));
  const profile = args.includes("--json") ? "json" : args.includes("--stream-json") ? "stream-json" : "text";
  const program: FakeCodebuffScenario = { exit: { code }, unknownOption: "ignore" };
  const said = [...(stdout === "" ? [] : [{ raw: stdout }]), ...(stderr === "" ? [] : [{ stderr }])];
  const isAnswer = profile === "json" && code === 0;
  return await play(
    isAnswer ? { ...program, jsonObject: JSON.parse(stdout) } : { ...program, events: said },
    { profile },
  );
}

/** What an agent said to the user of the SDK, as the command line prints it. */
export async function playCliEvents(file: string): Promise<readonly (readonly UniversalEvent[])[]> {
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  const events = lines.map((line) => {
    const said = JSON.parse(line);
    return said.e ?? said.c ?? said; // some captures wrap the event or the chunk of the SDK
  });
  const code = events.some(({ type }) => type === "error") ? 1 : 0;
  const raw = events.map((event) => `${JSON.stringify(event)}\n`).join("");
  return await play({ events: [{ raw }], exit: { code } });
}

async function play(
  scenario: FakeCodebuffScenario,
  options: CodebuffCliOptions = {},
): Promise<readonly (readonly UniversalEvent[])[]> {
  await using at = await cliWorld(scenario, options);
  return [await allOf(toUniversal(at.client.prompt("hi"), goldenOptions()))];
}
