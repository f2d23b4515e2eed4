import { fileURLToPath } from "node:url";
import { MockAgent } from "agentwire/testing";
import { expect, test, vi } from "vitest";
import { inTheFolder } from "../../docs/snippets/acp-agent.ts";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { readAgentOptions } from "../../src/acp-agent/options.ts";
import { REFUSAL_CODES } from "../../src/acp-agent/refusal.ts";
import { EditorWorld, streamPair } from "../acp-agent/support.ts";
import { Child } from "../examples/support/child.ts";
import { read } from "./page.ts";
import { defaultIn, Reference } from "./support/reference.ts";

const reference = new Reference("acp-agent");
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

test("the reference of `acpAgent` tells of each option with its default, and of each field of a session", () => {
  const { sourceOf: _, ...settings } = readAgentOptions(() => new MockAgent(), {});
  const told = reference.members("AcpAgentOptions");
  expect([...told.keys()].toSorted()).toEqual(Object.keys(settings).toSorted());
  expect([...told].filter(([, entry]) => !entry.default).map(([name]) => name)).toEqual([]);
  for (const name of ["images", "maxSessions", "maxToolOutput", "closeTimeout"] as const) {
    const entry = told.get(name);
    expect([name, entry && defaultIn(entry)]).toEqual([name, settings[name]]);
  }
  expect([...reference.members("AcpAgentSession").keys()]).toEqual([
    "id",
    "cwd",
    "additionalDirectories",
    "mcpServers",
    "client",
  ]);
});

test("the reference of `acpAgent` names every update that the code sends, and every code of a refusal", () => {
  const sources = ["updates", "statuses", "calls"].map((name) => read(`src/acp-agent/${name}.ts`)).join("\n");
  const sent = new Set(
    [...sources.matchAll(/"([a-z_]+_update|\w+_chunk|tool_call|plan|notice)"/g)].map(([, name = ""]) => name),
  );
  const { text } = reference.of("acpAgent");
  for (const name of sent) if (name !== "user_message_chunk") expect(text).toContain(`\`${name}\``);
  const { cancelled: _, ...codes } = REFUSAL_CODES; // the answer that nobody waits for
  for (const code of Object.values(codes)) expect(text).toContain(String(code));
});
