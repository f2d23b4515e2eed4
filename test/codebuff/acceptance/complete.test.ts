import { readdirSync, readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { names, omissions } from "./omissions.ts";

/** The titles of the suite; nothing of it runs here. */
const titles = vi.hoisted((): string[] => []);
vi.mock("./both.ts", async (original) => ({
  ...(await original<object>()),
  onBoth: (title: string) => titles.push(title),
}));

import "./checklist-events.test.ts";
import "./checklist-life.test.ts";
import "./checklist-requests.test.ts";
import "./checklist-wire.test.ts";
import "./closing.test.ts";
import "./edge-cases-1-9.test.ts";
import "./edge-cases-10-17.test.ts";
import "./errors.test.ts";
import "./findings.test.ts";
import "./timers.test.ts";

const numbered = (word: string, last: number): string[] =>
  Array.from({ length: last }, (_, index) => `${word} ${index + 1}`);

/** Everything that has to be tested by name, as the protocol's description counts it. */
const required: readonly string[] = [
  ...numbered("finding", 12),
  ...numbered("edge case", 17),
  ...numbered("checklist", 17),
  ...[
    "connect",
    "identify ack",
    "ping interval",
    "ping liveness",
    "ack",
    "init-response",
    "prompt idle",
    "prompt total",
    "stall cap",
    "reconnect",
    "drain",
  ].map((row) => `timer ${row}`),
  ...["1000", "1001, 1005, 1006, 1011, 1012", "1008", "1009", "HTTP 403 or 404 on upgrade"].map(
    (row) => `closing ${row}`,
  ),
  ...[
    "ConnectError",
    "ConnectTimeout",
    "IdentifyError",
    "ConnectionLost",
    "AckError",
    "AckTimeout",
    "PromptError",
    "PromptTimeout",
    "ActionError",
    "InitTimeout",
    "Aborted",
    "ClosedByUser",
    "NotConnected",
    "QueueFull",
    "MessageTooLarge",
    "ProtocolError",
  ].map((row) => `error ${row}`),
];

const isTested = (name: string): boolean => titles.some((title) => title.startsWith(`${name}:`));

test("every name has a test, or on each profile a row that says why not", () => {
  const missing = required.flatMap((name) =>
    (["proxy", "codebuff"] as const)
      .filter(
        (profile) =>
          !isTested(name) && !omissions.some((row) => row.test === name && row.profile === profile),
      )
      .map((profile) => `${name} (${profile})`),
  );
  expect(missing).toEqual([]);
});

test("an omission is of something that is there, once, and gives a reason", () => {
  for (const row of omissions) {
    const known = required.includes(row.test) || titles.some((title) => names(row, title));
    expect(known, `${row.test} is nothing that is tested`).toBe(true);
    expect(row.reason.trim(), row.test).not.toBe("");
  }
  const keys = omissions.map(({ test, profile }) => `${test} (${profile})`);
  expect(new Set(keys).size).toBe(keys.length);
});

test("no title is used twice, and each begins with one of the names", () => {
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
  expect(titles.filter((title) => !required.some((name) => title.startsWith(`${name}: `)))).toEqual([]);
});

test("every file of the suite is counted here, and runs in the browser-like socket too", () => {
  const files = readdirSync(new URL(".", import.meta.url)).filter((file) => file.endsWith(".test.ts"));
  const suite = files.filter((file) => file !== "browser.test.ts" && file !== "complete.test.ts");
  for (const importer of ["browser.test.ts", "complete.test.ts"]) {
    const source = readFileSync(new URL(importer, import.meta.url), "utf8");
    expect(imported(source), importer).toEqual(suite.sort());
  }
});

function imported(source: string): readonly string[] {
  return [...source.matchAll(/^import "\.\/(.+)";$/gm)].map(([, file]) => String(file)).sort();
}
