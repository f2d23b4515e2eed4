import { codeyStep } from "agentwire/testing";
import { expect } from "vitest";
import { asked, eventsOf } from "../../helpers/codey.ts";
import { onBoth, type SceneOptions } from "./both.ts";
import { play, read } from "./calls.ts";

const approving: SceneOptions = { client: { onToolApproval: () => true } };
const manual: SceneOptions = { client: { onToolApproval: "manual" } };

onBoth(
  "D6: a State is handed out as it is, with empty names and null params, and decides nothing",
  manual,
  async ({ client, server, profile }) => {
    server.answer = () => [codeyStep.calls(read())];
    const turn = client.prompt("go");
    const id = await asked(turn);
    const { agents, pending_approvals: pending } = await client.getState();
    const call =
      profile === "real" ? { name: "", params: null } : { name: "mcp_read_file", params: { path: "a.txt" } };
    expect(pending).toEqual([{ agent_id: 0, call_id: "toolu_1", ...call }]);
    expect(agents).toEqual([{ id: 0, name: profile === "real" ? null : "main", is_streaming: false }]);
    expect(turn.toolCalls).toMatchObject([{ name: "mcp_read_file", state: "awaiting" }]);
    client.decide(id, true);
    expect((await turn.result).toolCalls).toMatchObject([{ state: "done" }]);
  },
);

onBoth(
  "D7: the transcript is kept here, since the server's history may be empty",
  async ({ client, profile }) => {
    const conversation = client.conversation();
    await conversation.prompt("hello").result;
    const { messages } = await client.getHistory();
    expect(messages.map(({ role }) => role)).toEqual(profile === "real" ? [] : ["user", "assistant"]);
    expect(conversation.messages).toEqual([
      { role: "user", content: "hello" },
      { role: "assistant", content: "Hello! You said: hello" },
    ]);
  },
);

onBoth(
  "D9: names and params of tools are whatever the server says",
  { ...approving, mock: { tools: ["mcp_read_file", "Read"] } },
  async (scene) => {
    const { calls } = await play(scene, read(), {
      name: "Read",
      params: { file_path: "a.txt" },
      result: "alpha",
    });
    expect(calls.map(({ name, input, state }) => [name, input, state])).toEqual([
      ["mcp_read_file", { path: "a.txt" }, "done"],
      ["Read", { file_path: "a.txt" }, "done"],
    ]);
  },
);

onBoth(
  "D10: a shell call that the server's rules should have stopped reaches the client, which denies by default",
  { warns: ["tool-denied"] },
  async (scene) => {
    const { said, calls } = await play(scene, {
      name: "mcp_shell",
      params: { command: "rm -rf /" },
      filter: "deny",
      result: "gone",
    });
    expect(said).toBe(scene.profile === "real" ? "AE" : "E");
    expect(calls).toMatchObject([
      { state: "denied", deniedBy: scene.profile === "real" ? "policy" : "server" },
    ]);
  },
);

onBoth("D11: an agent can be addressed, and other agents than 0 are heard", async ({ client, server }) => {
  server.answer = () => ["root", codeyStep.subAgent(3, "helper")];
  const turn = client.prompt({ content: "go", agentId: 4_294_967_295 });
  const events = eventsOf(turn);
  expect((await turn.result).text).toBe("root");
  expect(server.sends).toMatchObject([{ agentId: 4_294_967_295 }]);
  expect(events).toContainEqual({ type: "TextDelta", agent_id: 3, content: "helper" });
});
