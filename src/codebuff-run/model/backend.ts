// The routes of the Codebuff backend: API key, registry, run records, token counts, models.
import { fieldsOf } from "../../core/checks.ts";
import type { CancelTimer, Clock } from "../../core/clock.ts";
import { again, CodebuffRunError } from "../errors.ts";
import type { Http, HttpCall, HttpRequest, Traffic } from "../http.ts";
import { type ChatRequest, readChatMessage } from "../messages.ts";
import { abortable } from "./abortable.ts";
import { AnswerBuilder, chunkOfCompletion } from "./answer.ts";
import { parsedData } from "./event-stream.ts";
import { type Receiver, receive } from "./receive.ts";
import { Watch } from "./watch.ts";

/** ms for a required call. */
const CALL_TIMEOUT = 30_000;

/** Limits of a call that a run needs. */
const NEEDED = { timeout: CALL_TIMEOUT, isRepeated: true } as const;

/** ms for an optional call. */
const SHORT_TIMEOUT = 5_000;

/** ms for the last call of a cancelled run. */
const CANCELLED_TIMEOUT = 1_000;

/** The route of run records. */
const RUNS = "/api/v1/agent-runs";

/** Characters of `errorMessage` in a run record. */
const MAX_ERROR = 2_000;

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
  /** Only with `stepReporting: "batch"`. */
  readonly steps?: readonly (StepRecord & { readonly id: string })[];
}

export interface BackendSetup {
  readonly http: Http;
  readonly clock: Clock;
  readonly apiKey: string;
  /** ms without a byte of a model's answer; 0: no limit. */
  readonly streamTimeout: number;
  readonly traffic: Traffic;
}

/** A pending or successful check of the API key, shared by all runs. */
interface KeyCheck {
  readonly answer: Promise<void>;
  readonly controller: AbortController;
  waiting: number;
  isRight: boolean;
}

export class RunBackend {
  readonly #setup: BackendSetup;
  #check: KeyCheck | undefined;

  constructor(setup: BackendSetup) {
    this.#setup = setup;
  }

  /** Whether the backend reports that it is healthy. Never rejects. */
  async isHealthy(signal: AbortSignal): Promise<boolean> {
    try {
      const answer = await this.#call({ path: "/api/healthz", timeout: SHORT_TIMEOUT, signal });
      return fieldsOf(answer)["status"] === "ok";
    } catch {
      return false; // an unreachable backend is not healthy
    }
  }

  /** Checks the API key, once for all runs. Aborts the check when no run waits for it. */
  async user(signal: AbortSignal): Promise<void> {
    if (!this.#check) {
      const controller = new AbortController();
      const answer = this.#askUser(controller.signal);
      this.#check = { answer, controller, waiting: 0, isRight: false };
    }
    const check = this.#check;
    check.waiting++;
    try {
      await abortable(check.answer, signal);
      check.isRight = true;
    } catch (error) {
      if (!signal.aborted) this.#forget(check);
      throw error instanceof CodebuffRunError ? again(error) : error;
    } finally {
      check.waiting--;
      if (check.waiting === 0 && !check.isRight) {
        this.#forget(check);
        check.controller.abort();
      }
    }
  }

  forgetUser(): void {
    this.#check = undefined;
  }

  #forget(check: KeyCheck): void {
    if (this.#check === check) this.#check = undefined;
  }

  async #askUser(signal: AbortSignal): Promise<void> {
    const path = "/api/v1/me?fields=id";
    const answer = await this.#call({ ...NEEDED, path, isAccount: true, signal });
    if (typeof fieldsOf(answer)["id"] === "string") return;
    const message = `GET ${path}: the answer has no \`id\``;
    throw new CodebuffRunError({ kind: "protocol_error", message });
  }

  async agent(path: string, signal: AbortSignal): Promise<unknown> {
    try {
      return await this.#call({ ...NEEDED, path: `/api/v1/agents/${path}`, signal });
    } catch (error) {
      if (error instanceof CodebuffRunError && error.status === 404) return undefined;
      throw error;
    }
  }

  async start(agentId: string, ancestorRunIds: readonly string[], signal: AbortSignal): Promise<string> {
    const body = { action: "START", agentId, ancestorRunIds };
    const answer = await this.#call({ ...NEEDED, path: RUNS, body, isAccount: true, signal });
    const runId = fieldsOf(answer)["runId"];
    if (typeof runId === "string" && runId !== "") return runId;
    throw new CodebuffRunError({ kind: "start_failed", message: "the server gave the run no `runId`" });
  }

  async step(runId: string, record: StepRecord, signal: AbortSignal): Promise<void> {
    const path = `${RUNS}/${encodeURIComponent(runId)}/steps`;
    await this.#call({ path, body: cut(record), timeout: CALL_TIMEOUT, isAccount: true, signal });
  }

  /** Ends a run record. After `stop` aborts, the call has one second left. */
  async finish(record: FinishRecord, stop: AbortSignal): Promise<void> {
    const { clock } = this.#setup;
    const controller = new AbortController();
    let cancelTimer: CancelTimer = () => {};
    const expire = (): void => {
      const message = `no answer within ${CANCELLED_TIMEOUT} ms`;
      controller.abort(new CodebuffRunError({ kind: "timeout", message }));
    };
    const hurry = (): void => {
      cancelTimer = clock.setTimeout(expire, CANCELLED_TIMEOUT);
    };
    if (stop.aborted) hurry();
    else stop.addEventListener("abort", hurry, { once: true });
    try {
      const body = { action: "FINISH", ...cut(record) };
      const { signal } = controller;
      await this.#call({ path: RUNS, body, timeout: SHORT_TIMEOUT, isAccount: true, signal });
    } finally {
      cancelTimer();
      stop.removeEventListener("abort", hurry);
    }
  }

  async tokens(body: object, signal: AbortSignal): Promise<number | undefined> {
    const headers = { "x-codebuff-api-key": this.#setup.apiKey };
    const path = "/api/v1/token-count";
    const answer = await this.#call({ path, body, headers, timeout: SHORT_TIMEOUT, signal });
    const count = fieldsOf(answer)["inputTokens"];
    return typeof count === "number" && Number.isFinite(count) && count >= 0 ? count : undefined;
  }

  /** Searches the web, or the docs of a library. Not retried: a search costs credits. */
  search(route: "web-search" | "docs-search", body: object, signal: AbortSignal): Promise<unknown> {
    return this.#call({ path: `/api/v1/${route}`, body, timeout: CALL_TIMEOUT, signal });
  }

  /** Sends a chat request and receives the answer. Retries only before the first byte of an answer. */
  async chat(
    request: ChatRequest,
    receiver: Receiver,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<void> {
    const { http, clock, streamTimeout, traffic } = this.#setup;
    let hasBegun = false;
    await http.insist(
      signal,
      async () => {
        const watch = new Watch(clock, streamTimeout, signal);
        try {
          const opened = await watch.wait(http.open(chatRequest(request, headers), watch.signal));
          const began = (): void => {
            hasBegun = true;
          };
          await receive(opened, receiver, { watch, began, traffic });
        } finally {
          watch.end();
        }
      },
      () => !hasBegun,
    );
  }

  async drafts(
    request: ChatRequest,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<{ readonly texts: readonly string[]; readonly answer: AnswerBuilder }> {
    const { streamTimeout: timeout } = this.#setup;
    const answer = new AnswerBuilder();
    let text = "";
    const completion = await this.#call({ ...chatRequest(request, headers), timeout, signal });
    const read = readChatMessage(chunkOfCompletion(completion));
    if (read.type === "chunk")
      answer.add(read.chunk, (piece) => {
        if (piece.type === "text") text += piece.text;
      });
    const texts = parsedData(text);
    if (Array.isArray(texts) && texts.every((each) => typeof each === "string")) return { texts, answer };
    throw new CodebuffRunError({ kind: "protocol_error", message: "the answer holds no list of texts" });
  }

  #call(call: HttpCall): Promise<unknown> {
    return this.#setup.http.call(call);
  }
}

function chatRequest(request: ChatRequest, headers: Readonly<Record<string, string>>): HttpRequest {
  const { provider_options: _, ...body } = request;
  return { path: "/api/v1/chat/completions", body, headers };
}

function cut<R extends { readonly errorMessage?: string }>(record: R): R {
  const { errorMessage } = record;
  return errorMessage === undefined ? record : { ...record, errorMessage: errorMessage.slice(0, MAX_ERROR) };
}
