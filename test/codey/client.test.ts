import { CodeyClient, type CodeyClientOptions, type CodeyEvent } from "agentwire/codey";
import { codeyStep, codeyTool, MockCodeyServer } from "agentwire/testing";
import { describe, expect, test } from "vitest";

async function pair(
  mock: Parameters<typeof MockCodeyServer.start>[0],
  options: Partial<CodeyClientOptions> = {},
) {
  const server = await MockCodeyServer.start(mock);
  const client = new CodeyClient({ url: server.url, ...options });
  return {
    server,
    client,
    async [Symbol.asyncDispose]() {
      await server.stop(); // first: the real server answers no Close, and the client would wait for it
      await client.close();
    },
  };
}

const PROFILES = ["real", "documented"] as const;

describe.each(PROFILES)("on the %s server", (profile) => {
  test("a prompt streams text and thinking, and ends with what it used", async () => {
    await using made = await pair({ profile, answer: () => [codeyStep.thinking("hm"), "Hello ", "you"] });
    const turn = made.client.prompt("hi");
    const texts: string[] = [];
    for await (const text of turn.textStream) texts.push(text);
    expect(texts).toEqual(["Hello ", "you"]);
    expect(await turn.result).toMatchObject({
      text: "Hello you",
      thinking: "hm",
      rounds: [{ text: "Hello you", thinking: "hm", calls: [] }],
      usage: { outputTokens: 10, totalOutputTokens: 10 },
      toolCalls: [],
    });
    expect(made.server.violations).toEqual([]);
  });

  test("an approved call runs and the turn goes on", async () => {
    await using made = await pair(
      { profile, answer: () => ["Look. ", codeyStep.calls(codeyTool.shell("ls", "a.txt\n")), "One file."] },
      { onToolApproval: () => true },
    );
    const turn = made.client.prompt("list");
    const states: string[] = [];
    turn.on("toolCall", ({ state }) => states.push(state));
    const events: CodeyEvent[] = [];
    for await (const event of turn) events.push(event);
    expect(states).toEqual([
      "requested",
      "awaiting",
      "approved",
      "running",
      ...(profile === "documented" ? ["running", "running"] : []),
      "done",
    ]);
    expect(events.filter(({ type }) => type === "ToolStarted")).toHaveLength(1);
    const { rounds, toolCalls } = await turn.result;
    expect(rounds.map(({ text }) => text)).toEqual(["Look. ", "One file."]);
    expect(toolCalls).toMatchObject([
      { name: "mcp_shell", state: "done", output: "a.txt\n", startInferred: true },
    ]);
    expect(made.server.violations).toEqual([]);
  });

  test("without anybody to ask a call is denied", async () => {
    await using made = await pair({
      profile,
      answer: () => [codeyStep.calls(codeyTool.shell("rm -rf /", "gone")), "Fine."],
    });
    const { toolCalls, text } = await made.client.prompt("delete").result;
    expect(text).toBe("Fine.");
    expect(toolCalls).toMatchObject([{ state: "denied", deniedBy: "policy", error: "Denied by user" }]);
    expect(made.server.decisions).toMatchObject([{ approved: false }]);
  });

  test("a cancelled turn settles at the Pong, and nothing of it is in the next", async () => {
    await using made = await pair({
      profile,
      answer: ({ content }) => (content === "long" ? ["begun", codeyStep.hang()] : ["short"]),
    });
    const turn = made.client.prompt("long");
    const next = made.client.prompt("next");
    for await (const _ of turn.textStream) break;
    expect(await turn.outcome).toMatchObject({ status: "cancelled", by: "user", partial: { text: "begun" } });
    expect(await next.result).toMatchObject({ text: "short" });
    expect(made.server.violations).toEqual([]);
  });

  test("an error ends the turn, and the next one works", async () => {
    await using made = await pair({
      profile,
      answer: ({ content }) =>
        content === "bad" ? ["half", codeyStep.apiError(529, '{"type":"error"}')] : ["good"],
    });
    const turn = made.client.prompt("bad");
    await expect(turn.result).rejects.toMatchObject({
      code: "turn-failed",
      kind: "http",
      status: 529,
      retryable: true,
      partial: { text: "half" },
    });
    expect(await made.client.prompt("again").result).toMatchObject({
      text: "good",
      usage: { inexact: true },
    });
    expect(made.server.violations).toEqual([]);
  });

  test("a server that says why it closed in the words of a header shows no credential", async () => {
    await using made = await pair(
      { profile, answer: () => ["a", codeyStep.close(1011, "bad token sesame-9a8b7c")] },
      {
        headers: { authorization: "Bearer sesame-9a8b7c" },
      },
    );
    const outcome = await made.client.prompt("x").outcome;
    expect(outcome).toMatchObject({
      status: "failed",
      error: { code: "connection-lost", closeCode: 1011, closeReason: "bad token [redacted]" },
    });
    expect(
      JSON.stringify(outcome) + String(outcome.status === "failed" && outcome.error.message),
    ).not.toContain("sesame");
  });

  test("ping, state and history are answered in order and stay out of the turn", async () => {
    await using made = await pair({ profile, answer: () => ["a", codeyStep.hang()] });
    const turn = made.client.prompt("x");
    await made.server.nextSend();
    const [rtt, state, history] = await Promise.all([
      made.client.ping(),
      made.client.getState(),
      made.client.getHistory(),
    ]);
    expect(rtt).toBeGreaterThanOrEqual(0);
    expect(state.type).toBe("State");
    expect(history.messages).toBeInstanceOf(Array);
    await turn.cancel();
  });
});
