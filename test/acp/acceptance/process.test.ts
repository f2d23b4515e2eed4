import { readFileSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AcpClient, type AcpOptions } from "agentwire/acp";
import { acpStep, acpTool, MockAcpAgent, type MockAcpOptions } from "agentwire/testing";
import { describe, expect, test, vi } from "vitest";

/** A client of a mock that runs as a program. */
async function started(mock: MockAcpOptions, options: Partial<AcpOptions> = {}) {
  const agent = new MockAcpAgent(mock);
  const { env, ...program } = await agent.program();
  const client = new AcpClient({ ...program, ...options, env: { ...env, ...options.env } });
  return {
    agent,
    client,
    async [Symbol.asyncDispose]() {
      await client.close({ force: true });
      await agent.stop();
    },
  };
}

/** How an agent ends, after each of its messages. Its fourth is the first of the turn. */
const DEATHS = [{ exit: 3 }, { signal: "SIGKILL" }, { closeStdout: true }] as const;

describe("11 an agent that dies", () => {
  test.each(DEATHS.flatMap((end) => [0, 1, 2, 4, 6].map((after) => ({ after, ...end }))))(
    "11 dieAt %j: the prompt fails once, and its delivery is honest",
    async (dieAt) => {
      const answer = () => ["text", acpStep.calls(acpTool.shell("ls", "a")), "more"];
      await using run = await started({ dieAt, answer }, { onToolApproval: "manual", mode: false });
      const { agent, client } = run;
      const settled: string[] = [];
      client.on("settled", ({ type }) => settled.push(type));
      const turn = client.prompt("go");
      turn.on("approval", ({ id }) => void client.decide(id, "once"));
      const outcome = await turn.outcome;
      if (outcome.status !== "failed") throw new Error(`the turn has ${outcome.status}`);
      const { code, delivery } = outcome.error;
      expect(delivery).toBe(dieAt.after < 2 ? "not-sent" : "unknown");
      expect(code).toBe(dieAt.after < 1 ? "connect-failed" : "connection-lost");
      expect(
        turn.toolCalls.filter(({ state }) => !["done", "failed", "denied", "abandoned"].includes(state)),
      ).toEqual([]);
      expect(client.pending).toEqual([]);
      expect(agent.links).toHaveLength(1);
      expect(agent.prompts.length).toBeLessThanOrEqual(1);
    },
  );

  test("11 in a turn withdraws what it asked, and is started again by the next prompt alone", async () => {
    const answer: MockAcpOptions["answer"] = ({ text }) =>
      text === "go" ? [acpStep.calls(acpTool.shell("rm x"))] : ["fine"];
    await using run = await started({ answer }, { onToolApproval: "manual" });
    const { agent, client } = run;
    const conversation = client.conversation();
    const turn = conversation.prompt("go");
    turn.on("approval", () => agent.links[0]?.die({ exit: 3 }));
    const outcome = await turn.outcome;
    expect(outcome).toMatchObject({
      error: { code: "connection-lost", delivery: "unknown", exitCode: 3, signal: null },
    });
    expect(turn.toolCalls.map(({ state }) => state)).toEqual(["denied"]);
    expect([client.pending, agent.links.length]).toEqual([[], 1]);
    expect((await conversation.prompt("next").result).text).toBe("fine");
    expect([agent.links.length, agent.prompts.length]).toEqual([2, 2]);
  });
});

describe("15 the environment of an agent", () => {
  test("15 has no key of this process, and what the caller names", async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "of-this-process");
    vi.stubEnv("HTTPS_PROXY", "http://proxy.test");
    vi.stubEnv("KEPT_KEY", "kept");
    await using run = await started({}, { env: { OWN_KEY: "own" }, keepEnv: ["KEPT_KEY"] });
    await run.client.prompt("go").result;
    vi.unstubAllEnvs();
    const pid = run.agent.links[0]?.process?.pid;
    const environ = readFileSync(`/proc/${pid}/environ`, "utf8");
    expect(environ).not.toMatch(/ANTHROPIC|PROXY|of-this-process/i);
    expect(environ).toContain("KEPT_KEY=kept\0");
    expect(environ).toContain("OWN_KEY=own\0");
  });

  test("15 no shell reads its arguments", async () => {
    const agent = new MockAcpAgent();
    const { command, args, env } = await agent.program();
    const odd = ["$(touch x)", "a b", "*", "; exit 1", "'\""];
    const client = new AcpClient({ command, args: [...args, ...odd], env });
    await client.prompt("go").result;
    expect(agent.links[0]?.process?.argv).toEqual(odd);
    await client.close();
    await agent.stop();
  });

  test("15 keys are masked in errors and error output", async () => {
    const key = "sk-very-secret-1234";
    const answer = () => [acpStep.error(-32603, `bad key ${key}`, { details: `key ${key}` })];
    const told: string[] = [];
    const logger = {
      debug: () => {},
      info: () => {},
      warn: (line: string) => told.push(line),
      error: (line: string) => told.push(line),
    };
    await using run = await started({ answer }, { env: { API_KEY: key }, logger });
    const outcome = await run.client.prompt("go").outcome;
    if (outcome.status !== "failed") throw new Error("the turn must fail");
    const { message, stack, cause } = outcome.error;
    expect(message).toContain("bad key [redacted]");
    expect(JSON.stringify([message, stack, cause, outcome.error, told])).not.toContain(key);
  });
});

describe("a program that is no agent", () => {
  /** A program with this text, and what the client says of it. */
  async function failureOf(script: string | undefined, options: Partial<AcpOptions> = {}) {
    const folder = await mkdtemp(join(tmpdir(), "acp-bad-"));
    const command = join(folder, "agent");
    if (script !== undefined) await writeFile(command, script);
    if (script?.startsWith("#!")) await chmod(command, 0o755);
    const client = new AcpClient({ command, ...options });
    const outcome = await client.prompt("go").outcome;
    await client.close();
    await rm(folder, { recursive: true });
    if (outcome.status !== "failed") throw new Error("the turn must fail");
    return outcome.error;
  }

  test.each([
    ["is missing", undefined, /not to be found/],
    ["is no program", "no program", /agent/],
    ["has an interpreter that is missing", "#!/no/such/thing\n", /agent/],
    [
      "prints a banner and ends",
      "#!/bin/sh\necho 'This program is no longer maintained'\n",
      /no longer maintained/,
    ],
    ["complains and ends", "#!/bin/sh\necho 'no key' >&2\nexit 3\n", /exit code 3 .*no key/s],
    ["ends at once", "#!/bin/sh\nexit 0\n", /exit code 0/],
  ] as const)("one that %s is `connect-failed`, with its words", async (_, script, words) => {
    const error = await failureOf(script);
    expect(error).toMatchObject({ code: "connect-failed", delivery: "not-sent", retryable: false });
    expect(error.message).toMatch(words);
  });

  test("one that prints a banner and goes on is `connect-timeout`", async () => {
    const error = await failureOf("#!/bin/sh\necho Welcome\nexec sleep 1000\n", { connectTimeout: 300 });
    expect(error).toMatchObject({ code: "connect-timeout", delivery: "not-sent" });
  });

  test("a `cwd` that is no folder is refused at once", () => {
    for (const cwd of [join(tmpdir(), "no-such-folder"), import.meta.filename])
      expect(() => new AcpClient({ command: "gemini", cwd })).toThrow(
        expect.objectContaining({ code: "invalid-input" }),
      );
  });
});
