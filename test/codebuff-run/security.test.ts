import { inspect } from "node:util";
import { CodebuffRun, type FetchLike, type ModelProvider } from "agentwire/codebuff-run";
import { MockCodebuffBackend } from "agentwire/testing";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { errorSaying } from "../helpers/errors.ts";
import { AGENT, agentWith, json, read, runWorld } from "./world.ts";

// Where credentials go, and where they never do.

const KEY = "cb-secret-0123456789";

/** Everything that a client tells about one prompt. */
async function allOf(at: Awaited<ReturnType<typeof runWorld>>, client: CodebuffRun): Promise<string> {
  const told: unknown[] = [];
  for (const name of ["event", "protocolWarning", "message", "frame", "step", "turn", "settled"] as const)
    client.on(name, (...values: readonly unknown[]) => void told.push([name, values[0]]));
  const turn = client.prompt("hi");
  told.push(await read(turn));
  const outcome = await turn.outcome;
  told.push(outcome, JSON.stringify(outcome));
  if (outcome.status === "failed")
    told.push(outcome.error, outcome.error.stack, String(outcome.error), outcome.error.cause);
  await client.close();
  expect(at.backend.requests().length).toBeGreaterThan(0);
  return inspect(told, { depth: 30, maxStringLength: null, maxArrayLength: null, showHidden: true });
}

const LOUD = { error: "no_such_key", message: `the key ${KEY} (Bearer ${KEY}) is unknown` };

describe("no event, error or log line contains the key", () => {
  test.each([
    ["me", { status: 401, body: LOUD }],
    ["agent-runs", { status: 400, body: LOUD }],
    ["agent-runs", { status: 500, body: LOUD, when: "FINISH" }],
    ["chat", { status: 402, body: LOUD }],
    ["chat", { status: 400, raw: `<html>${KEY}</html>` }],
    ["chat", { raw: `data: {"error":{"message":"key ${KEY}","code":502}}\n\n` }],
    ["chat", { raw: `data: ${KEY}\n\n` }],
    ["chat", { status: 307, headers: { location: `https://evil.example/?key=${KEY}` }, raw: "" }],
    ["token-count", { status: 500, body: LOUD }],
    ["steps", { status: 500, body: LOUD }],
  ] as const)("if the endpoint %s repeats it: %j", async (endpoint, fault) => {
    const lines: string[] = [];
    const log = (line: string) => void lines.push(line);
    await using at = await runWorld({ users: [{ key: KEY }] });
    const client = at.another({ debug: true, logger: { debug: log, info: log, warn: log, error: log } });
    at.backend.fault(endpoint, fault);
    const told = await allOf(at, client);
    expect(told).not.toContain(KEY);
    expect(lines.join("\n")).not.toContain(KEY);
    expect(lines.length).toBeGreaterThan(0);
    at.backend.reset();
  });

  test("if a tool, a program or `fetch` throws it", async () => {
    const fails = () => {
      throw Object.assign(new Error(`no ${KEY}`), {
        request: { headers: { authorization: `Bearer ${KEY}` } },
      });
    };
    const answer = [{ toolCalls: [{ name: "glob", arguments: { pattern: "*" } }] }, "Done"];
    await using at = await runWorld({ users: [{ key: KEY }], answer });
    const tool = at.another({ agent: agentWith("glob"), overrideTools: { glob: fails } });
    expect(await allOf(at, tool)).not.toContain(KEY);
    const program = at.another({ agent: { ...agentWith(), handleSteps: fails as never } });
    expect(await allOf(at, program)).not.toContain(KEY);
    const fetch: FetchLike = (url, init) =>
      url.endsWith("/me?fields=id") ? globalThis.fetch(url, init) : fails();
    const net = at.another({ fetch });
    const all = allOf(at, net);
    for (const wait of [1_000, 2_000, 4_000]) await at.pass(wait);
    expect(await all).not.toContain(KEY);
  });
});

test("an error about a tool or an agent with the key as its name shows `[redacted]`", async () => {
  const spawned = { name: "spawn_agents", arguments: { agents: [{ agent_type: KEY }] } };
  const answer = [{ toolCalls: [{ name: KEY }, spawned] }, "Done"];
  await using at = await runWorld({ users: [{ key: KEY }], answer });
  const agent = { ...agentWith("spawn_agents"), spawnableAgents: ["other"] };
  const client = at.another({ agent, agentDefinitions: [{ ...AGENT, id: "other" }] });
  const turn = client.prompt("hi");
  const events = await read(turn);
  const { state } = await turn.result;
  const messages = [
    ...events.map((event) => (event.type === "error" ? event.message : "")),
    ...(JSON.stringify(events).match(/"message":"The agent [^"]*/g) ?? []),
    ...(state.sessionState?.mainAgentState.messageHistory ?? []).flatMap(({ role, content }) =>
      role === "user" ? JSON.stringify(content) : [],
    ),
  ];
  expect(messages.filter((text) => text.includes("[redacted]"))).toHaveLength(3);
  expect(messages.join("\n")).not.toContain(KEY);
  at.backend.reset(); // the call itself is the model's, and goes back as it was written
});

test("the key is sent only as one `Authorization` header, which overrides `headers`", async () => {
  await using at = await runWorld({}, { headers: { Authorization: "Bearer other", "X-Own": "1" } });
  await at.client.prompt("hi").result;
  for (const { headers, path, text } of at.backend.requests()) {
    expect(headers["x-own"]).toBe("1");
    expect(path + text).not.toContain(at.backend.apiKey);
  }
  expect(at.backend.requests({ endpoint: "chat" })[0]?.userId).toBe("user-1");
});

test.each([301, 302, 303, 307, 308])("a redirect (%i) is not followed", async (status) => {
  await using other = await MockCodebuffBackend.start();
  await using at = await runWorld();
  for (const endpoint of ["me", "chat"] as const) {
    const lift = at.backend.fault(endpoint, {
      status,
      headers: { location: `${other.url}/api/v1/me` },
      raw: "",
    });
    const outcome = await at.another().prompt("hi").outcome;
    expect(outcome).toMatchObject({ status: "failed", error: { kind: "protocol_error", status } });
    lift();
  }
  expect(other.requests()).toEqual([]);
});

describe("`baseUrl`", () => {
  const make = (baseUrl: string | URL, more: object = {}) =>
    new CodebuffRun({ apiKey: KEY, baseUrl, ...more });

  test.each([
    "http://example.com",
    "http://192.168.0.1",
    "http://10.0.0.1:80",
    "http://localhost.example",
    "http://0.0.0.0",
  ])("%s is refused as unencrypted", (url) => {
    expect(() => make(url)).toThrow(errorSaying("invalid-input", /unencrypted/));
  });

  test.each([
    "https://example.com",
    "http://127.0.0.1:1",
    "http://localhost:1",
    "http://[::1]:1",
    new URL("https://example.com/base/"),
  ])("%s is allowed", (url) => {
    expect(() => make(url)).not.toThrow();
  });

  test("may be plain HTTP to another machine with `allowInsecure`", () => {
    expect(() => make("http://example.com", { allowInsecure: true })).not.toThrow();
  });

  test.each([
    ["ftp://example.com", /begins with ftp:/],
    ["nowhere", /cannot be read/],
    ["https://me:secret@example.com", /user name or a password/],
  ])("%s is refused: %s", (url, words) => {
    expect(() => make(url)).toThrow(errorSaying("invalid-input", words));
  });

  test("may have a path", async () => {
    const seen: string[] = [];
    const fetch: FetchLike = async (url) => {
      seen.push(url);
      return new Response("{}", { status: 401 });
    };
    const client = new CodebuffRun({
      apiKey: KEY,
      baseUrl: "https://example.com/base/",
      fetch,
      agent: agentWith(),
    });
    await client.prompt("hi").outcome;
    await client.close();
    expect(seen).toEqual(["https://example.com/base/api/v1/me?fields=id"]);
  });
});

test.each(["", "  ", "a b", "ключ", "a\nb"])("the key %j is refused", (apiKey) => {
  expect(() => new CodebuffRun({ apiKey })).toThrow(errorSaying("invalid-input", /apiKey/));
});

test("a client without a key and without providers is refused", () => {
  expect(() => new CodebuffRun()).toThrow(errorSaying("invalid-input", /CODEBUFF_API_KEY/));
});

test("beside providers, a key in the environment is not used, but a key in the options is", async () => {
  await using at = await runWorld();
  vi.stubEnv("CODEBUFF_API_KEY", at.backend.apiKey);
  onTestFinished(() => void vi.unstubAllEnvs());
  const provider: ModelProvider = {
    name: "own",
    supports: ({ model }) => model === AGENT.model,
    stream: async function* () {
      yield { choices: [{ delta: { content: "Here." }, finish_reason: "stop" }] };
    },
  };
  const alone = new CodebuffRun({ baseUrl: at.backend.url, agent: AGENT, providers: [provider] });
  expect((await alone.prompt("hi").result).text).toBe("Here.");
  const agent = { ...AGENT, model: "of/nobody" };
  expect(await alone.prompt("hi", { agent }).outcome).toMatchObject({ error: { kind: "forbidden" } });
  await alone.close();
  expect(at.calls()).toEqual([]);
  const both = at.another({ providers: [provider] });
  expect((await both.prompt("hi").result).text).toBe("Here.");
  expect(at.calls()).toContain("START");
});

test("the OpenRouter key of the environment goes to the chat call only, and into no error", async () => {
  process.env["CODEBUFF_BYOK_OPENROUTER"] = "or-secret-123";
  try {
    await using at = await runWorld({}, { agent: agentWith("glob"), overrideTools: { glob: () => json(1) } });
    at.backend.fault("chat", { status: 400, body: { message: "bad or-secret-123" } });
    const outcome = await at.client.prompt("hi").outcome;
    expect(outcome).toMatchObject({ error: { serverMessage: "bad [redacted]" } });
    expect(
      at.backend
        .requests()
        .filter(({ headers }) => "x-openrouter-api-key" in headers)
        .map(({ endpoint }) => endpoint),
    ).toEqual(["chat"]);
  } finally {
    delete process.env["CODEBUFF_BYOK_OPENROUTER"];
  }
});
