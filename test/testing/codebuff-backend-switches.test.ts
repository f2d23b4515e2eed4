import { request as httpRequest } from "node:http";
import { gunzipSync } from "node:zlib";
import {
  type BackendAnswer,
  type BackendSse,
  ManualClock,
  MockCodebuffBackend,
  type MockCodebuffBackendOptions,
} from "agentwire/testing";
import { describe, expect, test } from "vitest";
import {
  type Answered,
  CHAT,
  call,
  chat,
  chatBody,
  finish,
  type Heard,
  hear,
  send,
  start,
} from "./codebuff-backend-raw-client.ts";

const ANSWER: BackendAnswer = { text: ["Hello ", "\u{1F600}"], toolCalls: [{ name: "t" }, { name: "u" }] };

/** What one chat call gets, with switches of the stream. */
async function heard(sse: BackendSse, answer: BackendAnswer = ANSWER): Promise<Answered & Heard> {
  await using backend = await MockCodebuffBackend.start({ answer: [answer], sse });
  return await chat(backend, await start(backend));
}

/** What has come of a chat call until its body ended or broke. */
async function untilBroken(options: MockCodebuffBackendOptions) {
  await using backend = await MockCodebuffBackend.start({ answer: [ANSWER], ...options });
  const response = await send(backend, CHAT, { body: chatBody(await start(backend)) });
  const pieces: Uint8Array[] = [];
  let failed = false;
  try {
    for await (const piece of response.body ?? []) pieces.push(piece);
  } catch {
    failed = true;
  }
  const text = Buffer.concat(pieces).toString();
  return { text, failed, ...hear(text), request: backend.requests({ endpoint: "chat" })[0] };
}

/** The pieces of the body of one chat call, as they are on the wire: `fetch` joins what it has not read yet. */
async function readPieces(backend: MockCodebuffBackend, route = CHAT): Promise<readonly Buffer[]> {
  const body = chatBody(await start(backend));
  const request = httpRequest(new URL(route.split(" ")[1] ?? "", backend.url), {
    method: "POST",
    headers: { authorization: `Bearer ${backend.apiKey}`, "content-type": "application/json" },
  });
  request.end(JSON.stringify(body));
  const pieces: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    request.on("error", reject);
    request.on("response", (response) => {
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("end", resolve);
      response.on("error", reject);
    });
  });
  return pieces;
}

const usual = await heard({});

describe("framing", () => {
  test("sends each frame separately", async () => {
    await using backend = await MockCodebuffBackend.start({ answer: [ANSWER] });
    const pieces = (await readPieces(backend)).map(String);
    expect(pieces).toEqual(backend.requests({ endpoint: "chat" })[0]?.response?.frames);
  });

  test("chunkBytes splits frames, even within a character", async () => {
    await using backend = await MockCodebuffBackend.start({ answer: [ANSWER], sse: { chunkBytes: 1 } });
    const pieces = await readPieces(backend);
    expect(new Set(pieces.map(({ length }) => length))).toEqual(new Set([1]));
    expect(hear(Buffer.concat(pieces).toString())).toMatchObject({ said: "Hello \u{1F600}", done: true });
  });

  test.each([
    ["crlf", "\r\n"],
    ["cr", "\r"],
  ] as const)("%s sets the line ending to %j", async (name, end) => {
    const { text, ...rest } = await heard({ [name]: true });
    expect(
      text
        .split(end)
        .join("")
        .match(/[\r\n]/),
    ).toBeNull();
    expect(rest).toMatchObject({ said: usual.said, calls: usual.calls, done: true });
    expect(rest.frames).toHaveLength(usual.frames.length);
  });

  test("a comment with the time comes first, in the same block as the first frame", () => {
    expect(usual.text).toMatch(/^: connected \d{4}-\d\d-\d\dT[\d:.]+Z\ndata: \{/);
  });

  test("noConnected omits the first comment", async () => {
    expect((await heard({ noConnected: true })).text).toMatch(/^data: \{/);
  });

  test("multiData writes a frame's JSON on several lines", async () => {
    const { text, frames } = await heard({ multiData: true });
    expect(text).toContain('data: {\ndata:  "id": "gen-1",\n');
    expect(frames).toEqual(usual.frames);
  });

  test.each([
    ["every 30 s", {}, 30_000],
    ["every `heartbeatMs`", { heartbeatMs: 100 }, 100],
  ])("a heartbeat is sent %s", async (_title, sse, ms) => {
    const clock = new ManualClock({ epoch: Date.UTC(2026, 2, 14, 10) });
    const answer = [{ text: ["a", new Promise(() => {})] }];
    await using backend = await MockCodebuffBackend.start({ clock, answer, sse });
    const leaving = new AbortController();
    const body = chatBody(await start(backend));
    const response = await send(backend, CHAT, { body, signal: leaving.signal });
    const frames = () => backend.requests({ endpoint: "chat" })[0]?.response?.frames ?? [];
    await backend.waitFor(() => frames().length === 3);
    await clock.advance(ms - 1);
    expect(frames()).toHaveLength(3);
    await clock.advance(1 + ms);
    await backend.waitFor(() => frames().length === 5);
    expect(frames().slice(3)).toEqual(
      [1, 2].map(
        (beat) => `: heartbeat ${new Date(Date.UTC(2026, 2, 14, 10) + beat * ms).toISOString()}\n\n`,
      ),
    );
    leaving.abort();
    await expect(response.text()).rejects.toThrow();
    await backend.waitFor(() => backend.requests({ state: "disconnected" })[0]);
    expect(clock.pending).toBe(0);
  });

  test("no heartbeat is sent with 0 or after the end", async () => {
    const clock = new ManualClock();
    await using backend = await MockCodebuffBackend.start({ clock, answer: ["a", "b"] });
    const runId = await start(backend);
    await chat(backend, runId);
    expect(clock.pending).toBe(0);
    backend.set({ sse: { heartbeatMs: 0 } });
    await chat(backend, runId);
    expect(clock.pending).toBe(0);
  });
});

describe("content", () => {
  test("noDone omits [DONE]", async () => {
    expect(await heard({ noDone: true })).toMatchObject({
      done: false,
      finish: "tool_calls",
      said: usual.said,
    });
  });

  test("noFinish omits the finish_reason", async () => {
    const { finish, done, usage } = await heard({ noFinish: true });
    expect({ finish, done }).toEqual({ finish: undefined, done: true });
    expect(usage).toEqual(usual.usage);
  });

  test("noUsage omits the usage, also from an unstreamed answer", async () => {
    expect((await heard({ noUsage: true })).usage).toBeUndefined();
    expect((await heard({ noUsage: true, usageOnFinish: true })).usage).toBeUndefined();
    const { body } = await heard({ noUsage: true, asJson: true });
    expect(body).not.toHaveProperty("usage");
  });

  test("usageOnFinish puts the usage on the frame with the finish_reason", async () => {
    const { frames, usage } = await heard({ usageOnFinish: true });
    expect(frames.at(-1)).toMatchObject({ choices: [{ finish_reason: "tool_calls" }], usage });
    expect(frames).toHaveLength(usual.frames.length - 1);
    expect((await heard({ usageOnFinish: true, noFinish: true })).usage).toEqual(usage);
  });

  test("noToolIds omits the ids of tool calls", async () => {
    expect((await heard({ noToolIds: true })).calls.map(({ id }) => id)).toEqual([undefined, undefined]);
  });

  test("repeatToolIds gives all tool calls the same id", async () => {
    expect((await heard({ repeatToolIds: true })).calls.map(({ id }) => id)).toEqual(["call_0", "call_0"]);
  });

  test("emptyChoices sends a frame without choices", async () => {
    const { frames, said } = await heard({ emptyChoices: true });
    expect(frames[1]).toMatchObject({ id: "gen-1", choices: [] });
    expect(said).toBe(usual.said);
  });

  test("extraChoice adds texts of another choice", async () => {
    const { frames, said } = await heard({ extraChoice: true });
    expect(frames.map(({ choices }) => choices[0]?.index).slice(0, 5)).toEqual([0, 0, 1, 0, 1]);
    expect(said).toBe(usual.said);
  });
});

describe("stream faults", () => {
  test.each([0, 1, 3])("cutAfter %i ends the connection after this number of frames", async (cutAfter) => {
    const { failed, frames, done, request, comments } = await untilBroken({ sse: { cutAfter } });
    expect({ failed, done }).toEqual({ failed: true, done: false });
    expect(frames).toHaveLength(cutAfter);
    expect(comments).toHaveLength(1);
    expect(request).toMatchObject({ state: "cut", response: { status: 200 } });
  });

  test.each([0, 1, 3])("endAfter %i ends the body after this number of frames", async (endAfter) => {
    const { failed, frames, done, request } = await untilBroken({ sse: { endAfter } });
    expect({ failed, done }).toEqual({ failed: false, done: false });
    expect(frames).toHaveLength(endAfter);
    expect(request?.state).toBe("answered");
  });

  test("a fault after the last frame follows [DONE]", async () => {
    const count = usual.frames.length + 1;
    expect(await untilBroken({ sse: { cutAfter: count } })).toMatchObject({ failed: true, done: true });
    expect(await untilBroken({ sse: { cutAfter: count + 1 } })).toMatchObject({ failed: false, done: true });
  });

  test("errorAfter sends an error and ends the body", async () => {
    const { failed, frames, done } = await untilBroken({ sse: { errorAfter: 2 } });
    expect({ failed, done }).toEqual({ failed: false, done: false });
    expect(frames).toHaveLength(3);
    expect(frames[2]).toEqual({
      error: { message: "Provider returned error", code: 502, type: null, param: null, metadata: {} },
    });
  });

  test("badJsonAfter sends a frame with invalid JSON, and the stream continues", async () => {
    const { text, said, done } = await untilBroken({ sse: { badJsonAfter: 2 } });
    const blocks = text.split("\n\n");
    expect(() => JSON.parse(blocks[2]?.slice(6) ?? "{}")).toThrow();
    expect({ said, done }).toEqual({ said: usual.said, done: true });
  });

  test("stallAfter sends nothing more, not even heartbeats, until the client leaves", async () => {
    const clock = new ManualClock();
    await using backend = await MockCodebuffBackend.start({
      clock,
      answer: [ANSWER],
      sse: { stallAfter: 2 },
    });
    const leaving = new AbortController();
    const body = chatBody(await start(backend));
    const response = await send(backend, CHAT, { body, signal: leaving.signal });
    const request = await backend.waitFor(() =>
      backend.requests({ endpoint: "chat" }).find(({ response }) => response?.frames.length === 3),
    );
    await backend.waitFor(() => clock.pending === 0);
    await clock.advance(3_600_000);
    expect(request.response?.frames).toHaveLength(3);
    leaving.abort();
    await expect(response.text()).rejects.toThrow();
    await backend.waitFor(() => backend.requests({ state: "disconnected" })[0]);
  });

  test("an answer's fault overrides the server's", async () => {
    await using backend = await MockCodebuffBackend.start({
      answer: [{ text: "a", sse: { endAfter: 1, crlf: false } }, "b"],
      sse: { crlf: true },
    });
    const runId = await start(backend);
    const [first, second] = [await chat(backend, runId), await chat(backend, runId)];
    expect(first.frames).toHaveLength(1);
    expect(first.text).not.toContain("\r");
    expect(second.text).toContain("\r\n");
    expect(second.said).toBe("b");
  });
});

describe("answers that are not streamed", () => {
  test("asJson sends one JSON object", async () => {
    const { status, headers, body } = await heard({ asJson: true });
    expect([status, headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(body).toMatchObject({
      object: "chat.completion",
      choices: [{ message: { content: usual.said, tool_calls: [{ id: "call_0" }, { id: "call_1" }] } }],
    });
  });

  test("html502 sends a gateway's HTML page", async () => {
    const { status, headers, text } = await heard({ html502: true });
    expect([status, headers.get("content-type")]).toEqual([502, "text/html"]);
    expect(text).toMatch(/^<html>/);
  });

  test("only an answer's html502 and redirect use up an answer of the script, not the server's", async () => {
    const answer = [{ sse: { html502: true } }, "two"];
    await using backend = await MockCodebuffBackend.start({ answer, sse: { html502: true } });
    const runId = await start(backend);
    expect((await chat(backend, runId)).status).toBe(502);
    backend.set({ sse: { redirect: "http://other.example" } });
    expect((await chat(backend, runId)).status).toBe(307);
    expect(backend.runs()[0]?.chatCalls).toBe(0);
    backend.set({ sse: {} });
    expect((await chat(backend, runId)).status).toBe(502);
    expect((await chat(backend, runId)).said).toBe("two");
  });

  test("redirect sends the client to another origin", async () => {
    const { status, headers } = await heard({ redirect: "http://other.example:8080" });
    expect([status, headers.get("location")]).toEqual([
      307,
      "http://other.example:8080/api/v1/chat/completions",
    ]);
  });

  test("gzip compresses the stream, frame by frame", async () => {
    await using backend = await MockCodebuffBackend.start({
      answer: () => ({ ...ANSWER, parts: [() => gate] }),
      sse: { gzip: true },
    });
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const response = await send(backend, CHAT, { body: chatBody(await start(backend)) });
    expect(response.headers.get("content-encoding")).toBe("gzip");
    const decoder = new TextDecoder();
    let text = "";
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece, { stream: true });
      // Everything before the gate can be read while the stream is held there.
      if (hear(text).calls.length === 2) open();
    }
    expect(hear(text)).toMatchObject({ said: usual.said, done: true });
  });

  test("gzip is applied even if the client does not ask for it", async () => {
    await using backend = await MockCodebuffBackend.start({ openAiCompatible: true, sse: { gzip: true } });
    const pieces = await readPieces(backend, "POST /v1/chat/completions");
    expect(hear(gunzipSync(Buffer.concat(pieces)).toString()).said).toBe("Hello!");
  });
});

describe("other switches", () => {
  test("noRunId answers START without a runId", async () => {
    await using backend = await MockCodebuffBackend.start({ noRunId: true });
    const { status, body } = await call(backend, "POST /api/v1/agent-runs", {
      body: { action: "START", agentId: "a", ancestorRunIds: [] },
    });
    expect({ status, body }).toEqual({ status: 200, body: {} });
  });

  test("finishSlowMs delays the answer to FINISH, but not to START", async () => {
    const clock = new ManualClock();
    await using backend = await MockCodebuffBackend.start({ clock, finishSlowMs: 5_000 });
    const answer = finish(backend, await start(backend));
    await backend.waitFor(() => clock.pending === 1);
    expect(backend.runs()[0]?.status).toBe("completed");
    await clock.advance(4_999);
    expect(backend.requests({ action: "FINISH", state: "open" })).toHaveLength(1);
    await clock.advance(1);
    expect((await answer).body).toEqual({ success: true });
  });

  test("switches can be changed, and a group is replaced as a whole", async () => {
    await using backend = await MockCodebuffBackend.start({ answer: () => "a", sse: { noDone: true } });
    const runId = await start(backend);
    expect((await chat(backend, runId)).done).toBe(false);
    backend.set({ sse: { noUsage: true } });
    expect(await chat(backend, runId)).toMatchObject({ done: true, usage: undefined });
    backend.set({ sse: {} });
    expect((await chat(backend, runId)).usage).toBeDefined();
  });
});
