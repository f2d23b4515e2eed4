import { acpStep, acpTool, MockAcpAgent, type MockAcpOptions } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import captured from "../../fixtures/acp-shapes.json" with { type: "json" };
import { ALL_CAPABILITIES, RawAcp, type Said } from "./raw-client.ts";
import { type Passed, shapesOf } from "./shapes.ts";

const PROFILES = ["gemini", "claude", "codex", "copilot", "kimi", "opencode", "qwen"] as const;
type Profile = (typeof PROFILES)[number];

/** What a mock of the profile does not say, with the reason. */
const UNSAID: { readonly [profile in Profile]?: readonly string[] } = {
  // Privileged modes in a folder that is not trusted: the mock knows no such folders.
  gemini: ["error session/set_mode -32603"],
};

/** The scripts of the prompts, by their text. */
const SCRIPTS: Readonly<Record<string, MockAcpOptions["answer"]>> = {
  text: [acpStep.thought("hm"), "Hello"],
  shell: [acpStep.calls(acpTool.shell("ls", "a.txt\n", { pieces: ["a.txt\n"] })), "done"],
  harmless: [acpStep.calls(acpTool.shell("ls", "a.txt\n", { permission: false }))],
  fails: [acpStep.calls(acpTool.shell("ls", "", { permission: false, error: "exit 1" }))],
  edit: [acpStep.calls(acpTool.edit("/project/a.txt", "new", "old"))],
  read: [acpStep.calls(acpTool.read("/project/a.txt"))],
  plan: [acpStep.plan({ content: "look" }), "planned"],
  compact: [acpStep.compaction("in_progress"), acpStep.compaction("completed")],
  context: [acpStep.context(1, 2, { amount: 0.1, currency: "USD" })],
  ask: [acpStep.ask("Which?", { requestedSchema: { type: "object", properties: {} } })],
  e400: [acpStep.fail(400, "Bad")],
  e401: [acpStep.fail(401, "No key")],
  e500: [acpStep.fail(500, "Down")],
  hang: [acpStep.hang()],
};

/** Answers whatever the agent asks. */
function serve(client: RawAcp, message: Said, kind: string): void {
  const TERMINAL = { output: "a.txt\n", truncated: false, exitCode: 0, terminalId: "t" };
  if (message.method === "session/request_permission") client.decide(message, kind);
  else if (message.method === "elicitation/create") client.answer(message, { action: "decline" });
  else if (message.method === "fs/read_text_file") client.answer(message, { content: "old" });
  else if (message.method === "craft/drainMidTurnQueue") client.refuse(message, -32601, "Method not found");
  else client.answer(message, TERMINAL);
}

/** Prompts, and serves the agent until its response. */
const prompt = (client: RawAcp, text: string, kind = "allow_once"): Promise<Said> =>
  client.promptServing(text, (request) => serve(client, request, kind));

/** Everything that an agent of the profile says in one long conversation and another process. */
async function allOf(options: MockAcpOptions) {
  await using agent = new MockAcpAgent({
    ...options,
    answer: ({ text }, context) => {
      const script = SCRIPTS[text] ?? ["unknown"];
      return typeof script === "function" ? script(undefined as never, context) : script;
    },
  });
  const client = RawAcp.to(agent);
  await client.initialize(ALL_CAPABILITIES);
  await client.request("authenticate", { methodId: "no-such-method" });
  await client.request("authenticate", { methodId: "copilot-login" });
  const { result } = await client.newSession();
  const { sessionId } = client;
  const mode = result.modes.availableModes[0].id;
  await client.request("session/set_mode", { sessionId, modeId: mode });
  for (const text of Object.keys(SCRIPTS).filter((each) => each !== "hang")) {
    await prompt(client, text);
    if (text === "shell" || text === "edit") await prompt(client, text, "reject_once");
  }
  const hanging = client.prompt("hang");
  await agent.waitFor(({ prompts }) => prompts.at(-1)?.text === "hang");
  client.cancel();
  await hanging;
  const asking = client.prompt("shell");
  await agent.waitFor(({ requests }) => requests.at(-1)?.reply === undefined && requests.length > 0);
  client.cancel();
  const open = agent.requests.at(-1);
  if (open) client.answer(open, { outcome: { outcome: "cancelled" }, ...open.params });
  await asking;
  const audio = [{ type: "audio", data: "AA==", mimeType: "audio/wav" }];
  await client.request("session/prompt", { sessionId, prompt: audio });
  const folder = { cwd: "/project", mcpServers: [] };
  await client.request("session/list", {});
  await client.request("session/resume", { sessionId, ...folder });
  const second = RawAcp.to(agent);
  await second.initialize(ALL_CAPABILITIES);
  await second.request("session/load", { sessionId, ...folder });
  await second.request("session/load", { sessionId: "s9", ...folder });
  await client.request("session/close", { sessionId });
  await client.prompt("closed");
  await client.request("session/delete", { sessionId });
  await client.request("session/list", {});
  return { agent, mode };
}

function shapesIn({ lines, links }: MockAcpAgent): readonly string[] {
  const shapes = links.flatMap((link) => {
    const passed = lines
      .filter((line) => line.link === link)
      .map(
        ({ direction, raw }): Passed => ({ dir: direction === "in" ? "out" : "in", msg: JSON.parse(raw) }),
      );
    return shapesOf(passed);
  });
  return [...new Set(shapes)];
}

describe("a profile", () => {
  // test/fixtures/acp-shapes.json is what `shapesOf` gives for the captures of each agent.
  test.each(Object.entries(captured))(
    "of %s says every kind of message that its captures hold",
    async (name, shapes) => {
      const profile = name as Profile;
      const usual = await allOf({ profile });
      const without = await allOf({ profile, options: "noAlways" });
      const said = new Set([...shapesIn(usual.agent), ...shapesIn(without.agent)]);

      expect(shapes.filter((shape) => !said.has(shape))).toEqual(UNSAID[profile] ?? []);
    },
  );

  test.each(PROFILES)(
    "of %s answers every prompt, and blames a well-behaved client for nothing",
    async (profile) => {
      await using agent = new MockAcpAgent({
        profile,
        answer: ["hi ", acpStep.calls(acpTool.shell("ls")), "ho"],
      });
      const client = await RawAcp.inSession(agent, ALL_CAPABILITIES);
      const responses = [await prompt(client, "one"), await prompt(client, "two", "reject_once")];

      expect(responses[0]?.result.stopReason).toBe("end_turn");
      expect(responses[1]?.result.stopReason).toMatch(/^(?:end_turn|cancelled)$/);
      expect(agent.violations).toEqual([]);
    },
  );

  test("of qwen asks what no client knows, and tells its usage in an empty chunk", async () => {
    await using agent = new MockAcpAgent({ profile: "qwen" });
    const client = await RawAcp.inSession(agent);
    const response = await prompt(client, "one");

    expect(agent.requests.map(({ method }) => method)).toEqual(["craft/drainMidTurnQueue"]);
    expect(response.result).toEqual({ stopReason: "end_turn" });
    expect(client.said.at(-2)?.params.update).toMatchObject({
      content: { text: "" },
      _meta: { usage: { inputTokens: 20 } },
    });
  });

  test("of claude writes its notice into the answer, unless the client takes notices", async () => {
    await using agent = new MockAcpAgent({ profile: "claude", answer: ["hi"] });
    const client = await RawAcp.inSession(agent, {});
    await client.prompt("one");

    expect(client.updates).toContain('"**Warning:** The agent reported a warning\\n"');
    expect(client.updates).not.toContain("notice");
  });
});
