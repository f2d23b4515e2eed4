import type { AgentDefinition, CodebuffRunOptions, CodebuffRunTool } from "agentwire/codebuff-run";
import type { BackendAnswer } from "agentwire/testing";
import { expect, test } from "vitest";
import { deciding } from "../helpers/deciding.ts";
import { AGENT, agentWith, json, runWorld } from "./world.ts";

// What grants cover in a run: the caller's own tools, and sub-agents.

const ok = () => json("ok");

const mail: CodebuffRunTool = {
  description: "Sends a mail.",
  parameters: { type: "object" },
  grant: ({ to }) => `mails to ${String(to)}`,
  execute: ok,
};

const call = (name: string, input: Readonly<Record<string, unknown>>): BackendAnswer => ({
  toolCalls: [{ name, arguments: input }],
});

const runs = (answer: readonly BackendAnswer[], options: CodebuffRunOptions) =>
  runWorld({ answer: [...answer, "Done"] }, { onToolApproval: "manual", ...options });

test("`grant` of a caller's own tool defines what `always` covers", async () => {
  await using at = await runs(
    [
      call("mail", { to: "a@b.org", text: "1" }),
      call("mail", { to: "a@b.org", text: "2" }),
      call("mail", { to: "c@d.org", text: "1" }),
    ],
    { tools: { mail } },
  );
  const asked = deciding(at.client, "always");
  await at.client.prompt("go").result;
  expect(asked.map(({ grant }) => grant)).toEqual(["mails to a@b.org", "mails to c@d.org"]);
  expect(at.client.grants).toMatchObject([{ tool: "mail", grant: "mails to a@b.org" }]);
});

test.each<[what: string, grant: (input: never) => unknown, problem: RegExp]>([
  [
    "throws",
    () => {
      throw new Error("no idea");
    },
    /`grant` of mail threw: Error: no idea/,
  ],
  ["returns an empty text", () => " ", /`grant` of mail returned no words/],
  ["returns a promise", async () => "mails", /`grant` of mail returned no words/],
  ["rejects", () => Promise.reject(new Error("no")), /`grant` of mail returned no words/],
  ["returns nothing", () => undefined, /`grant` of mail returned no words/],
])("if `grant` %s, the call has no grant and `always` covers this call only", async (_, grant, problem) => {
  await using at = await runs([call("mail", {}), call("mail", {})], {
    tools: { mail: { ...mail, grant: grant as never } },
  });
  const asked = deciding(at.client, "always", { decision: "always", tool: true });
  await at.client.prompt("go").result;
  expect(asked.map((each) => each.grant)).toEqual([undefined, undefined]);
  expect(at.client.grants).toEqual([]);
  expect(at.warnings.map(({ kind }) => kind)).toEqual(["handler-failed", "handler-failed"]);
  expect(at.warnings[0]?.message).toMatch(problem);
});

test("the client refuses a `grant` that is not a function", async () => {
  const options = { tools: { mail: { ...mail, grant: "mails" as never } } };
  await expect(runs([], options)).rejects.toMatchObject({
    code: "invalid-input",
    message: expect.stringContaining("`grant`"),
  });
});

test("a caller's own tool with the name of a Codebuff tool gets a grant for its exact input", async () => {
  const own: CodebuffRunTool = { description: "Mine.", parameters: { type: "object" }, execute: ok };
  await using at = await runs([call("write_file", { path: "a", content: "1" })], {
    tools: { write_file: own },
  });
  const asked = deciding(at.client);
  await at.client.prompt("go").result;
  expect(asked.map(({ grant }) => grant)).toEqual(['exactly the input {"content":"1","path":"a"}']);
});

test("sub-agents share the grants of their run, and a request names the sub-agent", async () => {
  const named = (id: string, ...toolNames: string[]): AgentDefinition => ({
    ...AGENT,
    id,
    displayName: id,
    toolNames,
  });
  const of = (agentId: string, answer: BackendAnswer): BackendAnswer => ({ ...answer, match: { agentId } });
  const ls = call("run_terminal_command", { command: "ls" });
  await using at = await runs(
    [
      of("tester", ls),
      of("tester", call("spawn_agents", { agents: [{ agent_type: "helper", prompt: "do" }] })),
      of("helper", ls),
      of("helper", call("run_terminal_command", { command: "rm" })),
      of("helper", { text: "Done." }),
    ],
    {
      agent: { ...agentWith("run_terminal_command", "spawn_agents"), spawnableAgents: ["helper"] },
      agentDefinitions: [named("helper", "run_terminal_command")],
      overrideTools: { run_terminal_command: ok },
    },
  );
  const asked = deciding(at.client, { decision: "once", scope: "turn" });
  await at.client.prompt("go").result;
  expect(asked.map(({ name, agent, grant }) => [name, agent, grant])).toEqual([
    ["run_terminal_command", undefined, "`ls` in the project"],
    ["spawn_agents", undefined, 'exactly the input {"agents":[{"agent_type":"helper","prompt":"do"}]}'],
    ["run_terminal_command", "helper", "`rm` in the project"],
  ]);
  expect(at.client.grants).toEqual([]);
});
