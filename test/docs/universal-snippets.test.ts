import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkTranscript, readJsonl, UNIVERSAL_EVENT_TYPES, type UniversalEvent } from "agentwire/universal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as page from "../../docs/snippets/universal.ts";
import { PREVIEW_TIMEOUT } from "../../src/core/gate/preview.ts";
import { MAX_PREVIEW, MAX_PREVIEW_FILES, MAX_PREVIEW_TEXT } from "../../src/core/gate/preview-limits.ts";
import { MAX_STATUS_ENTRIES } from "../../src/universal/transcript/statuses.ts";
import { capturedOutput } from "../helpers/captured-output.ts";
import { codeIn, Page, read } from "./page.ts";

const output = capturedOutput();
const doc = new Page("docs/universal.md");
const before = process.cwd();
let folder = "";
let events: readonly UniversalEvent[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "agentwire-"));
  process.chdir(folder); // the program names a file where it runs
});

afterAll(async () => {
  process.chdir(before);
  await rm(folder, { recursive: true, force: true });
});

describe("the first program", () => {
  test("streams the answer and writes a valid transcript", async () => {
    await import("../../docs/snippets/universal-first.ts");
    ({ events } = readJsonl(await readFile("transcript.jsonl", "utf8")));
    expect(output.streamed).toBe("Let me look. One file.");
    expect(checkTranscript(events)).toEqual([]);
  });
});

test("the table has each type of event once", () => {
  const named = doc
    .rows("The events")
    .slice(1)
    .flatMap(([type = ""]) => codeIn(type));
  expect(named.toSorted()).toEqual([...UNIVERSAL_EVENT_TYPES].sort());
});

test("a line that a crash cut off is removed before the next line is written", async () => {
  await appendFile("transcript.jsonl", '{"event_id":"evt_1');
  const [first] = events;
  if (!first) throw new Error("the first program made no events");
  const next: UniversalEvent = { ...first, session_id: "ses_2" };
  await page.store("transcript.jsonl", [next]);
  const { events: now, problems } = readJsonl(await readFile("transcript.jsonl", "utf8"));
  expect(output.logged).toEqual([[events.length, []]]);
  expect(now).toEqual([...events, next]);
  expect(problems).toEqual([]);
});

test("a transcript without its end is reported with its open items", () => {
  page.check(events.slice(0, 6));
  expect(output.logged).toEqual([
    [1, "I4", expect.stringContaining("open")],
    [4, "I8", expect.stringContaining("open")],
  ]);
});

test("the schema accepts a valid event, and reports the error in another", () => {
  page.schema(JSON.stringify(events[0]));
  page.schema(JSON.stringify({ ...events[0], sequence: 0 }));
  expect(output.logged).toMatchObject([["session.started"], [[{ path: ["sequence"] }]]]);
});

test("the docstring of a preview names its limits, and the page that of a plan", () => {
  const [types = ""] = read("src/core/values.ts").split("export interface ToolPreview");
  const docstring = types.slice(types.lastIndexOf("/**"));
  for (const limit of [MAX_PREVIEW, MAX_PREVIEW_FILES])
    expect(docstring).toContain(limit.toLocaleString("en-US"));
  expect(docstring).toContain(`${PREVIEW_TIMEOUT / 1_000} s`);
  expect(read("src/core/values.ts")).toContain(`up to ${MAX_PREVIEW_TEXT / 1_024} KiB each`);
  expect(doc.section("Plans, the context and other words")).toContain(
    `${MAX_STATUS_ENTRIES.toLocaleString("en-US")} at most`,
  );
});

test("a source of one's own has the name of its backend", () => {
  expect(page.sourceOfMine(() => expect.fail("no client is made yet")).name).toBe("my-backend");
});
