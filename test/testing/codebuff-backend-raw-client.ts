import type { MockCodebuffBackend } from "agentwire/testing";

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON of the body; undefined for what is none. */
  readonly body: unknown;
}

export interface CallOptions {
  /** A string is sent as it is. */
  readonly body?: unknown;
  /** Null for no key. @default the first user's */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Sends one request, such as `POST /api/v1/agent-runs`, and gives the response as soon as it begins. */
export function send(
  backend: MockCodebuffBackend,
  route: string,
  options: CallOptions = {},
): Promise<Response> {
  const [method = "GET", path = "/"] = route.split(" ");
  const { body, key = backend.apiKey, headers, signal } = options;
  return fetch(`${backend.url}${path}`, {
    method,
    redirect: "manual",
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  });
}

/** Sends one request, and reads the whole answer. */
export async function call(
  backend: MockCodebuffBackend,
  route: string,
  options: CallOptions = {},
): Promise<Answered> {
  const response = await send(backend, route, options);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: jsonOf(text) };
}

/** Starts a run. */
export async function start(
  backend: MockCodebuffBackend,
  agentId = "tester",
  options: CallOptions & { readonly ancestorRunIds?: readonly string[] } = {},
): Promise<string> {
  const { ancestorRunIds = [], ...rest } = options;
  const { body } = await call(backend, "POST /api/v1/agent-runs", {
    body: { action: "START", agentId, ancestorRunIds },
    ...rest,
  });
  return (body as { runId: string }).runId;
}

export function finish(
  backend: MockCodebuffBackend,
  runId: string,
  fields: object = {},
  options: CallOptions = {},
): Promise<Answered> {
  const totals = { status: "completed", totalSteps: 2, directCredits: 0, totalCredits: 0 };
  return call(backend, "POST /api/v1/agent-runs", {
    body: { action: "FINISH", runId, ...totals, ...fields },
    ...options,
  });
}

export const CHAT = "POST /api/v1/chat/completions";

/** The body of a chat call. */
export function chatBody(
  runId: unknown,
  { metadata, ...fields }: { readonly metadata?: object; readonly [name: string]: unknown } = {},
): object {
  return {
    model: "openai/gpt-5-mini",
    stream: true,
    codebuff_metadata: { run_id: runId, client_id: "client-1", cost_mode: "normal", ...metadata },
    messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
    ...fields,
  };
}

/** What a stream held. */
export interface Heard {
  readonly comments: readonly string[];
  readonly frames: readonly Frame[];
  readonly done: boolean;
  /** `delta.content`, joined. */
  readonly said: string;
  readonly reasoning: string;
  readonly calls: readonly {
    readonly id: string | undefined;
    readonly name: string;
    readonly arguments: string;
  }[];
  readonly finish: string | undefined;
  readonly usage: Record<string, unknown> | undefined;
}

export interface Frame {
  readonly id: string;
  readonly choices: readonly {
    readonly index: number;
    readonly delta: {
      readonly content?: string;
      readonly reasoning?: string;
      readonly tool_calls?: readonly {
        readonly index: number;
        readonly id?: string;
        readonly function: { readonly name?: string; readonly arguments?: string };
      }[];
    };
    readonly finish_reason: string | null;
  }[];
  readonly usage?: Record<string, unknown>;
  readonly error?: object;
}

/** Reads the text of a stream. Frames that are no JSON are left out. */
export function hear(stream: string): Heard {
  const lines = stream.split(/\r\n|\n|\r/);
  const comments = lines.filter((line) => line.startsWith(":")).map((line) => line.slice(2));
  const blocks: string[] = [];
  let data: string[] = [];
  for (const line of lines) {
    if (line.startsWith("data: ")) data.push(line.slice(6));
    if (line !== "" || data.length === 0) continue;
    blocks.push(data.join("\n"));
    data = [];
  }
  const frames = blocks.map(jsonOf).filter((json) => json !== undefined) as Frame[];
  const choices = frames.flatMap((frame) => frame.choices ?? []).filter(({ index }) => index === 0);
  const fragments = choices.flatMap(({ delta }) => delta.tool_calls ?? []);
  const calls = fragments
    .filter((fragment) => fragment.function.name !== undefined)
    .map(({ index, id, function: { name = "" } }) => ({
      id,
      name,
      arguments: fragments
        .filter((fragment) => fragment.index === index)
        .map((fragment) => fragment.function.arguments ?? "")
        .join(""),
    }));
  return {
    comments,
    frames,
    done: blocks.includes("[DONE]"),
    said: choices.map(({ delta }) => delta.content ?? "").join(""),
    reasoning: choices.map(({ delta }) => delta.reasoning ?? "").join(""),
    calls,
    finish: choices.find(({ finish_reason }) => finish_reason !== null)?.finish_reason ?? undefined,
    usage: frames.find(({ usage }) => usage !== undefined)?.usage,
  };
}

/** One chat call of a run, with what the stream held. */
export async function chat(
  backend: MockCodebuffBackend,
  runId: string,
  fields: Parameters<typeof chatBody>[1] = {},
  options: CallOptions = {},
): Promise<Answered & Heard> {
  const answered = await call(backend, CHAT, { body: chatBody(runId, fields), ...options });
  return { ...hear(answered.text), ...answered };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
