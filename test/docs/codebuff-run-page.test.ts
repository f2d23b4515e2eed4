import { readdirSync } from "node:fs";
import {
  type AgentDefinition,
  CodebuffRun,
  type CodebuffRunClientEvents,
  type CodebuffRunCompaction,
  CodebuffRunError,
  type CodebuffRunEvent,
  type CodebuffRunFailureKind,
  type CodebuffRunOptions,
  type CodebuffRunPromptOptions,
  type CodebuffRunResult,
  type CodebuffRunStep,
  type TurnOptions,
} from "agentwire/codebuff-run";
import { afterEach, describe, expect, test, vi } from "vitest";
import { HANDLED } from "../../src/codebuff-run/calls/builtins.ts";
import { resolveOptions } from "../../src/codebuff-run/options.ts";
import { codeIn, names, Page, read } from "./page.ts";

const doc = new Page("docs/codebuff-run.md");

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

describe("docs/codebuff-run.md names", () => {
  test.each([
    [
      "every field of a definition",
      "Agents",
      names<keyof AgentDefinition>({
        id: true,
        displayName: true,
        model: true,
        publisher: true,
        version: true,
        toolNames: true,
        systemPrompt: true,
        instructionsPrompt: true,
        stepPrompt: true,
        outputMode: true,
        outputSchema: true,
        inputSchema: true,
        spawnerPrompt: true,
        spawnableAgents: true,
        reasoningOptions: true,
        temperature: true,
        topP: true,
        maxOutputTokens: true,
        stop: true,
        responseFormat: true,
        providerOptions: true,
        handleSteps: true,
      }),
    ],
    [
      "every event of a turn",
      "What is in a turn",
      names<CodebuffRunEvent["type"]>({
        start: true,
        text: true,
        chunk: true,
        project: true,
        error: true,
        download: true,
        tool_input_delta: true,
        tool_call: true,
        tool_progress: true,
        tool_result: true,
        finish: true,
        subagent_start: true,
        subagent_finish: true,
        subagent_chunk: true,
        reasoning_delta: true,
        reasoning_chunk: true,
      }),
    ],
    [
      "what a turn ends with",
      "What is in a turn",
      names<keyof CodebuffRunResult>({
        text: true,
        truncated: true,
        output: true,
        stopReason: true,
        steps: true,
        model: true,
        cost: true,
        usage: true,
        toolCalls: true,
        runId: true,
        state: true,
      }),
    ],
    [
      "what the client tells, and what it never does",
      "What is in a turn",
      names<keyof CodebuffRunClientEvents | keyof CodebuffRunStep | keyof CodebuffRunCompaction>({
        before: true,
        after: true,
        summary: true,
        compaction: true,
        step: true,
        settled: true,
        status: true,
        reconnecting: true,
        reconnected: true,
        disconnected: true,
        protocolWarning: true,
        turn: true,
        event: true,
        approval: true,
        question: true,
        message: true,
        frame: true,
        agentId: true,
        runId: true,
        stepNumber: true,
        credits: true,
        contextTokens: true,
        model: true,
        maxContextTokens: true,
        usage: true,
        cost: true,
        provider: true,
        state: true,
      }),
    ],
    [
      "every option of a prompt",
      "Options",
      names<keyof CodebuffRunPromptOptions | keyof TurnOptions>({
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
        params: true,
        extraCodebuffMetadata: true,
        onState: true,
        previousRun: true,
        key: true,
        branchOf: true,
        shown: true,
        extraToolResults: true,
        signal: true,
        timeout: true,
        idleTimeout: true,
        read: true,
      }),
    ],
    [
      "every tool of Codebuff's agents that a handler can stand for",
      "Tools and the gate",
      Object.keys(HANDLED),
    ],
  ])("%s", (_, title, all) => {
    const named = new Set<string>();
    for (const code of codeIn(doc.section(title)))
      for (const [name] of code.matchAll(/\w+/g)) named.add(name);
    expect(all.filter((name) => !named.has(name))).toEqual([]);
  });

  test("every option of the client, in one of its two tables", () => {
    const [options = ""] = doc.section("Options").split("| option of a prompt |");
    const rows = [...options.split("\n"), ...doc.section("Limits").split("\n")];
    const told = rows.flatMap((line) => (line.startsWith("| `") ? codeIn(line.split(" | ")[0] ?? "") : []));
    expect(told.sort()).toEqual([...OPTIONS].sort());
  });

  test("every kind of failure, in the order of the type, with what to do", () => {
    const rows = doc.rows("Which error, what now").filter(([cell = ""]) => /^`\w+`$/.test(cell));
    const told = rows.map(([cell = ""]) => codeIn(cell)[0] ?? "");
    expect(told.filter((kind) => kind !== "kind")).toEqual(KINDS);
    expect(rows.filter((cells) => cells.length !== 3 || cells.some((cell) => cell.trim() === ""))).toEqual(
      [],
    );
  });

  test("every kind of failure that is retryable", () => {
    const retryable = KINDS.filter((kind) => new CodebuffRunError({ kind, message: "" }).retryable);
    const [sentence = ""] = doc.section("Which error, what now").match(/^.* are `retryable`\.$/m) ?? [];
    expect(codeIn(sentence).filter((code) => code !== "retryable")).toEqual(retryable);
  });

  test("every warning that the client gives by itself", () => {
    const folder = new URL("../../src/codebuff-run/", import.meta.url);
    const given = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => [...read(`src/codebuff-run/${file}`).matchAll(/\bwarn\(\s*"([\w-]+)"/g)])
      .map(([, kind = ""]) => kind);
    expect(given).toContain("not-reported");
    const named = codeIn(doc.section("What is in a turn"));
    expect([...given, "listener-threw"].filter((kind) => !named.includes(kind))).toEqual([]);
  });
});

describe("the limits of docs/codebuff-run.md", () => {
  const real: Readonly<Record<string, unknown>> = { ...resolved(), ...resolved().defaults };
  const UNITS: Readonly<Record<string, number>> = { "": 1, s: 1_000, MiB: 2 ** 20 };
  const written = (told: string): number | undefined => {
    if (told === "none") return undefined;
    const [, figure, unit = ""] = /^(\d+) ?(\w*)$/.exec(told) ?? [];
    return Number(figure) * (UNITS[unit] ?? Number.NaN);
  };
  const told = doc.rows("Limits").flatMap(([cell = "", values = ""]) => {
    const defaults = values.split(", ");
    return codeIn(cell).map((option, at) => ({ option, value: defaults[at] ?? "" }));
  });

  test.each(told)("$option is $value", ({ option, value }) => {
    expect(written(value)).toBe(real[option] === 0 ? undefined : real[option]);
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
