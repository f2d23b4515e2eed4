import {
  AcpClient,
  type AcpClientEvents,
  type AcpEvent,
  type AcpOptions,
  acp,
  isAgentwireError,
} from "agentwire/acp";
import { describe, expect, test } from "vitest";
import { resolveOptions } from "../../src/acp/options.ts";
import { acpOptions } from "../names/all-options.ts";
import { codeIn, names, Page, read } from "./page.ts";
import { defaultIn, empty, Reference } from "./support/reference.ts";

const doc = new Page("docs/acp.md");
const reference = new Reference("acp");

test("the reference of agentwire/acp tells of each option, and of no other", () => {
  const told = reference.members("AcpOptions");
  expect([...told.keys()].toSorted()).toEqual(Object.keys(acpOptions).toSorted());
  expect([...told].filter(([, { text }]) => text === "").map(([name]) => name)).toEqual([]);
});

test("the defaults in the reference of agentwire/acp are those of the code", () => {
  const real: Readonly<Record<string, unknown>> = { ...resolveOptions({ command: "x" }) };
  const words = ["command", "cwd", "clientInfo", "clock", "outbox"]; // told in words
  const checked = Object.keys(real).filter((name) => !words.includes(name));
  expect(checked.length).toBeGreaterThan(15);
  const told = reference.members("AcpOptions");
  for (const name of checked) {
    const entry = told.get(name);
    expect([name, entry && defaultIn(entry)]).toEqual([name, empty(real[name])]);
  }
});

test("the reference of agentwire/acp tells of each event of a turn but those with a plain name", () => {
  const types = names<AcpEvent["type"]>({
    text: true,
    thought: true,
    content: true,
    tool_call: true,
    tool_output: true,
    plan: true,
    notice: true,
    compaction: true,
    unknown: true,
  });
  const told = [...reference.union("AcpEvent")].map(([source, text]) => ({
    type: /type: "(\w+)"/.exec(source)?.[1],
    text,
  }));
  expect(told.map(({ type }) => type)).toEqual(types);
  expect(told.filter(({ text }) => text === "").map(({ type }) => type)).toEqual(["text", "thought"]);
});

describe("the table of agents in docs/acp.md", () => {
  const rows = doc.rows("Which agent").slice(1);

  test("has each preset", () => {
    expect(rows.map(([name = ""]) => codeIn(name)[0])).toEqual(Object.keys(acp.presets));
  });

  test.each(rows.map(([name = "", starts = ""]) => ({ name: codeIn(name)[0] ?? "", starts })))(
    "says how $name is started",
    ({ name, starts }) => {
      const { facts } = acp.presets[name as keyof typeof acp.presets];
      expect(codeIn(starts)).toEqual([[facts.command, ...facts.args].join(" ")]);
    },
  );
});

describe("the safety notes of docs/acp.md", () => {
  const notes = doc.section("Before you run it");

  test.each([
    ["that an agent has the user's rights", /program with your rights.*gate sees only what the agent shows/s],
    ["which agents do not ask", /Claude, Codex, Qwen and Vibe asks nobody.*OpenCode then runs everything/s],
    ["that `cwd` is no cage", /`cwd` is where it begins, and no cage.*container/s],
    ["that it is denied without a decision", /Without a decision, what an agent asks for is denied/],
    ["what an agent may keep", /`always: "agent"` and `setModel` may be kept on disk/],
  ])("say %s", (_, words) => {
    expect(notes).toMatch(words);
  });

  test("are linked from the top of the page and from README.md", () => {
    expect(doc.text.split("\n## ")[0]).toContain("(#before-you-run-it)");
    expect(read("README.md")).toContain("(docs/acp.md#before-you-run-it)");
  });
});

test("docs/acp.md names each event of the client that only this client has, and what `facts` hold", () => {
  const own = names<Exclude<keyof AcpClientEvents, string> | "session">({ session: true });
  for (const name of own) expect(codeIn(doc.section("Sessions"))).toContain(name);
  expect(Object.keys(acp.presets.gemini.facts)).toEqual(
    expect.arrayContaining(["seenWith", "install", "variables"]),
  );
});

test("a preset without its program says how to install it, as docs/acp.md promises", () => {
  const without = (): AcpOptions => acp.presets.vibe({ env: { PATH: "" } });
  const error = (() => {
    try {
      return new AcpClient(without());
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(isAgentwireError(error, "unsupported")).toBe(true);
  expect(String(error)).toContain(acp.presets.vibe.facts.install);
});
