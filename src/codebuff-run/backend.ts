import { isObject } from "../core/checks.ts";
import type { Clock } from "../core/clock.ts";
import { bytesOf, parsed } from "../core/http/answer.ts";
import { type Answer, chunkOfCompletion, type Piece } from "./answer.ts";
import { CodebuffRunError } from "./errors.ts";
import { DONE, eventsOf } from "./event-stream.ts";
import type { Http, HttpCall, Opened } from "./http.ts";
import { type ChatRequest, readChatMessage } from "./messages.ts";
import { Watch } from "./watch.ts";

/** ms for a call that a run cannot do without. */
const CALL_TIMEOUT = 30_000;

/** ms for a call that a run can do without. */
const SHORT_TIMEOUT = 5_000;

/** ms for the last call of a cancelled run: nobody waits longer for what was cancelled. */
const CANCELLED_TIMEOUT = 1_000;

/** Characters of `errorMessage` in the record of a run. */
const MAX_ERROR = 2_000;

/** The record of one step. */
export interface StepRecord {
  readonly stepNumber: number;
  readonly credits: number;
  readonly childRunIds: readonly string[];
  readonly messageId: string | null;
  readonly status: "completed";
  readonly startTime: string;
  readonly errorMessage?: string;
}

export interface FinishRecord {
  readonly runId: string;
  readonly status: "completed" | "failed" | "cancelled";
  readonly totalSteps: number;
  readonly directCredits: number;
  readonly totalCredits: number;
  readonly errorMessage?: string;
  /** With `stepReporting: "batch"`. */
  readonly steps?: readonly (StepRecord & { readonly id: string })[];
}

/** How an answer of a model is received. */
export interface Receiver {
  readonly answer: Answer;
  readonly tell: (piece: Piece) => void;
  /** Waits while the reader of the turn is slow. `undefined`: it is not. */
  readonly slowed: () => Promise<void> | undefined;
}

export interface BackendSetup {
  readonly http: Http;
  readonly clock: Clock;
  readonly apiKey: string;
  /** ms without a byte of a model's answer; 0: no limit. */
  readonly streamTimeout: number;
}

/** The routes of the Codebuff backend. */
export class Backend {
  readonly #setup: BackendSetup;
  #user: Promise<void> | undefined;

  constructor(setup: BackendSetup) {
    this.#setup = setup;
  }

  /** Whether the server says that it is well. Never rejects. */
  async isHealthy(): Promise<boolean> {
    try {
      const answer = await this.#call({ method: "GET", path: "/api/healthz", timeout: SHORT_TIMEOUT });
      return isObject(answer) && answer["status"] === "ok";
    } catch {
      return false; // the question is just that
    }
  }

  /** Checks the API key: once for all runs, until a key is refused. */
  user(signal: AbortSignal): Promise<void> {
    this.#user ??= this.#askUser();
    return abortable(this.#user, signal);
  }

  /** The key was refused: the next run asks again. */
  forgetUser(): void {
    this.#user = undefined;
  }

  async #askUser(): Promise<void> {
    try {
      const path = "/api/v1/me?fields=id";
      const answer = await this.#call({
        method: "GET",
        path,
        timeout: CALL_TIMEOUT,
        isRepeated: true,
        isAccount: true,
      });
      if (isObject(answer) && typeof answer["id"] === "string") return;
      const message = `GET ${path}: the answer has no \`id\``;
      throw new CodebuffRunError({ kind: "protocol_error", message });
    } catch (error) {
      this.#user = undefined;
      throw error;
    }
  }

  /** The registry's record of an agent; `undefined` if there is none. */
  async agent(path: string, signal: AbortSignal): Promise<unknown> {
    try {
      return await this.#call({
        method: "GET",
        path: `/api/v1/agents/${path}`,
        timeout: CALL_TIMEOUT,
        isRepeated: true,
        signal,
      });
    } catch (error) {
      if (error instanceof CodebuffRunError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** Begins the record of a run. Returns its id. */
  async start(agentId: string, ancestorRunIds: readonly string[], signal: AbortSignal): Promise<string> {
    const answer = await this.#call({
      method: "POST",
      path: "/api/v1/agent-runs",
      body: { action: "START", agentId, ancestorRunIds },
      timeout: CALL_TIMEOUT,
      isRepeated: true,
      isAccount: true,
      signal,
    });
    const runId = isObject(answer) ? answer["runId"] : undefined;
    if (typeof runId === "string" && runId !== "") return runId;
    throw new CodebuffRunError({ kind: "start_failed", message: "the server gave the run no `runId`" });
  }

  async step(runId: string, record: StepRecord, signal: AbortSignal): Promise<void> {
    const path = `/api/v1/agent-runs/${encodeURIComponent(runId)}/steps`;
    await this.#call({
      method: "POST",
      path,
      body: cut(record),
      timeout: CALL_TIMEOUT,
      isAccount: true,
      signal,
    });
  }

  async finish(record: FinishRecord): Promise<void> {
    await this.#call({
      method: "POST",
      path: "/api/v1/agent-runs",
      body: { action: "FINISH", ...cut(record) },
      timeout: record.status === "cancelled" ? CANCELLED_TIMEOUT : SHORT_TIMEOUT,
      isAccount: true,
    });
  }

  /** The tokens of a history; `undefined` if the server does not count them. */
  async tokens(body: object, signal: AbortSignal): Promise<number | undefined> {
    const answer = await this.#call({
      method: "POST",
      path: "/api/v1/token-count",
      body,
      headers: { "x-codebuff-api-key": this.#setup.apiKey },
      timeout: SHORT_TIMEOUT,
      signal,
    });
    const count = isObject(answer) ? answer["inputTokens"] : undefined;
    return typeof count === "number" && Number.isFinite(count) && count >= 0 ? count : undefined;
  }

  /** Asks a model, and receives its answer. Another try follows only before the first byte of an answer. */
  async chat(
    request: ChatRequest,
    receiver: Receiver,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<void> {
    const { http, clock, streamTimeout } = this.#setup;
    let hasBegun = false;
    await http.insist(
      true,
      signal,
      async () => {
        const watch = new Watch(clock, streamTimeout, signal);
        try {
          const opened = await watch.wait(http.open(chatCall(request, headers), watch.signal));
          await receive(opened, receiver, watch, () => {
            hasBegun = true;
          });
        } finally {
          watch.end();
        }
      },
      () => hasBegun,
    );
  }

  /** Asks a model for `n` texts at once. */
  async drafts(
    request: ChatRequest,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const answer = await this.#call({ ...chatCall(request, headers), isRepeated: true, signal });
    const read = readChatMessage(chunkOfCompletion(answer));
    const text = read.type === "chunk" ? read.chunk.choices?.[0]?.delta?.content : undefined;
    const texts = text == null ? undefined : parsedData(text);
    if (Array.isArray(texts) && texts.every((each) => typeof each === "string")) return texts;
    throw new CodebuffRunError({ kind: "protocol_error", message: "the answer holds no list of texts" });
  }

  #call(call: Omit<HttpCall, "isRepeated"> & { readonly isRepeated?: boolean }): Promise<unknown> {
    return this.#setup.http.call({ isRepeated: false, ...call });
  }
}

function chatCall(request: ChatRequest, headers: Readonly<Record<string, string>>): HttpCall {
  return {
    method: "POST",
    path: "/api/v1/chat/completions",
    body: request,
    headers,
    timeout: 0,
    isRepeated: true,
  };
}

/** Receives an answer in either of two forms: a stream, or one JSON object. */
export async function receive(
  { response, reading }: Opened,
  receiver: Receiver,
  watch: Watch,
  began: () => void,
): Promise<void> {
  const { answer, tell, slowed } = receiver;
  const type = response.headers.get("content-type") ?? "";
  if (/^\s*text\/html\b/i.test(type))
    throw new CodebuffRunError({
      kind: "protocol_error",
      message: `${reading.what}: the answer is a web page`,
    });
  if (/^\s*application\/(?:[\w.-]+\+)?json\b/i.test(type)) {
    const body = parsed(await watch.wait(bytesOf(response, reading)));
    began();
    take(body === undefined ? undefined : chunkOfCompletion(body), answer, tell);
    answer.isDone = true;
    answer.end(tell);
    return;
  }
  for await (const list of eventsOf(response, watch, began)) {
    for (const data of list) {
      if (data === DONE) answer.isDone = true;
      else take(parsedData(data), answer, tell);
    }
    const wait = slowed();
    if (!wait) continue;
    watch.hold();
    await watch.wait(wait);
    watch.goOn();
  }
  answer.end(tell);
}

function take(value: unknown, answer: Answer, tell: (piece: Piece) => void): void {
  const read = readChatMessage(value);
  switch (read.type) {
    case "chunk":
      answer.add(read.chunk, tell);
      return;
    case "error": {
      const { message, status, code: serverCode } = read;
      throw new CodebuffRunError({ kind: "upstream_error", message, status, serverCode });
    }
    case "malformed":
      throw new CodebuffRunError({
        kind: "protocol_error",
        message: `the model's answer has ${read.problem}`,
      });
    default:
      read satisfies never;
  }
}

function parsedData(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined; // told as malformed
  }
}

/** A record with an error that is not too long. */
function cut<R extends { readonly errorMessage?: string }>(record: R): R {
  const { errorMessage } = record;
  return errorMessage === undefined ? record : { ...record, errorMessage: errorMessage.slice(0, MAX_ERROR) };
}

/** Waits for work that others wait for too. @throws the signal's reason */
function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    const over = (): void => signal.removeEventListener("abort", onAbort);
    work.then(
      (value) => {
        over();
        resolve(value);
      },
      (error: unknown) => {
        over();
        reject(error);
      },
    );
  });
}
