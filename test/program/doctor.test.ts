// `agentwire doctor`.
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import {
  FakeCodebuffCli,
  MockCassServer,
  MockCodebuffBackend,
  MockCodebuffServer,
  MockCodeyServer,
} from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { agentwire, linesOf, type RunOptions, talkingTo } from "./support/program.ts";
import { programFile } from "./support/program-file.ts";

interface Step {
  readonly type: string;
  readonly name: string;
  readonly status: string;
  readonly detail: string;
  readonly next?: string;
  readonly notes?: readonly string[];
  readonly failed?: readonly string[];
  readonly exit_code?: number;
}

/** The steps by their names, and the exit code, which the summary has too. */
async function doctor(args: readonly string[], options?: RunOptions) {
  const { code, stdout, stderr } = await agentwire(["doctor", "--json", ...args], options);
  const lines = linesOf<Step>(stdout);
  const summary = lines.at(-1);
  expect({ stderr, type: summary?.type, exit_code: summary?.exit_code }).toEqual({
    stderr: "",
    type: "summary",
    exit_code: code,
  });
  const steps = new Map(lines.slice(0, -1).map((step) => [step.name, step]));
  return { code, stdout, steps, failed: summary?.failed };
}

const listening = async (server: Server): Promise<number> => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
};

describe("without a backend it tells", () => {
  test("runtime, packages, names of keys, and what can be tried", async () => {
    const { code, stdout, steps } = await doctor([], { env: { CASS_TOKEN: "s3cr3t-token" } });
    expect(code).toBe(0);
    expect(steps.get("runtime")).toMatchObject({ status: "ok", detail: expect.stringContaining("Node ") });
    expect(steps.get("package ink")?.detail).toMatch(/^8\.\d+\.\d+; for the screen/);
    expect(steps.get("key CASS_TOKEN")?.detail).toBe("found in the environment");
    expect(steps.get("key CODEBUFF_API_KEY")).toMatchObject({ status: "skipped", detail: "not set" });
    expect(steps.get("backend codey")?.detail).toBe("agentwire doctor codey --url <address>");
    expect(stdout).not.toContain("s3cr3t-token");
  });

  test("the same in words", async () => {
    const { code, stdout } = await agentwire(["doctor"], { env: { CASS_TOKEN: "a-token" } });
    expect(stdout).toMatch(/^ok {6}runtime: Node /);
    expect(code).toBe(0);
  });

  test("what is missing: in its own mark, and in the last line", async () => {
    const { stdout } = await agentwire(["doctor"], { env: { CASS_TOKEN: "a-token", PATH: "/nonexistent" } });
    expect(stdout).toMatch(/^- {7}key CODEBUFF_API_KEY: not set$/m);
    expect(stdout).toMatch(/^- {7}backend cli: not found: none of codebuff is on the PATH$/m);
    expect(stdout).toMatch(
      /\nready; (not installed: .*; )?not found: cli, acp; not set: CODEBUFF_API_KEY, AGENTWIRE_TOKEN, OPENAI_API_KEY\n$/,
    );
  });

  test("that all is well where nothing is missing", async () => {
    const { stdout } = await agentwire(["doctor", "mock"]);
    expect(stdout.endsWith("\nall is well\n")).toBe(true);
  });
});

describe("of a backend that is well it tells which server it is, and what is odd about it", () => {
  test.each([
    ["proxy", "the LLM Interactive Proxy", "one prompt at a time"],
    ["codebuff", "the original Codebuff server", "Codebuff is called Freebuff now"],
  ] as const)("codebuff, %s", async (profile, name, odd) => {
    await using server = await MockCodebuffServer.start({ profile });
    const { code, steps } = await doctor(["codebuff", "--url", server.url]);
    expect([...steps.keys()]).toEqual([
      "runtime",
      "key CODEBUFF_API_KEY",
      "dns",
      "tcp",
      "handshake",
      "server",
    ]);
    expect(steps.get("server")).toMatchObject({ status: "ok", detail: name });
    expect(steps.get("server")?.notes?.join()).toContain(odd);
    expect(code).toBe(0);
    expect(server.prompts).toEqual([]);
  });

  test("codey, and leaves no session there", async () => {
    await using server = await MockCodeyServer.start();
    const { code, steps } = await doctor(["codey", "--url", server.url]);
    expect(code).toBe(0);
    expect(steps.get("server")?.detail).toMatch(/^codey-server, session /);
    expect(steps.get("server")?.notes?.join()).toContain("leaves a session");
    await server.waitFor(({ sessions }) => sessions.live + sessions.leaked === 0);
    expect(server.upgrades).toHaveLength(1);
  });

  test("cass, with a token, without one, and as nobody", async () => {
    await using server = await MockCassServer.start();
    const { accessToken, userId } = server.addUser();
    const call = ["cass", "--url", server.url];
    const known = await doctor(call, { env: { CASS_TOKEN: accessToken } });
    expect(known.steps.get("server")?.detail).toBe(`Cass, which takes this client for the user ${userId}`);
    expect(known.stdout).not.toContain(accessToken);
    const lacking = await doctor(call);
    expect(lacking).toMatchObject({ code: 1, failed: ["key CASS_TOKEN"] });
    expect(lacking.steps.get("handshake")).toMatchObject({ status: "skipped", detail: "the key is missing" });
    const nobody = await doctor([...call, "--anonymous"]);
    expect(nobody.steps.get("server")?.detail).toBe("Cass, which takes this client for nobody");
    expect(nobody.code).toBe(0);
  });

  test("run, with a key, and with one that is bad", async () => {
    await using backend = await MockCodebuffBackend.start({ openAiCompatible: true });
    const call = ["run", "--url", backend.url];
    const good = await doctor(call, { env: { CODEBUFF_API_KEY: backend.apiKey } });
    expect(good.steps.get("server")?.detail).toContain("which knows the key");
    expect(good.code).toBe(0);
    const bad = await doctor(call, { env: { CODEBUFF_API_KEY: "another-key" } });
    expect(bad).toMatchObject({ code: 4, failed: ["handshake"] });
    expect(bad.steps.get("handshake")?.next).toContain("get a new one");
    const own = await doctor(["run", "--url", `${backend.url}/v1`, "--model", "m"]);
    expect(own).toMatchObject({ code: 4, failed: ["server"] });
    expect(own.steps.get("server")?.next).toContain("often ends in /v1");
    const open = ["run", "--url", `${backend.url.replace("127.0.0.1", "0.0.0.0")}/v1`, "--model", "m"];
    const refused = await doctor(open, { env: { OPENAI_API_KEY: "a key" } });
    expect(refused.steps.get("server")?.detail).toContain("credentials would travel unencrypted to 0.0.0.0");
  });

  test("cli, and one that needs a terminal", async () => {
    await using cli = await FakeCodebuffCli.start({ events: [] });
    const call = ["cli", "--", cli.command, ...cli.args];
    const good = await doctor(call, { env: cli.env });
    expect(good.steps.get("server")).toMatchObject({
      status: "ok",
      detail: expect.stringContaining("the Codebuff CLI"),
    });
    expect(good.steps.get("server")?.notes?.join()).toContain("It asks nobody");
    cli.set({ profile: "fork" });
    const odd = await doctor(call, { env: cli.env });
    expect(odd.steps.get("server")).toMatchObject({ status: "warn" });
    expect([good.code, odd.code]).toEqual([0, 0]);
  });

  test("acp", async () => {
    const { code, steps } = await doctor(["acp", "--", process.execPath, programFile(), "mock", "acp"]);
    expect(steps.get("package @agentclientprotocol/sdk")?.status).toBe("ok");
    expect(steps.get("server")?.detail).toMatch(/, ACP 1$/);
    expect(code).toBe(0);
  });

  test("remote", async () => {
    await using relay = talkingTo(["serve", "mock", "--port", "0", "--log", "memory", "--json"]);
    const { url, token } = JSON.parse(await relay.until("\n"));
    const good = await doctor(["remote", "--url", url], { env: { AGENTWIRE_TOKEN: token } });
    expect(good.steps.get("server")?.detail).toBe("a relay of agentwire");
    const bad = await doctor(["remote", "--url", url], {
      env: { AGENTWIRE_TOKEN: "a token of somebody else's" },
    });
    expect([good.code, bad.code]).toEqual([0, 4]);
  });
});

describe("of a backend that is not well it tells the step that fails, and what to do next", () => {
  test("nobody listens", async () => {
    const server = createTcpServer();
    const port = await listening(server);
    server.close();
    const { code, steps, failed } = await doctor(["codey", "--url", `ws://127.0.0.1:${port}`]);
    expect({ code, failed }).toEqual({ code: 4, failed: ["tcp"] });
    expect(steps.get("tcp")).toMatchObject({
      detail: `nobody listens on port ${port} of 127.0.0.1`,
      next: expect.stringContaining(`agentwire mock codey --port ${port}`),
    });
    expect(steps.has("handshake")).toBe(false);
  });

  test("a host without an address", async () => {
    const { code, failed } = await doctor(["codey", "--url", "ws://no-such-host.invalid"]);
    expect({ code, failed }).toEqual({ code: 4, failed: ["dns"] });
  });

  test("a server without TLS", async () => {
    await using server = await MockCodeyServer.start();
    const { code, steps, failed } = await doctor(["codey", "--url", server.url.replace("ws:", "wss:")]);
    expect({ code, failed }).toEqual({ code: 4, failed: ["tls"] });
    expect(steps.get("tls")?.next).toContain("Pass ws://");
  });

  test.each([
    ["codebuff", 404, "dropped it in June 2026"],
    ["codebuff", 404, "Codebuff itself is called Freebuff now"],
    ["codey", 404, "Another server listens there"],
    ["codebuff", 401, "The token is missing or refused"],
    ["codebuff", 503, "is in trouble"],
  ])("%s, an upgrade refused with %i", async (backend, status, words) => {
    const server = createServer((_, response) => response.writeHead(status).end());
    server.on("upgrade", (_, socket) =>
      socket.end(`HTTP/1.1 ${status} No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`),
    );
    const port = await listening(server);
    const { code, steps, failed } = await doctor([backend, "--url", `ws://127.0.0.1:${port}/ws`]);
    server.close();
    expect({ code, failed }).toEqual({ code: 4, failed: ["handshake"] });
    expect(steps.get("handshake")?.detail).toContain(`${status}`);
    expect(steps.get("handshake")?.next).toContain(words);
  });

  test("a codey-server that answers nobody, within the limit", async () => {
    await using server = await MockCodeyServer.start({ frozen: "noConnected" });
    const { code, steps } = await doctor(["codey", "--url", server.url, "--limit", "0.3"]);
    expect(code).toBe(4);
    expect(steps.get("handshake")?.detail).toBe("no answer within 0.3 s");
    expect(steps.get("handshake")?.next).toContain("restart it");
  });

  test("a proxy that takes no more connections, at the first refusal", async () => {
    await using server = await MockCodebuffServer.start({ maxConnections: 0 });
    const { code, steps } = await doctor(["codebuff", "--url", server.url]);
    expect(code).toBe(4);
    expect(steps.get("handshake")?.next).toContain("takes no more connections: close some");
  });

  test("an agent that cannot be started, and one that is not installed", async () => {
    const missing = await doctor(["acp", "--", "no-such-agent-here"]);
    expect(missing).toMatchObject({ code: 4, failed: ["handshake"] });
    const preset = await doctor(["acp", "gemini"], { env: { PATH: "/nonexistent" } });
    expect(preset).toMatchObject({ code: 4, failed: ["handshake"] });
    expect(preset.steps.get("handshake")?.next).toContain("npm install -g @google/gemini-cli");
  });
});

test("Ctrl-C ends it with 130, and leaves no agent", async () => {
  const server = createTcpServer();
  const port = await listening(server);
  const agent = `require("node:net").connect(${port}, "127.0.0.1"); setInterval(() => {}, 1000);`;
  await using child = talkingTo(["doctor", "acp", "--", process.execPath, "-e", agent]);
  const [line] = (await once(server, "connection")) as [Socket];
  line.on("error", () => {}).resume();
  const gone = once(line, "close");
  child.interrupt();
  expect(await child.exitCode()).toBe(130);
  await gone;
  server.close();
});

describe("what cannot work", () => {
  test.each([
    [["cody"], "Did you mean `codey`?"],
    [["codey"], "--url is missing"],
    [["codey", "--url", "somewhere"], "Pass an address such as"],
    [["codey", "--url", "ws://127.0.0.1:1/?token=s3cr3t"], "has a secret in its address"],
    [["codey", "--url", "ws://127.0.0.1:1", "--limit", "0"], "Pass a number from"],
    [["mock", "--model", "x"], "mock has no option --model"],
    [["acp"], "No agent is named"],
  ])("%j", async (args, words) => {
    const { code, stderr } = await agentwire(["doctor", ...args]);
    expect(stderr).toContain(words);
    expect(code).toBe(2);
  });
});
