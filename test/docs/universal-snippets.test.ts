import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CodeyClient } from "agentwire/codey";
import { MockCodeyServer } from "agentwire/testing";
import { checkTranscript, readJsonl, UNIVERSAL_EVENT_TYPES, type UniversalEvent } from "agentwire/universal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as page from "../../docs/snippets/universal.ts";
import { PREVIEW_TIMEOUT } from "../../src/core/gate/preview.ts";
import { MAX_PREVIEW, MAX_PREVIEW_FILES, MAX_PREVIEW_TEXT } from "../../src/core/gate/preview-limits.ts";
import { MAX_STATUS_ENTRIES } from "../../src/universal/transcript/statuses.ts";
import { capturedOutput } from "../helpers/captured-output.ts";
import { codeIn, Page } from "./page.ts";

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

/** An event in one line, as the page shows it. */
function lineOf({ sequence, session_id, source, type, data }: UniversalEvent): string {
  const what = (): string => {
    if ("item" in data) {
      const { item_id, kind, role, parent_id } = data.item;
      return `${item_id} ${kind} ${role}${parent_id === null ? "" : ` of ${parent_id}`}`;
    }
    if ("delta" in data) return `${data.item_id} ${JSON.stringify(data.delta)}`;
    if ("permission_id" in data)
      return `${data.permission_id.replace(session_id, "<session_id>")} ${data.status}`;
    if ("phase" in data) return `${data.turn_id}${data.phase === "ended" ? ` ${data.metadata.status}` : ""}`;
    return "metadata" in data ? String(Reflect.get(Object(data.metadata), "protocol")) : "";
  };
  return `${String(sequence).padStart(2)}  ${source.padEnd(6)}  ${type.padEnd(20)}  ${what()}`;
}

describe("the first program", () => {
  test("streams the answer and writes a valid transcript", async () => {
    await import("../../docs/snippets/universal-first.ts");
    ({ events } = readJsonl(await readFile("transcript.jsonl", "utf8")));
    expect(output.streamed).toBe("Let me look. One file.");
    expect(checkTranscript(events)).toEqual([]);
  });

  test("makes the events that the page shows", () => {
    const [, shown = ""] = /^```text\n([\s\S]*?)^```$/m.exec(doc.text) ?? [];
    expect(shown.trimEnd().split("\n")).toEqual(events.map(lineOf));
  });
});

test("the table has each type of event once", () => {
  const named = doc
    .rows("The events")
    .slice(1)
    .flatMap(([type = ""]) => codeIn(type));
  expect(named.toSorted()).toEqual([...UNIVERSAL_EVENT_TYPES].sort());
});

test("a stream is continued after the event where the reader stopped", async () => {
  await using server = await MockCodeyServer.start({ answer: () => ["Hello"], closeReply: true });
  const client = new CodeyClient({ url: server.url });
  try {
    const stream = page.attach(client);
    const seen: number[] = [];
    await page.resume(stream, ({ sequence }) => seen.push(sequence));
    expect(seen.length).toBeGreaterThan(5);
    expect(seen).toEqual(Array.from({ length: stream.count }, (_, at) => at + 1));
    expect(output.logged.some(([, raw]) => raw !== null)).toBe(true);
  } finally {
    await client.close();
  }
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

test("plans, notices and other words of an agent are shown as the page says", async () => {
  await page.words();
  expect(output.logged).toEqual([
    ["@@ -3,1 +3,1 @@\n-off()\n+on()\n"],
    [
      [
        { content: "Find the bug", status: "completed" },
        { content: "Mend it", status: "in_progress" },
      ],
      { used: 90_000, size: 100_000 },
    ],
    ["notice", "warning", "The model is slow today."],
    ["compaction", undefined, "The history was shortened."],
    ["patch", "edit", [{ path: "lamp.py", line: 3 }], "done"],
  ]);
});

test("the page names the limits of a preview", () => {
  const section = doc.section("Plans, the context and other words");
  for (const limit of [MAX_PREVIEW, MAX_PREVIEW_FILES, MAX_STATUS_ENTRIES])
    expect(section).toContain(limit.toLocaleString("en-US"));
  expect(section).toContain(`${PREVIEW_TIMEOUT / 1_000} s at most`);
  expect(section).toContain(`${MAX_PREVIEW_TEXT / 1_024} KiB`);
});

test("a transcript that a crash left open is ended, and a custom source is created", () => {
  const cut = events.slice(0, events.findIndex(({ type }) => type === "item.delta") + 1);
  const all = page.afterACrash(cut);
  expect(output.logged.at(-1)).toEqual([["item.completed", "error", "turn.ended", "session.ended"]]);
  expect(checkTranscript(all)).toEqual([]);
  expect(page.sourceOfMine(() => expect.fail("no client is made yet")).name).toBe("my-backend");
});
