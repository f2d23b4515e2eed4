import { readdirSync, readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { exceptions, isExcused, names } from "./exceptions.ts";
import { fixtures } from "./fixtures.ts";

/** The titles of the suite; nothing of it runs here. */
const titles = vi.hoisted((): string[] => []);
vi.mock("./promise.ts", () => ({ promise: (title: string) => titles.push(title) }));

const folder = new URL(".", import.meta.url);
const files = readdirSync(folder).filter((file) => file.endsWith(".test.ts") && file !== "complete.test.ts");
for (const file of files) await import(new URL(file, folder).href);

const protocols = fixtures.map(({ name }) => name);
const subjectOf = (title: string): string => title.slice(0, title.indexOf(":"));
const subjects = [...new Set(titles.map(subjectOf))];

test("every protocol has a name of its own", () => {
  expect(protocols.length).toBeGreaterThan(0);
  expect(new Set(protocols).size).toBe(protocols.length);
});

test("each title is unique and begins with its subject", () => {
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
  expect(titles.filter((title) => !/^[a-z]+: \S/.test(title))).toEqual([]);
});

test("each exception names an existing protocol and promise, once, with a reason", () => {
  for (const row of exceptions) {
    expect(protocols).toContain(row.protocol);
    expect(
      titles.some((title) => names(row, title)),
      `${row.test} is nothing that is tested`,
    ).toBe(true);
    expect(row.reason.trim(), row.test).not.toBe("");
  }
  for (const protocol of protocols) {
    const rows = exceptions.filter((row) => row.protocol === protocol);
    const excused = titles.filter((title) => rows.filter((row) => names(row, title)).length > 1);
    expect(excused, `excused twice on ${protocol}`).toEqual([]);
  }
});

test.each(files)(
  "%s skips tests only by a row of `exceptions.ts`, and never asks which client it has",
  (file) => {
    const source = readFileSync(new URL(file, folder), "utf8");
    expect(source, "a test that is none of `promise`").not.toMatch(
      /import \{[^}]*\b(test|it|describe)\b[^}]*\} from "vitest"/,
    );
    expect(source, "a condition on what the protocol is like").not.toMatch(
      /\bif \([^)]*\b(facts|capabilities)\b/,
    );
    for (const protocol of protocols) {
      const [word = protocol] = protocol.split(",");
      expect(source.toLowerCase(), `${file} speaks of ${word}`).not.toContain(word);
    }
  },
);

test("each promise is kept by every protocol, or excused", () => {
  const table = subjects.map((subject) => {
    const of = titles.filter((title) => subjectOf(title) === subject);
    const kept = protocols.map((protocol) => {
      const count = of.filter((title) => !isExcused(protocol, title)).length;
      return [protocol, count === of.length ? `${count}` : `${count} of ${of.length}`];
    });
    return [subject, Object.fromEntries(kept)] as const;
  });
  console.table(Object.fromEntries(table));
  // Whoever is excused from most of a subject is hardly a client of this library.
  for (const protocol of protocols) {
    const kept = titles.filter((title) => !isExcused(protocol, title)).length;
    expect(kept, protocol).toBeGreaterThan(titles.length / 2);
  }
  expect(subjects.sort()).toEqual([
    "abort",
    "break",
    "cancel",
    "close",
    "connect",
    "conversation",
    "cut",
    "frames",
    "garbage",
    "generic",
    "input",
    "iterate",
    "limits",
    "listen",
    "many",
    "moments",
    "order",
    "prompt",
    "reconnect",
    "redaction",
    "timeouts",
    "universal",
  ]);
});
