import { readdirSync } from "node:fs";
import {
  CodebuffRun,
  type CodebuffRunClientEvents,
  CodebuffRunError,
  type CodebuffRunEvent,
  type CodebuffRunFailureKind,
  type CodebuffRunOptions,
} from "agentwire/codebuff-run";
import { afterEach, describe, expect, test, vi } from "vitest";
import { HANDLED } from "../../src/codebuff-run/calls/builtins.ts";
import { resolveOptions } from "../../src/codebuff-run/options.ts";
import { codeIn, names, Page, read } from "./page.ts";
import { defaultIn, empty, Reference } from "./support/reference.ts";

const doc = new Page("docs/codebuff-run.md");
const reference = new Reference("codebuff-run");

afterEach(() => vi.unstubAllEnvs());

const KINDS = names<CodebuffRunFailureKind>({
  bad_request: true,
  auth: true,
  payment_required: true,
  account_suspended: true,
  free_mode_unavailable: true,
  forbidden: true,
  session_gate: true,
  free_mode_capacity_deferred: true,
  update_required: true,
  consent_required: true,
  provider_usage_exhausted: true,
  quota_exceeded: true,
  rate_limited: true,
  server: true,
  network: true,
  upstream_error: true,
  protocol_error: true,
  stream_interrupted: true,
  timeout: true,
  start_failed: true,
  agent_not_found: true,
  invalid_agent: true,
  no_response: true,
  no_progress: true,
  context_limit: true,
  state_not_saved: true,
});

const OPTIONS = names<keyof CodebuffRunOptions>({
  apiKey: true,
  baseUrl: true,
  headers: true,
  fetch: true,
  allowInsecure: true,
  providers: true,
  agent: true,
  models: true,
  temperature: true,
  topP: true,
  maxOutputTokens: true,
  stop: true,
  responseFormat: true,
  providerOptions: true,
  costMode: true,
  maxAgentSteps: true,
  maxContextTokens: true,
  compact: true,
  onState: true,
  params: true,
  extraCodebuffMetadata: true,
  promptCaching: true,
  agentDefinitions: true,
  tools: true,
  overrideTools: true,
  toolSources: true,
  parallelTools: true,
  toolPolicy: true,
  onToolApproval: true,
  onQuestion: true,
  approvalTimeout: true,
  toolTimeout: true,
  streamTimeout: true,
  silentTimeout: true,
  maxRetries: true,
  maxRetryWait: true,
  stepReporting: true,
  projectFiles: true,
  knowledgeFiles: true,
  project: true,
  files: true,
  maxRuns: true,
  maxQueuedEvents: true,
  maxQueuedTurns: true,
  maxQueuedBytes: true,
  maxBufferedBytes: true,
  maxTextBytes: true,
  signal: true,
  logger: true,
  debug: true,
  clock: true,
});

describe("the reference of agentwire/codebuff-run tells", () => {
  const options = reference.members("CodebuffRunOptions");

  test("of every option with its default, and of no other", () => {
    expect([...options.keys()].sort()).toEqual([...OPTIONS].sort());
    const without = [...options].filter(([, told]) => told.default === undefined).map(([name]) => name);
    expect(without).toEqual(["signal", "logger"]); // none, on every client
  });

  test("of the defaults as they are in the code", () => {
    const real: Readonly<Record<string, unknown>> = { ...resolved(), ...resolved().defaults };
    const words = ["outbox", "clock", "backend", "defaults", "tools"]; // told in words, or not an option
    const checked = Object.keys(real).filter((name) => !words.includes(name));
    expect(checked.length).toBeGreaterThan(20);
    for (const name of checked) {
      const told = options.get(name);
      expect([name, told && defaultIn(told)]).toEqual([name, empty(real[name])]);
    }
  });

  test.each<[type: string, plain: readonly string[]]>([
    ["AgentDefinition", ["displayName", "version"]],
    ["CodebuffRunResult", ["stopReason", "truncated"]],
    ["CodebuffRunStep", ["agentId", "runId", "stepNumber", "credits"]],
    ["CodebuffRunCompaction", ["agentId", "runId", "state"]],
    ["CodebuffRunPromptOptions", []],
    ["CodebuffRunClientEvents", []],
  ])("of every member of %s but those with a plain name", (type, plain) => {
    const silent = [...reference.members(type)].flatMap(([name, { text, default: told }]) =>
      text === "" && told === undefined ? [name] : [],
    );
    expect(silent).toEqual(plain);
  });

  test("of every tool of Codebuff's agents that a handler can stand for", () => {
    const told = codeIn(options.get("overrideTools")?.text ?? "");
    expect(Object.keys(HANDLED).filter((name) => !told.includes(name))).toEqual([]);
  });

  test("of every placeholder that prompts can have", () => {
    const code = read("src/codebuff-run/agents/placeholders.ts");
    const known = [...code.matchAll(/^ {2}\["([A-Z_]+)"/gm)].map(([, name = ""]) => name);
    const told = codeIn(reference.members("AgentDefinition").get("systemPrompt")?.text ?? "");
    expect(known.length).toBeGreaterThan(10);
    expect(known.filter((name) => !told.includes(`{CODEBUFF_${name}}`))).toEqual([]);
  });

  test("of every kind of failure, in the order of the type, and which are retryable", () => {
    const { text } = reference.of("CodebuffRunFailureKind");
    const [list = "", after = ""] = text.split(/ (?=`rate_limited`, )/);
    expect([...list.matchAll(/(?:^|\s)- `(\w+)`/g)].map(([, kind]) => kind)).toEqual(KINDS);
    const retryable = KINDS.filter((kind) => new CodebuffRunError({ kind, message: "" }).retryable);
    expect(codeIn(after).toSorted()).toEqual(retryable.toSorted());
    expect(after).toMatch(/are retryable\.$/);
  });

  test("of every warning that the client gives by itself", () => {
    const folder = new URL("../../src/codebuff-run/", import.meta.url);
    const given = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => [...read(`src/codebuff-run/${file}`).matchAll(/\bwarn\(\s*"([\w-]+)"/g)])
      .map(([, kind = ""]) => kind);
    expect(given).toContain("not-reported");
    const told = codeIn(reference.members("CodebuffRunClientEvents").get("protocolWarning")?.text ?? "");
    expect([...given, "listener-threw"].filter((kind) => !told.includes(kind))).toEqual([]);
  });

  test("of the events that never come", () => {
    const ofClient = names<
      Extract<keyof CodebuffRunClientEvents, `${string}connect${string}` | "message" | "frame">
    >({ reconnecting: true, reconnected: true, disconnected: true, message: true, frame: true });
    expect(codeIn(reference.of("CodebuffRunClientEvents").text)).toEqual(ofClient);
    const ofTurn: readonly CodebuffRunEvent["type"][] = ["reasoning_delta", "download"];
    expect(codeIn(reference.of("CodebuffRunEvent").text)).toEqual(expect.arrayContaining([...ofTurn]));
  });
});

function resolved() {
  return resolveOptions({ apiKey: "a-key" });
}

describe("the defaults of docs/codebuff-run.md", () => {
  test("are those of the code", () => {
    expect(resolved()).toMatchObject({
      backend: { baseUrl: "https://www.codebuff.com" },
      stepReporting: "post",
      defaults: { costMode: "normal" },
    });
  });

  test("say where the key comes from, and that beside providers it must be passed", () => {
    vi.stubEnv("CODEBUFF_API_KEY", "from-the-environment");
    const provider = { name: "own", supports: () => true, stream: async function* () {} };
    expect(resolveOptions({}).backend?.apiKey).toBe("from-the-environment");
    expect(resolveOptions({ providers: [provider] }).backend).toBeUndefined();
    expect(resolveOptions({ providers: [provider], apiKey: "a-key" }).backend?.apiKey).toBe("a-key");
    expect(doc.section("Providers")).toContain(
      "With `providers`, CODEBUFF_API_KEY of the environment is not read",
    );
  });
});

describe("the safety notes say", () => {
  test.each([
    ["that nothing runs that is not registered", /\*\*No tool runs unless you register it\.\*\*/],
    ["what leaves the machine", /\*\*What leaves this machine\*\*.*whole history/s],
    [
      "that paths and commands come from a model",
      /\*\*Paths and commands come from a model\*\*.*confine paths/s,
    ],
    ["that a page shows its keys", /\*\*Whoever opens the page can read its keys\.\*\*/],
    [
      "that no subscription login is here",
      /\*\*No login with a subscription of any vendor is\s+in this package\*\*/,
    ],
  ])("%s", (_, words) => {
    expect(doc.text).toMatch(words);
  });
});

test("each difference from the SDK has all columns of its table", () => {
  const [, ...rows] = doc.rows("Differences from Codebuff's own SDK");
  expect(rows.length).toBeGreaterThan(8);
  expect(rows.filter((cells) => cells.length !== 3 || cells.some((cell) => cell.trim() === ""))).toEqual([]);
});

test("the client's status and permissions are as the page says", async () => {
  const client = new CodebuffRun({ apiKey: "a-key" });
  expect(client.status).toBe("idle");
  expect(client.capabilities.permissions).toBe("client");
  await client.close();
});
