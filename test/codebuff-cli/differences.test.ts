// Where a published note and the programs that there are differ, and what the client makes of that: each by its number there.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { tempFolder } from "../../scripts/support/temp-folder.ts";
import { cliWorld } from "../helpers/codebuff-cli.ts";
import { failureOf, thrown } from "../helpers/turns.ts";
import { describe, test } from "./rows.ts";

describe("where real programs differ from the published note", () => {
  test("D1: a program without `--stream-json` fails as `unsupported_flag`, and a probe finds its profile", async () => {
    await using at = await cliWorld({ profile: "fork" });
    expect(await failureOf(at.client.prompt("hi"))).toMatchObject({
      kind: "unsupported_flag",
      message: expect.stringMatching(/--stream-json.*probe\(\)/),
    });
    expect(await at.client.probe()).toMatchObject({ profile: "json" });
  });

  test("D2: `--json` prints one object over several lines at the end", async () => {
    await using at = await cliWorld({ profile: "fork" }, { profile: "json" });
    const turn = at.client.prompt("hi");
    const frames: unknown[] = [];
    at.client.on("frame", (frame) => frames.push(frame));
    expect((await turn.result).text).toBe("You said: hi");
    expect(frames).toEqual([]);
    expect(at.warnings).toEqual([]);
  });

  test("D3 & 2.1 --free or --lite: the flag of the free mode depends on the program, and `freeFlag` sets it", async () => {
    await using fork = await cliWorld({ profile: "fork" }, { profile: "json", mode: "free" });
    await fork.client.prompt("hi").result;
    expect(fork.cli.runs()[0]?.agent).toBe("base2-lite");
    const wrong = fork.another({ profile: "json", mode: "free", freeFlag: "--free" });
    expect(await failureOf(wrong.prompt("hi"))).toMatchObject({ kind: "unsupported_flag" });
    await using note = await cliWorld({}, { mode: "free" });
    await note.client.prompt("hi").result;
    expect(note.cli.runs()[0]?.agent).toBe("base2-free");
  });

  test("D4: the program accepts `--continue` but ignores it, and answers without history", async () => {
    await using folder = await tempFolder();
    await using at = await cliWorld(
      { profile: "fork", continueStore: join(folder.path, "chats") },
      { profile: "json" },
    );
    const conversation = at.client.conversation({
      from: { protocol: "codebuff-cli", version: 1, sessionId: "unknown" },
    });
    await conversation.prompt("one").result;
    await conversation.prompt("two").result;
    expect(at.cli.runs().map(({ history, options }) => [history, options["--continue"]])).toEqual([
      [[], "unknown"],
      [[], "unknown"],
    ]);
  });

  test("D5: `start` names no session, so the caller's own session counts", async () => {
    await using at = await cliWorld();
    expect(await at.client.prompt("hi").result).not.toHaveProperty("sessionId");
    expect(await at.client.prompt("hi", { sessionId: "mine" }).result).toMatchObject({ sessionId: "mine" });
  });

  test("D6: the program reads stdin only without a prompt argument, and waits for it briefly", async () => {
    await using at = await cliWorld({ stdinWaitMs: 100 });
    await at.client.prompt("hi").result;
    await at.client.prompt("hi", { promptVia: "stdin" }).result;
    expect(at.cli.runs().map(({ stdin, promptFrom }) => [stdin.kind, promptFrom])).toEqual([
      ["closed", "argv"],
      ["pipe", "stdin"],
    ]);
  });

  test("D7: the program reports its timeout as a cancel, and the client reports a timeout", async () => {
    await using at = await cliWorld(
      { profile: "fork", secondMs: 1, events: [{ type: "text", text: "half" }, { hold: "go" }] },
      { profile: "json" },
    );
    const turn = at.client.prompt("hi", { timeoutSeconds: 1 });
    await at.clock.advance(1_000);
    expect(await turn.outcome).toMatchObject({
      status: "failed",
      error: { code: "turn-timeout", kind: "total", timeout: 1_000 },
      partial: { text: "half" },
    });
    for (const timeoutSeconds of [0, -1, Number.NaN]) {
      expect(thrown(() => at.client.prompt("hi", { timeoutSeconds }))).toMatchObject({
        code: "invalid-input",
      });
    }
  });

  test("D8: the program prefers its own file to the environment, and `credentialOrder` sets either order", async () => {
    await using home = await tempFolder();
    const file = join(home.path, ".config/manicode/credentials.json");
    await mkdir(dirname(file), { recursive: true });
    const profile = {
      id: "1",
      email: "e",
      name: "n",
      fingerprintId: "f",
      fingerprintHash: "h",
      authToken: "of-file",
    };
    await writeFile(file, JSON.stringify({ default: profile }));
    const env = { CODEBUFF_API_KEY: "of-env" };
    await using at = await cliWorld({ credentialsFile: file }, { homeDir: home.path, env });
    await at.client.prompt("hi").result;
    expect(at.cli.runs()[0]?.key?.from).toBe("file");
    expect(at.client.credentials().credentials?.apiKey).toBe("of-env");
    expect(at.warnings.map(({ kind }) => kind)).toContain("credential-conflict");
    const other = at.another({ homeDir: home.path, env, credentialOrder: "cli" });
    expect(other.credentials()).toMatchObject({ credentials: { apiKey: "of-file" } });
  });

  test("D9: `text` is a whole block, and its chunks are separate lines", async () => {
    await using at = await cliWorld({
      events: ["I ", "look.", { type: "text", text: "I look." }, { type: "finish" }],
    });
    const turn = at.client.prompt("hi");
    const pieces: string[] = [];
    for await (const piece of turn.textStream) pieces.push(piece);
    expect(pieces).toEqual(["I ", "look."]);
    expect((await turn.result).text).toBe("I look.");
  });

  test("D10: `tool_progress` and `model` are read if present", async () => {
    await using at = await cliWorld({
      events: [
        { type: "start", model: "m" },
        { type: "tool_call", toolCallId: "t", toolName: "run", input: {} },
        { type: "tool_progress", toolCallId: "t", toolName: "run", output: "1/2" },
        { type: "finish" },
      ],
    });
    const turn = at.client.prompt("hi");
    const events: unknown[] = [];
    for await (const event of turn) events.push(event);
    expect(events[0]).toEqual({ type: "start", model: "m" });
    expect(turn.toolCalls).toEqual([expect.objectContaining({ output: "1/2" })]);
  });

  test("D11 & 7 ask_user & switch askUser=true: the program continues without an answer, and `answer()` throws", async () => {
    await using at = await cliWorld({ askUser: true });
    const turn = at.client.prompt("hi");
    const { toolCalls } = await turn.result;
    expect(toolCalls).toEqual([expect.objectContaining({ name: "ask_user", state: "failed" })]);
    expect(thrown(() => at.client.answer("ask_1", "Red"))).toMatchObject({ code: "unsupported" });
    expect(at.client.capabilities.questions).toBe(false);
  });

  test("D12: an `error` event does not end a run, and the exit code decides", async () => {
    await using mended = await cliWorld({
      events: [
        { type: "error", message: "Agent run error: Unauthorized" },
        { type: "text", text: "ok" },
        { type: "finish" },
      ],
    });
    expect((await mended.client.prompt("hi").result).text).toBe("ok");
    await using failed = await cliWorld({ profile: "fork", failWith: "401" }, { profile: "json" });
    const turn = failed.client.prompt("hi");
    const events: string[] = [];
    turn.on("event", ({ type }) => events.push(type));
    expect(await failureOf(turn)).toMatchObject({ kind: "auth", exitCode: 1 });
    expect(events).not.toContain("error");
  });

  test("D13: a prompt that begins with a dash is not read as an option", async () => {
    await using at = await cliWorld({ echoPrompt: true });
    const prompts = ["-x hello", "--max", "--cwd=/elsewhere do it", "-o/some/file", "--", "--continue"];
    const results = await Promise.all(prompts.map((prompt) => at.client.prompt(prompt).result));
    expect(results.map(({ text }) => text)).toEqual(prompts);
    expect(at.cli.runs().map(({ options }) => options)).toEqual(
      prompts.map(() => ({ "--stream-json": true })),
    );
  });
});
