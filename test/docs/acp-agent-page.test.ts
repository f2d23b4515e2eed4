import { fileURLToPath } from "node:url";
import { MockAgent } from "agentwire/testing";
import { expect, test, vi } from "vitest";
import { inTheFolder } from "../../docs/snippets/acp-agent.ts";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { readAgentOptions } from "../../src/acp-agent/options.ts";
import { EditorWorld, streamPair } from "../acp-agent/support.ts";
import { Child } from "../examples/support/child.ts";
import { codeIn, Page, read } from "./page.ts";

const doc = new Page("docs/acp-agent.md");
const FIRST = fileURLToPath(new URL("../../docs/snippets/acp-agent-first.ts", import.meta.url));

test("the first program of docs/acp-agent.md shows the answer, the call and the end, and leaves", async () => {
  await using program = new Child(FIRST);
  expect(await program.exitCode()).toBe(0);
  expect(program.text).toBe('Let me look. \n[shell] {"command":"ls"}\nOne file.\nend_turn\n');
  expect(program.stderr).toBe("");
});

test("the agent of a folder says its name and opens a session", async () => {
  await using folder = await tempFolder();
  const printed = vi.spyOn(console, "error").mockImplementation(() => {});
  const agent = { id: "helper", displayName: "Helper", model: "m", toolNames: [] };
  const options = { baseUrl: "http://127.0.0.1:9", apiKey: "k", agent };
  const [mine, theirs] = streamPair();
  const connection = await inTheFolder(options, folder.path).connect(theirs);
  const world = new EditorWorld(mine, {});
  expect((await world.initialize()).agentInfo).toEqual({
    name: "my-agent",
    title: "My agent",
    version: "1.0.0",
  });
  expect(await world.open(folder.path)).toMatch(/\w/);
  await connection.close();
  expect(printed.mock.calls).toEqual([[`editor works in ${folder.path}`]]);
  printed.mockRestore();
});

test("docs/acp-agent.md names each option once with its default, and each field of a session", () => {
  const { sourceOf: _, ...settings } = readAgentOptions(() => new MockAgent(), {});
  const rows = doc.rows("A program that an editor starts");
  const named = rows.flatMap(([cell = ""]) => codeIn(cell));
  const fields = ["id", "cwd", "additionalDirectories", "mcpServers", "client"];
  expect(named.toSorted()).toEqual([...fields, ...Object.keys(settings)].toSorted());
  for (const name of ["maxSessions", "maxToolOutput", "closeTimeout"] as const) {
    const [, written = ""] = rows.find(([cell = ""]) => codeIn(cell).includes(name)) ?? [];
    expect([name, Number(written.replaceAll(",", ""))]).toEqual([name, settings[name]]);
  }
});

test("docs/acp-agent.md names every update that the code sends", () => {
  const sources = ["updates", "statuses", "calls"].map((name) => read(`src/acp-agent/${name}.ts`)).join("\n");
  const sent = new Set(
    [...sources.matchAll(/"([a-z_]+_update|\w+_chunk|tool_call|plan|notice)"/g)].map(([, name = ""]) => name),
  );
  const page = doc.section("What becomes what");
  for (const name of sent) if (name !== "user_message_chunk") expect(page).toContain(`\`${name}\``);
});
