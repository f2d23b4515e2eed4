import {
  type BackendFreeModeGate,
  type BackendUser,
  MockCodebuffBackend,
  type MockCodebuffBackendOptions,
} from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { type CallOptions, CHAT, call, chatBody, finish, start } from "./codebuff-backend-raw-client.ts";

const QUOTA =
  'limit reached. Your limit resets in 2 hours. Enable "Continue with credits" in the CLI to use a-la-carte credits.';
const SUSPENDED =
  "Your account has been suspended due to billing issues. Please contact support@codebuff.com to resolve this.";
const CREDITS = "Out of credits. Please add credits at https://codebuff.com/usage.";
const free = { metadata: { cost_mode: "free" } };

/** The answer to one chat call of a fresh run. */
async function chatWith(
  options: MockCodebuffBackendOptions,
  fields: Parameters<typeof chatBody>[1] = {},
  how: CallOptions = {},
) {
  await using backend = await MockCodebuffBackend.start(options);
  const body = chatBody(await start(backend), fields);
  const { status, body: answer, headers } = await call(backend, CHAT, { body, ...how });
  return { status, body: answer, retryAfter: headers.get("retry-after") };
}

describe("a chat call is refused", () => {
  const elsewhere = "Free mode is not available in your country.";
  const refusal = (message: string, code: number, type: string) => ({
    error: { message, code, type, param: null, metadata: {} },
  });
  const cases: readonly (readonly [
    gate: string,
    given: MockCodebuffBackendOptions & { fields?: Parameters<typeof chatBody>[1]; how?: CallOptions },
    status: number,
    body: object,
  ])[] = [
    ["1, invalid JSON", { how: { body: "{" } }, 400, { message: "Invalid JSON in request body" }],
    ["2a, no key", { how: { key: null } }, 401, { message: "Unauthorized" }],
    ["2b, unknown key", { how: { key: "x" } }, 401, { message: "Invalid Codebuff API key" }],
    ["3, banned", { banned: true }, 403, { error: "account_suspended", message: SUSPENDED }],
    [
      "4, free mode in another country",
      { country: "XX", fields: free },
      403,
      { error: "free_mode_unavailable", message: elsewhere },
    ],
    [
      "4, free mode in another country, in July",
      { country: "XX", profile: "july", fields: free },
      403,
      {
        ...{ error: "free_mode_unavailable", message: elsewhere, countryCode: "XX" },
        ...{ countryBlockReason: "country_not_allowed", ipPrivacySignals: [] },
      },
    ],
    [
      "5, a run id that is not a string",
      { fields: { metadata: { run_id: 5 } } },
      400,
      { message: "No runId found in request body" },
    ],
    ["5, an unknown run", { fields: { metadata: { run_id: "r" } } }, 400, { message: "runId Not Found: r" }],
    [
      "6, over the weekly limit",
      { quota: "weekly" },
      429,
      { error: "rate_limit_exceeded", message: `Subscription weekly ${QUOTA}` },
    ],
    [
      "6, over the session limit",
      { quota: "session" },
      429,
      { error: "rate_limit_exceeded", message: `Subscription 5-hour session ${QUOTA}` },
    ],
    ["7, out of credits", { balance: 0 }, 402, { message: `${CREDITS} Your free credits reset in 3 hours.` }],
    ["7, out of credits, in July", { balance: -1, profile: "july" }, 402, { message: CREDITS }],
    [
      "8, by the provider",
      { answer: [{ refused: { message: "Too long" } }] },
      400,
      refusal("Too long", 400, "invalid_request_error"),
    ],
    [
      "8, by the provider with its own status",
      { answer: [{ refused: { status: 422, type: "model_error" } }] },
      422,
      refusal("Provider returned error", 422, "model_error"),
    ],
    [
      "9, by an internal error",
      {
        answer: () => {
          throw new Error("the script has failed");
        },
      },
      500,
      { error: "Failed to process request" },
    ],
  ];

  test.each(cases)("at gate %s", async (_gate, { fields, how, ...options }, status, body) => {
    expect(await chatWith(options, fields, how)).toEqual({ status, body, retryAfter: null });
  });

  test("if its run has ended or belongs to another user", async () => {
    await using backend = await MockCodebuffBackend.start({ users: [{ key: "a" }, { key: "b" }] });
    const ended = await start(backend);
    await finish(backend, ended);
    expect((await call(backend, CHAT, { body: chatBody(ended) })).body).toEqual({
      message: `runId Not Running: ${ended}`,
    });
    const running = await start(backend);
    expect((await call(backend, CHAT, { body: chatBody(running), key: "b" })).body).toEqual({
      message: `runId Not Found: ${running}`,
    });
  });

  test.each<[BackendFreeModeGate, number, string | null]>([
    ["free_mode_gemini_thinker_required", 403, null],
    ["free_mode_invalid_agent_model", 403, null],
    ["free_mode_cli_required", 403, null],
    ["free_mode_invalid_agent_hierarchy", 403, null],
    ["session_model_mismatch", 409, null],
    ["session_superseded", 409, null],
    ["session_expired", 410, null],
    ["waiting_room_required", 428, null],
    ["waiting_room_queued", 429, null],
    ["free_mode_rate_limited", 429, "30"],
  ])("with %s, only in July's free mode", async (freeModeGate, status, retryAfter) => {
    const july = { profile: "july", freeModeGate, retryAfter: 30 } as const;
    expect(await chatWith(july, free)).toEqual({
      status,
      body: { error: freeModeGate, message: expect.any(String) },
      retryAfter,
    });
    expect((await chatWith(july)).status).toBe(200);
    expect((await chatWith({ ...july, profile: "march" }, free)).status).toBe(200);
  });
});

describe("a chat call is admitted", () => {
  test.each<[string, MockCodebuffBackendOptions, Parameters<typeof chatBody>[1]]>([
    ["in free mode, without a country", { country: null }, free],
    ["in free mode, in the US", { country: "US" }, free],
    ["in another country, without free mode", { country: "XX" }, {}],
    ["in free mode, over the limit", { quota: "weekly" }, free],
    ["in free mode, without credits", { balance: 0 }, free],
  ])("%s", async (_title, options, fields) => {
    expect((await chatWith(options, fields)).status).toBe(200);
  });
});

test("the gates are checked in order, and the first refusal is sent", async () => {
  const all = {
    profile: "july",
    banned: true,
    country: "XX",
    freeModeGate: "session_expired",
    quota: "weekly",
    balance: 0,
    answer: [{ refused: {} }],
  } as const;
  const codes: unknown[] = [];
  const note = async (options: MockCodebuffBackendOptions, fields: Parameters<typeof chatBody>[1]) => {
    const { status, body } = await chatWith(options, fields);
    const { error, message } = body as { error?: unknown; message?: string };
    codes.push(typeof error === "string" ? error : (message ?? status));
  };
  const noRun = { metadata: { cost_mode: "free", run_id: undefined } };
  const paid = {};
  await note(all, noRun);
  await note({ ...all, banned: false }, noRun);
  await note({ ...all, banned: false, country: null }, noRun);
  await note({ ...all, banned: false, country: null }, free);
  await note({ ...all, banned: false }, paid);
  await note({ ...all, banned: false, quota: "none" }, paid);
  await note({ ...all, banned: false, quota: "none", balance: 1 }, paid);
  expect(codes).toEqual([
    "account_suspended",
    "free_mode_unavailable",
    "No runId found in request body",
    "session_expired",
    "rate_limit_exceeded",
    CREDITS,
    400,
  ]);
});

describe("switches of one user", () => {
  test.each<[string, Partial<BackendUser>, number]>([
    ["banned", { banned: true }, 403],
    ["quota", { quota: "session" }, 429],
    ["balance", { balance: 0 }, 402],
  ])("override the server's %s", async (_name, gates, status) => {
    await using backend = await MockCodebuffBackend.start({ users: [{ key: "a" }, { key: "b", ...gates }] });
    const statuses = await Promise.all(
      ["a", "b"].map(async (key) => {
        const body = chatBody(await start(backend, "tester", { key }));
        return (await call(backend, CHAT, { key, body })).status;
      }),
    );
    expect(statuses).toEqual([200, status]);
  });

  test("override the server's country", async () => {
    const there = { country: "XX", users: [{ country: null }] };
    expect((await chatWith(there, free)).status).toBe(200);
    expect((await chatWith({ users: [{ country: "XX" }] }, free)).status).toBe(403);
  });
});

test("gates can be changed at any time", async () => {
  await using backend = await MockCodebuffBackend.start();
  const body = chatBody(await start(backend));
  const status = async () => (await call(backend, CHAT, { body })).status;
  backend.set({ balance: 0 });
  expect(await status()).toBe(402);
  backend.set({ balance: 5 });
  expect(await status()).toBe(200);
});
