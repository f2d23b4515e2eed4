import { existsSync, readdirSync, readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

const FOLDER = new URL("../../examples/", import.meta.url);
const names = readdirSync(FOLDER);
const isThere = (path: string): boolean => existsSync(new URL(path, FOLDER));
const folders = names.map((name) => `${name}/main.tsx`).filter(isThere);
const programs = [...names.filter((name) => name.endsWith(".ts")), ...folders];
const pages = names.filter((name) => isThere(`${name}/index.html`)).map((name) => `${name}/`);

/** What an example printed. */
let printed = "";

beforeEach(() => {
  printed = "";
  vi.resetModules(); // an example runs when it is imported
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  vi.spyOn(console, "log").mockImplementation((...values) => {
    printed += `${values.join(" ")}\n`;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

test("stream.ts prints an answer and its prompt's id", async () => {
  await import("../../examples/stream.ts");
  expect(printed).toMatch(/^Hello! .*haiku about sockets\.\n\(prompt-[\w-]+\)\n$/s);
});

test("cancel.ts shows three ways to end an answer", async () => {
  await import("../../examples/cancel.ts");
  expect(printed).toMatch(
    /^first piece: "Hello! "\ncancelled: cancelled\naborted: the turn's signal was aborted\n/,
  );
});

test("chat.ts answers each line, and ends with an empty one", async () => {
  vi.spyOn(process, "stdin", "get").mockReturnValue(
    Readable.from(["first\n", "second\n", "\n", "never asked\n"]) as never,
  );
  await import("../../examples/chat.ts");
  expect(printed).toMatch(
    /you> Hello! You said: first\nyou> Hello! You said: second Before that: first\.\nyou> $/,
  );
});

test("tools.ts runs the registered tool, provides one file, and refuses all else", async () => {
  await import("../../examples/tools.ts");
  expect(printed).toContain("package.json has 21 characters.");
  expect(printed).toContain('{"type":"json","value":{"city":"Oslo","sky":"clear"}}');
  expect(printed).toMatch(/Formatting the disk: .*no handler is registered/);
  expect(printed).toMatch(/\(the server asked for the tool "format_disk"/);
});

test("record.ts records a session without its token, and replays it", async () => {
  await import("../../examples/record.ts");
  const [, recorded] = /^recorded: (.*)$/m.exec(printed) ?? [];
  expect(recorded).toContain("haiku");
  expect(printed).toContain(`replayed: ${recorded}\n`);
  expect(printed).toContain("the token is in the file: false");
});

describe("the index of the examples", () => {
  // The first part of the page: behind it are the chapters on single ones.
  const [index = ""] = readFileSync(new URL("README.md", FOLDER), "utf8").split("\n## ");

  test.each([...programs, ...pages])("has one line for %s, with the command that runs it", (name) => {
    const rows = index.split("\n").filter((line) => line.startsWith(`| [${name}](${name}) |`));
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatch(
      /\| `npm run (demo|example:(?:web|relay)|example -- examples\/[\w/-]+\.tsx?.*)` \|$/,
    );
  });

  test("names only examples that exist", () => {
    const named = [...index.matchAll(/^\| \[([^\]]+)\]/gm)].map(([, name]) => name);
    expect(named.sort()).toEqual([...programs, ...pages].sort());
  });
});
