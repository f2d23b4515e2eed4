import type { CodebuffRunError, RunState } from "agentwire/codebuff-run";
import type { BackendEndpoint, BackendFaultOptions, MockCodebuffBackendOptions } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { failureOf } from "../helpers/turns.ts";
import { read, runWorld, typesOf, type World } from "./world.ts";

// Every way in which the backend refuses, and what the caller learns of it.

const failed = async (at: World, options = {}) =>
  (await failureOf(at.client.prompt("hi", options))) as CodebuffRunError;

const QUOTA = "Subscription weekly limit reached. Your limit resets in 2 hours.";

describe("the backend refuses the chat call", () => {
  test.each<[string, MockCodebuffBackendOptions, string, object]>([
    [
      "a banned account",
      { banned: true },
      "normal",
      { kind: "account_suspended", status: 403, serverCode: "account_suspended" },
    ],
    [
      "no free mode here",
      { country: "XX" },
      "free",
      { kind: "free_mode_unavailable", status: 403, serverCode: "free_mode_unavailable" },
    ],
    [
      "a weekly quota",
      { quota: "weekly" },
      "normal",
      { kind: "quota_exceeded", status: 429, serverCode: "rate_limit_exceeded" },
    ],
    ["a quota of a session", { quota: "session" }, "normal", { kind: "quota_exceeded", status: 429 }],
    ["no credits", { balance: 0 }, "normal", { kind: "payment_required", status: 402 }],
    [
      "no credits, July",
      { balance: 0, profile: "july" },
      "normal",
      { kind: "payment_required", status: 402 },
    ],
  ])("%s", async (_, switches, costMode, error) => {
    await using at = await runWorld({ ...switches, answer: () => "Hello" });
    const turn = at.client.prompt("hi", { costMode });
    const events = await read(turn);
    const outcome = await turn.outcome;
    expect(outcome).toMatchObject({
      status: "failed",
      error: { code: "turn-failed", retryable: false, ...error },
    });
    expect(typesOf(events)).toEqual(["start", "finish"]); // also for 402
    expect(at.backend.requests({ endpoint: "chat" })).toHaveLength(1);
    expect(at.backend.runs()).toMatchObject([
      { status: "failed", finish: { totalSteps: 1, totalCredits: 0 } },
    ]);
    const { state } = (outcome as { partial: { state: RunState } }).partial;
    const { error: told } = outcome as unknown as { error: CodebuffRunError };
    const { kind, serverMessage: message, status, serverCode: code, retryable, retryAfter } = told;
    expect(state).toMatchObject({
      stopReason: "error",
      output: { type: "error", message, statusCode: status },
      failure: JSON.parse(
        JSON.stringify({ kind, message, status, code, retryable, retryAfterMs: retryAfter }),
      ),
    });
  });

  test.each([
    ["free_mode_gemini_thinker_required", "forbidden", 403],
    ["free_mode_invalid_agent_model", "forbidden", 403],
    ["free_mode_cli_required", "forbidden", 403],
    ["free_mode_invalid_agent_hierarchy", "forbidden", 403],
    ["session_model_mismatch", "session_gate", 409],
    ["session_superseded", "session_gate", 409],
    ["session_expired", "session_gate", 410],
    ["waiting_room_required", "session_gate", 428],
    ["waiting_room_queued", "session_gate", 429],
  ] as const)("July backend, free mode: code %s gives kind %s", async (freeModeGate, kind, status) => {
    await using at = await runWorld({ profile: "july", freeModeGate });
    expect(await failed(at, { costMode: "free" })).toMatchObject({ kind, status, serverCode: freeModeGate });
    expect(at.backend.requests({ endpoint: "chat" })).toHaveLength(1);
  });

  test.each([
    [402, "provider_usage_exhausted", "provider_usage_exhausted", false, /choose another model/],
    [409, "consent_required", "consent_required", false, /agree to the terms/],
    [426, "freebuff_update_required", "update_required", false, /another `costMode`/],
    [429, "free_mode_capacity_deferred", "free_mode_capacity_deferred", true, /wait/],
  ] as const)(
    "status %i with the code %s has its own kind and advice",
    async (status, code, kind, retryable, advice) => {
      await using at = await runWorld();
      const headers = { "retry-after": "120" }; // longer than the client waits by itself
      at.backend.fault("chat", { status, headers, body: { error: code, message: "No." } });
      const error = await failed(at, { costMode: "free" });
      expect(error).toMatchObject({ kind, status, serverCode: code, serverMessage: "No.", retryable });
      expect(error.message).toMatch(advice);
      expect(error.retryAfter).toBe(120_000);
      expect(at.backend.requests({ endpoint: "chat" })).toHaveLength(1);
    },
  );

  test("a place in free mode that is deferred for seconds is waited for", async () => {
    await using at = await runWorld();
    const body = { error: "free_mode_capacity_deferred" };
    at.backend.fault("chat", { status: 429, headers: { "retry-after": "7" }, body, times: 1 });
    const turn = at.client.prompt("hi", { costMode: "free" });
    await at.pass(7_000);
    expect((await turn.result).text).toBe("Hello!");
  });

  test("July backend: the error says why free mode is blocked in the country", async () => {
    await using at = await runWorld({ profile: "july", country: "XX" });
    const country = { countryCode: "XX", countryBlockReason: "country_not_allowed", ipPrivacySignals: [] };
    const error = await failed(at, { costMode: "free" });
    expect(error).toMatchObject({ kind: "free_mode_unavailable", country });
    expect(error.partial).toMatchObject({ state: { output: country } });
  });

  test.each([
    ["free", true],
    ["lite", false],
  ])("only the cost mode `free` is free of charge: %s", async (costMode, isFree) => {
    await using at = await runWorld({ balance: 0 });
    const outcome = await at.client.prompt("hi", { costMode }).outcome;
    expect(outcome.status).toBe(isFree ? "completed" : "failed");
  });
});

describe("a faulty answer of an endpoint", () => {
  const error = (words: string) => ({ error: words });
  test.each<[BackendEndpoint, BackendFaultOptions, object, number]>([
    [
      "me",
      { status: 401, body: error("Invalid API key or user not found") },
      { kind: "auth", status: 401, serverMessage: "Invalid API key or user not found" },
      1,
    ],
    [
      "me",
      { status: 404, body: error("Invalid API key or user not found") },
      { kind: "auth", status: 404 },
      1,
    ],
    ["me", { status: 403 }, { kind: "forbidden", status: 403 }, 1],
    [
      "me",
      { status: 400, body: error("Invalid fields: x. Valid fields are: id") },
      { kind: "bad_request", status: 400 },
      1,
    ],
    ["me", { body: { nothing: true } }, { kind: "protocol_error" }, 1],
    ["me", { raw: "no JSON" }, { kind: "protocol_error" }, 1],
    ["agent-runs", { status: 401, when: "START" }, { kind: "auth", status: 401 }, 1],
    ["agent-runs", { status: 404, when: "START" }, { kind: "auth", status: 404 }, 1],
    [
      "agent-runs",
      { status: 400, when: "START", body: error("Invalid JSON in request body") },
      { kind: "bad_request", serverCode: "invalid_json" },
      1,
    ],
    ["agent-runs", { body: { runId: 7 }, when: "START" }, { kind: "start_failed" }, 1],
    ["agent-runs", { body: { runId: "" }, when: "START" }, { kind: "start_failed" }, 1],
    [
      "chat",
      { status: 400, body: { message: "Invalid JSON in request body" } },
      { kind: "bad_request", serverCode: "invalid_json" },
      1,
    ],
    [
      "chat",
      { status: 400, body: { message: "No runId found in request body" } },
      { kind: "bad_request", serverCode: "run_missing" },
      1,
    ],
    [
      "chat",
      { status: 400, body: { message: "runId Not Found: x" } },
      { kind: "bad_request", serverCode: "run_not_found" },
      1,
    ],
    [
      "chat",
      { status: 400, body: { message: "runId Not Running: x" } },
      { kind: "bad_request", serverCode: "run_not_running" },
      1,
    ],
    [
      "chat",
      { status: 401, body: { message: "Unauthorized" } },
      { kind: "auth", serverMessage: "Unauthorized" },
      1,
    ],
    [
      "chat",
      { status: 403, body: { error: "some_new_code", message: "No." } },
      { kind: "forbidden", serverCode: "some_new_code", serverMessage: "No." },
      1,
    ],
    [
      "chat",
      { status: 400 },
      { kind: "bad_request", serverCode: "invalid_request_error", serverMessage: "Provider returned error" },
      1,
    ],
    [
      "chat",
      { status: 418, raw: "teapot" },
      { kind: "bad_request", serverMessage: "the server answered with status 418", body: "teapot" },
      1,
    ],
    [
      "chat",
      { status: 429, body: { error: "rate_limit_exceeded", message: QUOTA } },
      { kind: "quota_exceeded", serverMessage: QUOTA },
      1,
    ],
  ])("fails the turn without a retry: %s %j", async (endpoint, fault, expected, times) => {
    await using at = await runWorld();
    at.backend.fault(endpoint, fault);
    expect(await failed(at)).toMatchObject({ code: "turn-failed", retryable: false, ...expected });
    const { when: action } = fault;
    expect(at.backend.requests({ endpoint, ...(action ? { action } : {}) })).toHaveLength(times);
    const hasBegun = endpoint === "chat";
    expect(at.backend.requests({ action: "FINISH" })).toHaveLength(hasBegun ? 1 : 0);
  });

  test("without a run id still lets the run emit `start` and `finish`, and keep its state", async () => {
    await using at = await runWorld({ noRunId: true });
    const turn = at.client.prompt("hi");
    expect(typesOf(await read(turn))).toEqual(["start", "finish"]);
    const { partial } = (await turn.outcome) as { partial: { state?: unknown } };
    expect(JSON.stringify(partial.state)).toContain("<user_message>hi</user_message>");
    expect(JSON.stringify(partial.state)).toContain("<system>the server gave the run no");
    at.backend.reset(); // its run is open for ever
  });

  test("that refuses the key makes the next run check the key again", async () => {
    await using at = await runWorld();
    const lift = at.backend.fault("chat", { status: 401 });
    await failed(at);
    lift();
    await at.client.prompt("hi").result;
    expect(at.backend.requests({ endpoint: "me" })).toHaveLength(2);
  });

  test.each<[BackendEndpoint, BackendFaultOptions]>([
    ["steps", { status: 500 }],
    ["steps", { status: 404, body: { error: "Agent run not found" } }],
    ["steps", { reset: true }],
    ["agent-runs", { status: 500, when: "FINISH" }],
    ["agent-runs", { reset: true, when: "FINISH" }],
  ])("only causes a warning, and the run goes on: %s %j", async (endpoint, fault) => {
    await using at = await runWorld();
    at.backend.fault(endpoint, fault);
    expect((await at.client.prompt("hi").result).text).toBe("Hello!");
    expect(at.warnings.map(({ kind }) => kind)).toEqual(["not-reported"]);
    at.backend.reset();
  });

  test.each<[string, BackendFaultOptions]>([
    ["refused", { status: 500 }],
    ["without a number", { body: { inputTokens: "many" } }],
    ["with a negative number", { body: { inputTokens: -1 } }],
    ["no JSON", { raw: "<html>" }],
    ["cut", { reset: true }],
    ["no route", { status: 404 }],
  ])("a token count that is %s is replaced by an estimate, without a warning", async (_, fault) => {
    await using at = await runWorld();
    at.backend.fault("token-count", fault);
    const counts: number[] = [];
    at.client.on("step", ({ contextTokens }) => counts.push(contextTokens));
    await at.client.prompt("hi").result;
    expect(counts[0]).toBeGreaterThan(10);
    expect(counts[0]).toBeLessThan(100);
    expect(at.warnings).toEqual([]);
  });

  test("a token count that does not arrive within 5 s is replaced by an estimate", async () => {
    await using at = await runWorld();
    at.backend.fault("token-count", { hang: true, times: 1 });
    const turn = at.client.prompt("hi");
    await at.backend.waitFor(() => at.calls().includes("token-count"));
    await at.pass(5_000);
    expect((await turn.result).text).toBe("Hello!");
  });

  test("a token count over `maxContextTokens` ends the run before the model is called", async () => {
    await using at = await runWorld({ tokenCount: 1_001 });
    expect(await failed(at, { maxContextTokens: 1_000 })).toMatchObject({ kind: "context_limit" });
    expect(at.chats()).toEqual([]);
    expect(at.backend.runs()).toMatchObject([{ status: "failed" }]);
  });

  test("a token count equal to `maxContextTokens` is allowed", async () => {
    await using at = await runWorld({ tokenCount: 1_000 });
    await at.client.prompt("hi", { maxContextTokens: 1_000 }).result;
  });
});
