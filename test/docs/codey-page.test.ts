import { describe, expect, test } from "vitest";
import { toolsOf } from "../../src/testing/codey/profiles.ts";
import { codeIn, Page, read } from "./page.ts";

const doc = new Page("docs/codey.md");

describe("the features of the Python client", () => {
  const sources = [
    "test/codey/reference-client-link",
    "test/codey/reference-client-turns",
    "test/docs/codey-page",
  ];
  const tests = sources.map((path) => read(`${path}.test.ts`)).join("\n");

  test.each([
    "connect",
    "end of a turn",
    "cancel",
    "the server closes",
    "what cannot be read",
    "state with an open approval",
    "large output",
    "approval",
    "ping, state, history",
    "several at once",
    "keepalive",
    "reconnecting",
    "what a turn comes to",
    "time limits and closing",
    "checks before sending",
    "names of tools on its pages",
  ])("have tests of this client: %s", (feature) => {
    expect(tests).toContain(`describe("${feature}", `);
  });

  test("that a user of it knows stand on the page, with what they are here", () => {
    const [, ...rows] = doc.rows("From the Python client");
    const known = rows.flatMap(([there = ""]) => codeIn(there));
    expect(known).toEqual(
      expect.arrayContaining(["chat", "receive(timeout)", "approve_tool", "auto_approve=True"]),
    );
    expect(rows.every(([, here = ""]) => codeIn(here).length > 0)).toBe(true);
  });
});

// The Python client's pages approve `Read`, `Glob` and `Grep`, which do not exist.
describe("names of tools on its pages", () => {
  const real = new Set(toolsOf("real"));

  test.each(["docs/codey.md", "docs/testing.md", "examples/support/codey-agent.ts"])(
    "%s names only tools that the real server has",
    (path) => {
      const names = [...read(path).matchAll(/\bmcp_[a-z_]+\b/g)].map(([name]) => name);
      expect(names.filter((name) => !real.has(name))).toEqual([]);
    },
  );

  test("docs/codey.md names the guide's tools only to say that they do not exist", () => {
    const named = [...doc.text.matchAll(/`(?:Read|Bash|Glob|Grep)`/g)].map(({ index }) => index);
    const lines = named.map((at) =>
      doc.text.slice(doc.text.lastIndexOf("\n", at) + 1, doc.text.indexOf("\n", at)),
    );
    expect(lines.every((line) => line.startsWith("- Names of tools"))).toBe(true);
  });
});

describe("the security notes of docs/codey.md", () => {
  const notes = doc.section("Before you run it");

  test.each([
    [
      "that any page of a browser can connect and approve",
      /web page.*`ws:\/\/127\.0\.0\.1:9999`.*approve its own\s+shell/s,
    ],
    ["that there is no password and no look at `Origin`", /no password.*no `Origin`/s],
    ["to stay on loopback, or behind a proxy that checks", /another address than loopback.*proxy/s],
    ["that the server's own deny rules do not hold for the shell", /Deny rules.*do not hold/s],
    ["what approving the shell unseen means", /approve `mcp_shell` without looking/],
    ["that rules go by exact names and the whole input", /exact name and the whole `input`/],
    ["to show the whole command", /whole command.*not shortened/s],
    ["that an announcement is no consent", /`ToolRequest` only announces.*no consent/s],
    ["to show what the server says inert", /\[Render it inert\]\(ui\.md#text-of-agents\)/],
    ["that the id of a session is no secret", /`sessionId` is a name, and no secret/],
    ["that a cancel and a lost link stop no command", /cancel kills no command.*lost link stops none/s],
  ])("say %s", (_, words) => {
    expect(notes).toMatch(words);
  });

  test("are linked from the top of the page and from README.md", () => {
    expect(doc.text.split("\n## ")[0]).toContain("(#before-you-run-it)");
    expect(read("README.md").includes("(docs/codey.md#before-you-run-it)")).toBe(true);
  });
});
