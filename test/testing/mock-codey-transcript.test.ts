import { type CodeyScript, codeyStep, codeyTool, MockCodeyServer } from "agentwire/testing";
import { expect, test } from "vitest";
import { SESSION, TRANSCRIPT } from "../helpers/codey-transcript.ts";
import { RawCodey } from "./mock-codey-raw-client.ts";

const SCRIPTS: readonly CodeyScript[] = [
  [
    codeyStep.thinking("plan"),
    "Let me look.",
    codeyStep.usage({ output_tokens: 8 }),
    codeyStep.calls(codeyTool.shell("ls", "a.txt\n")),
    "One file.",
    codeyStep.usage({
      output_tokens: 4,
      context_tokens: 110,
      cache_creation_tokens: 3,
      cache_read_tokens: 7,
    }),
  ],
  [codeyStep.calls(codeyTool.shell("rm a.txt"))],
  [codeyStep.apiError(529, '{"type":"error"}')],
];

test("the mock plays the protocol's example byte for byte, without violations", async () => {
  await using server = await MockCodeyServer.start({
    sessionId: () => SESSION,
    answer: ({ number }) => SCRIPTS[number - 1] ?? [],
  });
  using client = await RawCodey.open(server);
  for (const line of TRANSCRIPT) {
    const frame = line.slice(3);
    if (line.startsWith(">>")) client.say(frame);
    else expect(await client.raw.next()).toBe(frame);
  }
  expect(await client.barrier()).toEqual([]);
  expect(server.frames.slice(0, TRANSCRIPT.length).map(({ direction, raw }) => [direction, raw])).toEqual(
    TRANSCRIPT.map((line) => [line.startsWith(">>") ? "c2s" : "s2c", line.slice(3)]),
  );
  expect(server.violations).toEqual([]);
});
