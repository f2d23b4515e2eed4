import { MockCodebuffBackend, type MockCodebuffBackendOptions } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { type CallOptions, call, chat, finish, start } from "./codebuff-backend-raw-client.ts";

const stamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const RUNS = "POST /api/v1/agent-runs";
const NO_KEY = { status: 401, body: { error: "Missing or invalid Authorization header" } };
const UNKNOWN_KEY = { error: "Invalid API key or user not found" };
const BAD_JSON = { status: 400, body: { error: "Invalid JSON in request body" } };

const STEP = {
  stepNumber: 1,
  credits: 5,
  childRunIds: [],
  messageId: null,
  status: "completed",
  startTime: "2026-03-14T10:00:00.000Z",
};
const FINISH = { action: "FINISH", status: "completed", totalSteps: 1, directCredits: 0, totalCredits: 0 };

/** Status and body of one request. */
async function answerTo(backend: MockCodebuffBackend, route: string, options?: CallOptions) {
  const { status, body } = await call(backend, route, options);
  return { status, body };
}

describe("API keys", () => {
  test("are read from both headers, and x-codebuff-api-key takes precedence", async () => {
    await using backend = await MockCodebuffBackend.start({ users: [{ key: "a" }, { key: "b" }] });
    const me = "GET /api/v1/me";
    const other = { "x-codebuff-api-key": "b" };
    expect(await answerTo(backend, me)).toEqual({ status: 200, body: { id: "user-1" } });
    expect(await answerTo(backend, me, { key: null, headers: other })).toEqual({
      status: 200,
      body: { id: "user-2" },
    });
    expect(await answerTo(backend, me, { headers: other })).toEqual({ status: 200, body: { id: "user-2" } });
    expect(await answerTo(backend, me, { key: null, headers: { authorization: "Basic a" } })).toEqual(NO_KEY);
  });

  test.each([
    ["GET /api/v1/me", 401],
    ["GET /api/v1/agents/codebuff/base/latest", 401],
    [RUNS, 404],
    ["POST /api/v1/agent-runs/x/steps", 404],
    ["POST /api/v1/token-count", 401],
    ["POST /api/v1/web-search", 401],
    ["POST /api/v1/docs-search", 401],
  ])("are required for %s; an unknown key gets %i", async (route, status) => {
    await using backend = await MockCodebuffBackend.start();
    const body = route.startsWith("POST") ? {} : undefined;
    expect(await answerTo(backend, route, { key: null, body })).toEqual(NO_KEY);
    expect(await answerTo(backend, route, { key: "wrong", body })).toEqual({ status, body: UNKNOWN_KEY });
    expect(backend.requests().map(({ userId }) => userId)).toEqual([null, null]);
  });

  test("can be added and revoked", async () => {
    await using backend = await MockCodebuffBackend.start();
    const user = backend.addUser({ email: "b@codebuff.example" });
    expect(user).toMatchObject({ key: "test-key-2", id: "user-2", email: "b@codebuff.example" });
    const me = { key: user.key };
    expect((await call(backend, "GET /api/v1/me?fields=email", me)).body).toEqual({
      email: "b@codebuff.example",
    });
    backend.removeUser(user.key);
    expect((await call(backend, "GET /api/v1/me", me)).status).toBe(401);
    expect(() => backend.addUser({ key: backend.apiKey })).toThrow("`key` is taken.");
    expect(() => backend.addUser({ key: "" })).toThrow("`key` is empty.");
  });

  test("are masked everywhere in the records", async () => {
    await using backend = await MockCodebuffBackend.start({ users: [{ key: "secret-key-1" }] });
    await call(backend, "POST /api/v1/token-count?key=secret-key-1", {
      body: { messages: ["secret-key-1"] },
      headers: { "x-codebuff-api-key": "secret-key-1", "x-openrouter-api-key": "or-key" },
    });
    const [request] = backend.requests();
    expect(request).toMatchObject({
      path: "/api/v1/token-count?key=<masked>",
      headers: {
        authorization: "Bearer <masked>",
        "x-codebuff-api-key": "<masked>",
        "x-openrouter-api-key": "<masked>",
      },
      body: { messages: ["<masked>"] },
      text: '{"messages":["<masked>"]}',
    });
    expect(JSON.stringify(backend.violations)).not.toContain("secret-key-1");
  });
});

describe("GET /api/v1/me", () => {
  test("returns exactly the requested fields", async () => {
    await using backend = await MockCodebuffBackend.start({
      users: [{ id: "u", email: "u@x.example", banned: true, discordId: "d", stripeCustomerId: "s" }],
    });
    const all = "id,email,discord_id,referral_code,stripe_customer_id,banned,referral_link";
    expect((await call(backend, `GET /api/v1/me?fields=${all}`)).body).toEqual({
      id: "u",
      email: "u@x.example",
      discord_id: "d",
      referral_code: "ref-u",
      stripe_customer_id: "s",
      banned: true,
      referral_link: "https://codebuff.example/referrals/ref-u",
    });
    expect((await call(backend, "GET /api/v1/me?fields=email,banned")).body).toEqual({
      email: "u@x.example",
      banned: true,
    });
    expect((await call(backend, "GET /api/v1/me")).body).toEqual({ id: "u" });
  });

  test("names the unknown fields and the valid fields", async () => {
    await using backend = await MockCodebuffBackend.start();
    expect(await answerTo(backend, "GET /api/v1/me?fields=id,name,age")).toEqual({
      status: 400,
      body: {
        error:
          "Invalid fields: name, age. Valid fields are: id, email, discord_id, referral_code, " +
          "stripe_customer_id, banned, referral_link",
      },
    });
  });
});

describe("POST /api/v1/agent-runs", () => {
  test.each([
    ["no action", {}, ["action"]],
    ["an unknown action", { action: "STOP" }, ["action"]],
    ["START with an empty agent", { action: "START", agentId: "" }, ["agentId"]],
    [
      "START with an ancestor id that is a number",
      { action: "START", agentId: "a", ancestorRunIds: [1] },
      ["ancestorRunIds"],
    ],
    [
      "FINISH without fields",
      { action: "FINISH" },
      ["runId", "status", "totalSteps", "directCredits", "totalCredits"],
    ],
    ["FINISH with an invalid status", { ...FINISH, runId: "r", status: "running" }, ["status"]],
    ["FINISH with half a step", { ...FINISH, runId: "r", totalSteps: 1.5 }, ["totalSteps"]],
    ["FINISH with credits below zero", { ...FINISH, runId: "r", directCredits: -1 }, ["directCredits"]],
    ["FINISH with an error that is a number", { ...FINISH, runId: "r", errorMessage: 5 }, ["errorMessage"]],
    ["FINISH with a step without an id", { ...FINISH, runId: "r", steps: [STEP] }, ["steps"]],
    [
      "FINISH with 1001 steps",
      { ...FINISH, runId: "r", steps: Array.from({ length: 1001 }, () => ({ id: "s", ...STEP })) },
      ["steps"],
    ],
  ])("refuses %s and names the invalid field", async (_title, body, wrong) => {
    await using backend = await MockCodebuffBackend.start();
    const answer = await answerTo(backend, RUNS, { body });
    expect(answer).toMatchObject({ status: 400, body: { error: "Invalid request body" } });
    expect(Object.keys((answer.body as { details: object }).details)).toEqual(wrong);
  });

  test("refuses invalid JSON", async () => {
    await using backend = await MockCodebuffBackend.start();
    expect(await answerTo(backend, RUNS, { body: "{" })).toEqual(BAD_JSON);
  });

  test("accepts JSON with any content type", async () => {
    await using backend = await MockCodebuffBackend.start();
    const headers = { "content-type": "text/plain;charset=UTF-8" };
    const runId = await start(backend, "a", { headers });
    expect((await finish(backend, runId, {}, { headers })).body).toEqual({ success: true });
  });

  test("keeps a run's ancestors, and ignores a second FINISH", async () => {
    await using backend = await MockCodebuffBackend.start();
    const root = await start(backend);
    const child = await start(backend, "helper", { ancestorRunIds: [root] });
    const steps = [{ id: "s", ...STEP }];
    await finish(backend, child, { status: "failed", errorMessage: "no", totalCredits: 7.5, steps });
    expect((await finish(backend, child)).body).toEqual({ success: true });
    expect(backend.runs()).toMatchObject([
      { id: root, status: "running", finish: undefined },
      {
        id: child,
        status: "failed",
        ancestorRunIds: [root],
        finish: { errorMessage: "no", totalCredits: 7.5 },
        steps: [{ ...steps[0], errorMessage: undefined }],
      },
    ]);
    expect(backend.violations.map(({ kind }) => kind)).toEqual(["finished-twice"]);
  });

  test("does not finish the run of another user", async () => {
    await using backend = await MockCodebuffBackend.start({ users: [{ key: "a" }, { key: "b" }] });
    const runId = await start(backend);
    const { status, body } = await finish(backend, runId, {}, { key: "b" });
    expect({ status, body }).toEqual({ status: 500, body: { error: "Failed to finish agent run" } });
    expect(backend.runs()[0]?.status).toBe("running");
  });
});

describe("POST /api/v1/agent-runs/{runId}/steps", () => {
  test("refuses an unknown run and another user's run", async () => {
    await using backend = await MockCodebuffBackend.start({ users: [{ key: "a" }, { key: "b" }] });
    const runId = await start(backend);
    expect(await answerTo(backend, "POST /api/v1/agent-runs/none/steps", { body: STEP })).toEqual({
      status: 404,
      body: { error: "Agent run not found" },
    });
    expect(
      await answerTo(backend, `POST /api/v1/agent-runs/${runId}/steps`, { body: STEP, key: "b" }),
    ).toEqual({
      status: 403,
      body: { error: "Unauthorized to add steps to this run" },
    });
    expect(backend.violations.map(({ kind }) => kind)).toEqual(["unknown-run", "unknown-run"]);
    expect(backend.runs()[0]?.steps).toEqual([]);
  });

  test.each([
    ["stepNumber", 0.5],
    ["credits", -1],
    ["childRunIds", "x"],
    ["messageId", 5],
    ["status", "done"],
    ["startTime", "yesterday"],
    ["errorMessage", {}],
  ])("refuses an invalid %s", async (name, value) => {
    await using backend = await MockCodebuffBackend.start();
    const path = `POST /api/v1/agent-runs/${await start(backend)}/steps`;
    const answer = await answerTo(backend, path, { body: { ...STEP, [name]: value } });
    expect(answer).toMatchObject({ status: 400, body: { error: "Invalid request body" } });
    expect(Object.keys((answer.body as { details: object }).details)).toEqual([name]);
    expect(await answerTo(backend, path, { body: "{" })).toEqual(BAD_JSON);
  });
});

describe("POST /api/v1/token-count", () => {
  test.each([
    ["a number", 77, { status: 200, body: { inputTokens: 77 } }],
    ["404", "404", { status: 404, body: { error: "Not found" } }],
    ["bad", "bad", { status: 200, body: { tokens: "many" } }],
  ] as const)("answers as `tokenCount` says: %s", async (_title, tokenCount, answer) => {
    await using backend = await MockCodebuffBackend.start({ tokenCount });
    expect(await answerTo(backend, "POST /api/v1/token-count", { body: { messages: [] } })).toEqual(answer);
  });

  test("refuses a body without messages", async () => {
    await using backend = await MockCodebuffBackend.start();
    const refused = await answerTo(backend, "POST /api/v1/token-count", { body: {} });
    expect(refused).toEqual({
      status: 400,
      body: { error: "Invalid request body", details: { messages: "must be an array" } },
    });
    expect(await answerTo(backend, "POST /api/v1/token-count", { body: "{" })).toEqual(BAD_JSON);
  });
});

describe("GET /api/v1/agents/{publisher}/{agentId}/{version}", () => {
  const agents = {
    "acme/helper@1.0.0": { id: "helper", displayName: "One" },
    "acme/helper@1.2.9": { id: "helper", displayName: "Two" },
    base: { id: "base", displayName: "Base" },
  };
  const entry = { createdAt: stamp, updatedAt: stamp };

  test.each([
    [
      "acme/helper/1.0.0",
      { id: "helper", version: "1.0.0", publisherId: "acme", data: agents["acme/helper@1.0.0"] },
    ],
    [
      "acme/helper/latest",
      { id: "helper", version: "1.2.9", publisherId: "acme", data: agents["acme/helper@1.2.9"] },
    ],
    ["codebuff/base/latest", { id: "base", version: "1.0.0", publisherId: "codebuff", data: agents.base }],
  ])("finds %s", async (path, found) => {
    await using backend = await MockCodebuffBackend.start({ agents });
    const answer = await answerTo(backend, `GET /api/v1/agents/${path}`);
    expect(answer).toEqual({ status: 200, body: { ...found, ...entry } });
  });

  test.each(["acme/helper/2.0.0", "acme/base/latest", "codebuff/none/latest"])(
    "does not find %s",
    async (path) => {
      await using backend = await MockCodebuffBackend.start({ agents });
      expect(await answerTo(backend, `GET /api/v1/agents/${path}`)).toEqual({
        status: 404,
        body: { error: "Agent not found" },
      });
    },
  );

  test("returns a higher version at each fetch of latest, with agentsLatestChanges", async () => {
    await using backend = await MockCodebuffBackend.start({ agents, agentsLatestChanges: true });
    const versions: unknown[] = [];
    for (const version of ["latest", "latest", "1.2.9", "latest"]) {
      const { body } = await call(backend, `GET /api/v1/agents/acme/helper/${version}`);
      versions.push((body as { version: string }).version);
    }
    expect(versions).toEqual(["1.2.9", "1.2.10", "1.2.9", "1.2.11"]);
  });

  test("serves agents that were set after the start, and counts them in healthz", async () => {
    await using backend = await MockCodebuffBackend.start();
    backend.set({ agents });
    expect((await call(backend, "GET /api/v1/agents/codebuff/base/latest")).status).toBe(200);
    expect((await call(backend, "GET /api/healthz", { key: null })).body).toEqual({
      status: "ok",
      cached_agents: 3,
      timestamp: stamp,
    });
  });
});

describe("searches", () => {
  const WEB = "POST /api/v1/web-search";
  const DOCS = "POST /api/v1/docs-search";
  const options: MockCodebuffBackendOptions = {
    webSearch: ({ query, depth }) => (query === "no" ? null : `${query} ${depth}`),
    docsSearch: ({ libraryTitle, topic, maxTokens }) =>
      libraryTitle === "no" ? null : `${libraryTitle} ${topic} ${maxTokens}`,
  };

  test.each([
    [WEB, { query: "cats", depth: "deep" }, 200, { result: "cats deep", creditsUsed: 1 }],
    [WEB, { query: "cats" }, 200, { result: "cats standard", creditsUsed: 1 }],
    [WEB, { query: "no", depth: "deep" }, 200, { error: 'No search results found for "no"' }],
    [WEB, {}, 400, { error: "Invalid request body", details: { query: expect.any(String) } }],
    [DOCS, { libraryTitle: "ws" }, 200, { documentation: "ws undefined undefined", creditsUsed: 1 }],
    [
      DOCS,
      { libraryTitle: "ws", topic: "ping", maxTokens: 9 },
      200,
      { documentation: "ws ping 9", creditsUsed: 1 },
    ],
    [DOCS, { libraryTitle: "no" }, 200, { error: 'No documentation found for "no"' }],
    [
      DOCS,
      { libraryTitle: "" },
      400,
      { error: "Invalid request body", details: { libraryTitle: expect.any(String) } },
    ],
    [WEB, "{", 400, { error: "Invalid JSON in request body" }],
  ])("%s with %j is answered with %i", async (route, body, status, answer) => {
    await using backend = await MockCodebuffBackend.start(options);
    expect(await answerTo(backend, route, { body })).toEqual({ status, body: answer });
  });

  test("require credits", async () => {
    await using backend = await MockCodebuffBackend.start({ ...options, balance: 0 });
    expect(await answerTo(backend, WEB, { body: { query: "cats" } })).toEqual({
      status: 402,
      body: { message: "Insufficient credits", totalRemaining: 0, required: 1, nextQuotaReset: stamp },
    });
  });
});

test.each([
  "GET /",
  "GET /api/v1/agent-runs",
  "POST /api/v1/me",
  "PUT /api/v1/chat/completions",
  "POST /v1/chat/completions",
])("%s is an unknown route", async (route) => {
  await using backend = await MockCodebuffBackend.start();
  const body = route.startsWith("GET") ? undefined : {};
  expect(await answerTo(backend, route, { body })).toEqual({ status: 404, body: { error: "Not found" } });
  expect(backend.requests()).toMatchObject([{ endpoint: undefined, response: { status: 404 } }]);
  expect(backend.violations).toMatchObject([{ kind: "unknown-route", detail: route }]);
});

describe("recorded requests", () => {
  test("can be filtered by each of their fields", async () => {
    await using backend = await MockCodebuffBackend.start({ users: [{ key: "a" }, { key: "b" }] });
    const one = await start(backend);
    const two = await start(backend, "x", { key: "b" });
    await chat(backend, one);
    await finish(backend, two, {}, { key: "b" });
    await call(backend, "GET /api/v1/me?fields=x");
    const ids = (filter: Parameters<typeof backend.requests>[0]) =>
      backend.requests(filter).map(({ id }) => id);
    expect(ids({})).toEqual([1, 2, 3, 4, 5]);
    expect(ids({ endpoint: "agent-runs" })).toEqual([1, 2, 4]);
    expect(ids({ action: "FINISH" })).toEqual([4]);
    expect(ids({ runId: one })).toEqual([1, 3]);
    expect(ids({ userId: "user-2" })).toEqual([2, 4]);
    expect(ids({ method: "GET" })).toEqual([5]);
    expect(ids({ status: 400 })).toEqual([5]);
    expect(ids({ state: "answered", endpoint: "chat" })).toEqual([3]);
    expect(ids({ state: "open" })).toEqual([]);
  });

  test("contain the answer with its body and headers", async () => {
    await using backend = await MockCodebuffBackend.start();
    await call(backend, "GET /api/v1/me?fields=id");
    expect(backend.requests()[0]).toMatchObject({
      id: 1,
      endpoint: "me",
      method: "GET",
      path: "/api/v1/me?fields=id",
      text: "",
      body: undefined,
      userId: "user-1",
      runId: null,
      state: "answered",
      response: {
        status: 200,
        headers: { "content-type": "application/json" },
        body: { id: "user-1" },
        frames: ['{"id":"user-1"}'],
      },
    });
  });

  test("are cleared by reset(), which keeps users and switches and restarts the script", async () => {
    await using backend = await MockCodebuffBackend.start({ answer: ["only"], tokenCount: 5 });
    backend.addUser({ key: "b" });
    backend.fault("me", { status: 503 });
    const runId = await start(backend);
    await chat(backend, runId);
    expect((await chat(backend, runId)).said).toBe("The script has ended.");
    await call(backend, "GET /nowhere");
    backend.reset();
    expect([backend.requests(), backend.runs(), backend.violations]).toEqual([[], [], []]);
    expect(backend.scriptExhausted).toBe(false);
    expect((await call(backend, "GET /api/v1/me", { key: "b" })).body).toEqual({ id: "user-2" });
    expect(backend.requests()[0]?.id).toBe(1);
    const again = await chat(backend, await start(backend));
    expect(again).toMatchObject({ said: "only", frames: [{ id: "gen-1" }, {}, {}, {}] });
    expect((await call(backend, "POST /api/v1/token-count", { body: { messages: [] } })).body).toEqual({
      inputTokens: 5,
    });
  });
});
