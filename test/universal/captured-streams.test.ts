import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkTranscript } from "agentwire/universal";
import { expect, test } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { capturedFiles, capturedStreams, FIXTURES } from "../helpers/captured-streams.ts";
import { playFolder } from "../helpers/captures/play-folder.ts";

test("each protocol has streams", async () => {
  const counts: Record<string, number> = {};
  for (const { protocol, streams } of await capturedFiles())
    if (streams.length > 0) counts[protocol] = (counts[protocol] ?? 0) + streams.length;
  expect(counts).toEqual({
    acp: 17,
    "cass-v1": 2,
    "cass-v2": 6,
    "codebuff-cli": 4,
    "codebuff-events": 3,
    "codebuff-proxy": 11,
    "codebuff-run": 9,
    "codebuff-ws-sdk": 4,
    "codey-real": 15,
    universal: 193,
  });
});

test("every file gives a stream, or has a reason for none", async () => {
  const problems = (await capturedFiles()).filter(({ problem }) => problem !== undefined);
  expect(problems.map(({ file, problem }) => `${file}: ${problem}`)).toEqual([]);
});

test("every stream is a valid transcript with a name of its own", async () => {
  const streams = await capturedStreams();
  const faults = streams.flatMap(({ name, events }) =>
    checkTranscript(events).map(({ message }) => `${name}: ${message}`),
  );
  expect(faults).toEqual([]);
  expect(streams.filter(({ events }) => events.length === 0)).toEqual([]);
  expect(new Set(streams.map(({ name }) => name)).size).toBe(streams.length);
});

test("captures give the same streams each time that they are played", async () => {
  expect(await playFolder(FIXTURES)).toEqual(await capturedFiles());
});

test("a file that cannot be played, and one without a stream or a reason, are problems", async () => {
  await using folder = await tempFolder();
  await mkdir(join(folder.path, "acp"));
  await writeFile(join(folder.path, "acp/cut.jsonl"), "{");
  await writeFile(join(folder.path, "acp/03-idle.jsonl"), "\n");
  await writeFile(join(folder.path, "odd.txt"), "hi");
  const files = await playFolder(folder.path);
  expect(files.map(({ file, problem }) => `${file}: ${problem}`)).toEqual([
    "acp/03-idle.jsonl: it gives no stream, and no reason is listed",
    expect.stringMatching(/^acp\/cut\.jsonl: it cannot be played: SyntaxError/),
    "odd.txt: it gives no stream, and no reason is listed",
  ]);
});
