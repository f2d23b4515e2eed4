// What the user who decides on a call is shown.
import { agentStep } from "agentwire/testing";
import { expect, test } from "vitest";
import { FakeSource } from "../helpers/fake-source.ts";
import { Script } from "../universal/build.ts";
import { choose, play, tell, until } from "./support.ts";

const { tool } = agentStep;

for (const [what, asked] of [
  ["input", { name: "shell", input: { command: "rm -rf build" } }],
  ["tool", { name: "delete", input: { command: "ls" } }],
] as const)
  test(`a request with another ${what} than the announced call shows the request's`, async () => {
    const source = new FakeSource();
    await play({ source: () => source, permission: choose("reject") }, async ({ world, id }) => {
      const response = world.prompt(id, "hi");
      await until(source, ({ turns }) => turns.length === 1);
      const script = new Script("other").session().turn();
      const part = { type: "tool_call", name: "shell", call_id: "c1", title: "List the files" } as const;
      const content = [{ ...part, arguments: '{"command":"ls"}' }];
      script.complete(script.start({ kind: "tool_call", content }), { content });
      tell(source, script.events.splice(0));
      script.permission("requested", { call_id: "c1", action: asked.name, metadata: { request_id: "r1" } });
      const call = { id: "r1", ...asked, raw: null };
      source.agent.pending.push({ type: "approval", id: "r1", call });
      source.agent.emit("approval", call);
      tell(source, script.events);
      await world.until(({ permissions }) => permissions.length === 1);
      const [announced] = world.of("tool_call");
      expect(announced).toMatchObject({ title: "List the files", rawInput: { command: "ls" } });
      const [request] = world.permissions;
      expect(request?.toolCall).toMatchObject({
        toolCallId: announced?.toolCallId,
        name: asked.name,
        rawInput: asked.input,
      });
      expect(request?.toolCall.title).not.toBe("List the files");
      await until(source, ({ agent }) => agent.decided.length === 1);
      source.turn.completes();
      await response;
    });
  });

test("a call of an MCP server's tool has the server's name in its title, live and in the request", () =>
  play(
    {
      mock: {
        script: [
          [
            tool({ name: "docs__search", approval: true }),
            tool({ name: "docs__search", title: "Search", approval: true }),
            tool({ name: "mcp__docs__search", title: "mcp__docs__search (MCP)", approval: true }),
            tool({ name: "read_file", title: "Read a", approval: true }),
          ],
        ],
      },
      permission: choose("once"),
    },
    async ({ world, id }) => {
      await world.prompt(id, "hi");
      const titles = ["docs__search", "Search (docs__search)", "mcp__docs__search (MCP)", "Read a"];
      expect(world.of("tool_call").map(({ title }) => title)).toEqual(titles);
      expect(world.permissions.map(({ toolCall }) => toolCall.title)).toEqual(titles);
    },
  ));

test("a request of a sub-agent names the sub-agent", () =>
  play(
    {
      mock: {
        script: [
          [
            agentStep.subagent({
              type: "picker",
              name: "Picker",
              steps: [tool({ name: "shell", title: "Run ls", approval: true })],
            }),
          ],
        ],
      },
      permission: choose("once"),
    },
    async ({ world, id }) => {
      await world.prompt(id, "hi");
      expect(world.permissions.map(({ toolCall }) => toolCall.title)).toEqual(["Picker: Run ls"]);
    },
  ));
