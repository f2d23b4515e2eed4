import { readFile } from "node:fs/promises";
import { type BackendAnswer, MockCodebuffBackend, type MockCodebuffBackendOptions } from "agentwire/testing";
import { expect, test } from "vitest";
import { call, type Frame, hear } from "./codebuff-backend-raw-client.ts";

/** What the real SDK sent, and what a stand-in of the backend answered. */
interface Captured {
  readonly id: number;
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly answer: { readonly status: number; readonly body?: unknown; readonly sse?: readonly string[] };
}

async function read(name: string): Promise<readonly Captured[]> {
  const file = new URL(`../fixtures/codebuff-run/${name}.http.jsonl`, import.meta.url);
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  const all = lines.map((line) => JSON.parse(line));
  return all
    .filter(({ dir }) => dir === "req")
    .map((request) => ({
      ...request,
      answer: all.find(({ id, dir }) => id === request.id && dir === "res"),
    }));
}

/** The answer of the model that made a captured stream. */
function scripted(sse: readonly string[]): BackendAnswer {
  const { frames, calls, finish, usage } = hear(sse.join(""));
  const pieces = (name: "content" | "reasoning") =>
    frames.flatMap(({ choices }) => choices[0]?.delta[name] || []);
  return {
    reasoning: pieces("reasoning"),
    text: pieces("content"),
    toolCalls: calls.map((call) => ({ name: call.name, rawArguments: call.arguments })),
    ...(finish !== undefined && { finish }),
    usage: { cost: Number(usage?.["cost"]) },
  };
}

/** The frames of a stream, with the fragments of each tool call joined. */
function joined(frames: readonly Frame[]): readonly unknown[] {
  const result: Frame[] = [];
  for (const frame of frames) {
    const [before, now] = [result.at(-1), frame].map((one) => one?.choices[0]?.delta.tool_calls?.[0]);
    const isNext = before && now && before.function.name === undefined && before.index === now.index;
    if (!isNext) result.push(structuredClone(frame));
    else
      Object.assign(before.function, { arguments: `${before.function.arguments}${now.function.arguments}` });
  }
  return result;
}

/** Without what differs from server to server: ids and times. */
function steady(body: unknown): unknown {
  const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
  const time = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
  return JSON.parse(
    JSON.stringify(body ?? null)
      .replace(uuid, "UUID")
      .replace(time, "TIME")
      .replace(/gen-\d+/g, "gen"),
  );
}

const FREE = { country: "XX" };

test.each<[string, MockCodebuffBackendOptions]>([
  ["01-text-only", { agents: { tester: {} } }],
  ["02-tools-local", {}],
  ["03-previous-run", {}],
  ["aug2026-02-tools-local", {}],
  ["20-err-me-401", { users: [] }],
  ["20-err-chat-402", { balance: 0 }],
  ["20-err-chat-429-ratelimit", { quota: "weekly" }],
  ["aug2026-20-err-chat-402", { balance: 0 }],
  ["aug2026-20-err-chat-403-freemode", FREE],
])("the mock answers requests of the real SDK as captured: %s", async (name, options) => {
  const captured = await read(name);
  const keys = captured
    .flatMap(({ headers }) => [
      headers["authorization"]?.slice("Bearer ".length),
      headers["x-codebuff-api-key"],
    ])
    .filter((key) => key !== undefined);
  const users = options.users ?? [...new Set(keys)].map((key) => ({ key }));
  const answers = captured.flatMap(({ answer: { sse } }) => (sse ? [scripted(sse)] : []));
  let asked = 0;
  await using backend = await MockCodebuffBackend.start({
    ...options,
    users,
    answer: () => answers[asked++] ?? "none",
  });
  const runs = new Map<string, string>();
  const withRuns = (text: string) => {
    let changed = text;
    for (const [before, now] of runs) changed = changed.replaceAll(before, now);
    return changed;
  };
  for (const { method, path, query = "", headers, body, answer } of captured) {
    const answered = await call(backend, `${method} ${withRuns(path)}${query}`, {
      key: null,
      headers,
      ...(body !== undefined && { body: withRuns(JSON.stringify(body)) }),
    });
    expect(answered.status).toBe(answer.status);
    if (answer.sse) {
      const [theirs, ours] = [hear(answer.sse.join("")), hear(answered.text)];
      expect(steady(joined(ours.frames))).toEqual(steady(joined(theirs.frames)));
      expect(steady(ours.comments)).toEqual(steady(theirs.comments));
      expect(ours.done).toBe(theirs.done);
    } else expect(steady(answered.body)).toEqual(steady(answer.body));
    const [theirRun, ourRun] = [answer.body, answered.body].map(
      (one) => (one as { runId?: string } | undefined)?.runId,
    );
    if (theirRun && ourRun) runs.set(theirRun, ourRun);
  }
  expect(backend.runs().every(({ finish }) => finish !== undefined)).toBe(true);
  // The real SDK posts its bookkeeping as text, and makes no other mistake here.
  expect(new Set(backend.violations.map(({ kind }) => kind))).toEqual(
    new Set(backend.runs().length > 0 ? ["content-type"] : []),
  );
});
