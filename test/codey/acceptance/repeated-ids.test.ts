import { codeyStep, codeyTool } from "agentwire/testing";
import { expect } from "vitest";
import { asked } from "../../helpers/codey.ts";
import { onBoth } from "./both.ts";
import { read } from "./calls.ts";

const approving = { onToolApproval: (): boolean => true };
const background = true;

/** A server with a Gemini model: the id of a call is the name of its tool. */
const gemini = { callId: (name: string) => name, unknownTool: "toolError" } as const;
const shell = codeyTool.shell;

onBoth(
  "4.4 ids that repeat: in every round each question is asked, each output kept, and the turn ends",
  { mock: gemini, client: approving },
  async ({ client, server }) => {
    server.answer = () => [
      codeyStep.calls(shell("echo 1", "1\n")),
      codeyStep.calls(shell("echo 2", "2\n")),
      codeyStep.calls(shell("echo 3", "3\n")),
      "done",
    ];
    for (const turn of [client.prompt("one"), client.prompt("two")]) {
      const { text, toolCalls, rounds } = await turn.result;
      expect(text).toBe("done");
      expect(toolCalls.map(({ input, state, output }) => [input, state, output])).toEqual(
        [1, 2, 3].map((n) => [{ command: `echo ${n}` }, "done", `${n}\n`]),
      );
      expect(rounds.map(({ calls }) => calls)).toEqual([...toolCalls.map(({ id }) => [id]), []]);
    }
    expect(server.decisions.map(({ callId, outcome }) => [callId, outcome])).toEqual(
      Array.from({ length: 6 }, () => ["mcp_shell", "taken"]),
    );
  },
);

onBoth(
  "4.4 ids that repeat: calls that the server's filter allows lose no output",
  { mock: { ...gemini, toolDeltas: "none" }, client: approving },
  async ({ client, server }) => {
    server.answer = () => [
      codeyStep.calls(read({ filter: "allow", result: "one" })),
      codeyStep.calls(read({ filter: "allow", result: "two" }), read({ result: "three" })),
      codeyStep.calls(read({ filter: "allow", background, result: "four" })),
    ];
    const { toolCalls } = await client.prompt("go").result;
    expect(toolCalls.map(({ id, output }) => [id, output])).toEqual([
      ["mcp_read_file", "one"],
      ["mcp_read_file~2", "two"],
      ["mcp_read_file~3", "three"],
      ["mcp_read_file~4", "four"],
    ]);
    expect(server.decisions).toHaveLength(1);
  },
);

onBoth(
  "4.4 ids that repeat: in one request the second foreground call is asked about behind the first",
  {
    mock: { ...gemini, startedAfterApproval: false, toolDeltas: "none" },
    client: { onToolApproval: "manual" },
  },
  async ({ client, server }) => {
    server.answer = () => [codeyStep.calls(shell("echo 1", "1\n"), shell("echo 2", "2\n")), "done"];
    const turn = client.prompt("go");
    expect(await asked(turn)).toBe("mcp_shell");
    client.decide("mcp_shell", false);
    expect(await asked(turn, (id) => id === "mcp_shell~2")).toBe("mcp_shell~2");
    client.decide("mcp_shell~2", true);
    expect((await turn.result).toolCalls).toMatchObject([
      { id: "mcp_shell", state: "denied", deniedBy: "user", error: "Denied by user" },
      { id: "mcp_shell~2", state: "done", output: "2\n" },
    ]);
  },
);

onBoth(
  "4.4 ids that repeat: among background calls decisions go out in the order of the questions",
  {
    mock: { ...gemini, backgroundOrder: "calls", toolDeltas: "none", startedAfterApproval: false },
    client: { onToolApproval: "manual" },
  },
  async ({ client, server }) => {
    server.answer = () => [
      codeyStep.calls(shell("rm a", "gone", { background }), shell("ls", "a\n", { background })),
    ];
    const turn = client.prompt("go");
    await asked(turn, (id) => id === "mcp_shell~2");
    expect(turn.pending.map(({ id }) => id)).toEqual(["mcp_shell", "mcp_shell~2"]);
    client.decide("mcp_shell~2", true); // meant for `ls`: sent now, it would run `rm a`
    await client.ping();
    expect(server.decisions).toEqual([]);
    client.decide("mcp_shell", false);
    const { toolCalls } = await turn.result;
    expect(toolCalls).toMatchObject([
      { input: { command: "rm a" }, state: "denied" },
      { input: { command: "ls" }, state: "done", output: "a\n" },
    ]);
    expect(server.decisions.map(({ approved }) => approved)).toEqual([false, true]);
  },
);

onBoth(
  "4.4 ids that repeat: a cancelled turn denies every open question, and the next turn uses the ids again",
  { mock: { ...gemini, cancelReply: "none" }, client: { onToolApproval: "manual" } },
  async ({ client, server }) => {
    server.answer = ({ content }) =>
      content === "go"
        ? [codeyStep.calls(shell("a", "", { background }), shell("b", "", { background }))]
        : [codeyStep.calls(shell("c", "c\n")), "done"];
    const turn = client.prompt("go");
    await asked(turn, (id) => id === "mcp_shell~2");
    expect((await turn.cancel()).status).toBe("cancelled");
    expect(server.decisions.map(({ outcome }) => outcome)).toEqual(["stale", "stale"]);
    const next = client.prompt("next");
    client.decide(await asked(next), true);
    const { toolCalls } = await next.result;
    expect(toolCalls).toMatchObject([{ id: "mcp_shell~3", state: "done", output: "c\n" }]);
  },
);
