// Selects the provider or backend for a model, and handles a provider's failures.
import { type Check, checks, fieldsOf, isObject } from "../../core/checks.ts";
import type { Clock } from "../../core/clock.ts";
import { said } from "../../core/errors.ts";
import { Waits } from "../../core/http/waits.ts";
import { jittered } from "../../core/link/backoff.ts";
import { CodebuffRunError, errorIn, refused } from "../errors.ts";
import { FIRST_WAIT, LONGEST_WAIT, retryAfterIn } from "../http.ts";
import { type ChatChunk, type ChatRequest, codeIn, readChatMessage } from "../messages.ts";
import type { CodebuffRunFailureKind } from "../state/failure.ts";
import { abortable } from "./abortable.ts";
import type { RunBackend } from "./backend.ts";
import { unmarked } from "./cache-marks.ts";
import { parsedData } from "./event-stream.ts";
import type { Receiver } from "./receive.ts";
import { Watch } from "./watch.ts";

/** The request for which a provider is selected. */
interface ModelQuery {
  readonly model: string;
  readonly costMode: string;
}

/** A source of models, asked before the Codebuff backend. Its answers cost no credits. */
export interface ModelProvider {
  /** For messages and cool-downs. */
  readonly name: string;
  supports(query: ModelQuery): boolean;
  /** Tokens that its models hold. Histories stay below 80 % of it, unless `maxContextTokens` is set. @default unknown */
  readonly contextWindow?: number;
  /**
   * Yields parsed chunks of OpenAI's API. Throw on failure; an error with `status` 429 is a rate limit.
   * `responseHeaders` and `responseBody` of an error are read like those of the AI SDK.
   */
  stream(request: ChatRequest, context: { readonly signal: AbortSignal }): AsyncIterable<ChatChunk>;
  /** Whether requests have `cache_control` marks, with the option `promptCaching`. @default false */
  readonly readsCacheMarks?: boolean;
  /** Renews the provider's credentials. Returns whether to retry. */
  refreshAuth?(): Promise<boolean>;
  /** When the rate limit behind an error ends. @default by `Retry-After`, otherwise unknown */
  rateLimitResetAt?(error: unknown): Promise<Date | null>;
}

/** ms for which the backend replaces a rate-limited provider. */
const COOL_DOWN = 300_000;

/** Share of a model's window for the history. The rest is for the answer, and for the error of estimated tokens. */
const WINDOW_SHARE = 0.8;

const isProvider = (value: unknown): boolean =>
  isObject(value) &&
  checks.text.holds(value["name"]) &&
  typeof value["supports"] === "function" &&
  typeof value["stream"] === "function" &&
  (value["contextWindow"] === undefined || checks.count.holds(value["contextWindow"]));

export const providersCheck: Check = {
  expects: "an array of providers: { name, supports, stream }",
  holds: (value) => Array.isArray(value) && value.every(isProvider),
};

export interface ProvidersSetup {
  readonly providers: readonly ModelProvider[];
  readonly backend: RunBackend | undefined;
  readonly clock: Clock;
  readonly maxRetries: number;
  /** ms that the delays before all retries may take together. */
  readonly maxRetryWait: number;
  readonly redact: (text: string) => string;
}

export interface Ask {
  /** Includes the fields for the backend only. */
  readonly request: ChatRequest;
  readonly costMode: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly receiver: Receiver;
  readonly signal: AbortSignal;
}

/** Asks the first provider that supports a model, otherwise the backend. Shared by a client's runs. */
export class Providers {
  readonly #setup: ProvidersSetup;
  /** The end of a provider's cool-down, in ms since 1970, by name. */
  readonly #coolUntil = new Map<string, number>();
  readonly #waits: Waits;

  constructor(setup: ProvidersSetup) {
    this.#setup = setup;
    this.#waits = new Waits(setup.clock);
  }

  /** Receives an answer. Returns the provider's name; `undefined` for the backend. */
  async ask(ask: Ask): Promise<string | undefined> {
    const { request, costMode } = ask;
    const provider = this.#providerFor({ model: request.model, costMode });
    const rests = provider && (this.#coolUntil.get(provider.name) ?? 0) > this.#setup.clock.wallTime();
    if (provider && !(rests && this.#mayFallBack(ask))) return this.#askProvider(ask, provider);
    await this.#askBackend(ask);
    return undefined;
  }

  /** Tokens that a history may have for the provider of a model; `undefined` if no provider knows its window. */
  limitOf(query: ModelQuery): number | undefined {
    if (this.#setup.providers.every(({ contextWindow }) => contextWindow === undefined)) return undefined;
    const window = this.#providerFor(query)?.contextWindow;
    return window === undefined ? undefined : Math.floor(window * WINDOW_SHARE);
  }

  /** Whether the backend may replace a provider. Not in free mode. */
  #mayFallBack({ costMode }: Ask): boolean {
    return costMode !== "free" && this.#setup.backend !== undefined;
  }

  /** The first provider for a model. The caller's `supports` may throw. */
  #providerFor(query: ModelQuery): ModelProvider | undefined {
    return this.#setup.providers.find((provider) => {
      try {
        return provider.supports(query);
      } catch (thrown) {
        throw this.#errorOf(thrown, "upstream_error", provider);
      }
    });
  }

  async #askBackend({ request, headers, receiver, signal }: Ask): Promise<void> {
    const { backend } = this.#setup;
    if (!backend) {
      const message = `no provider supports the model \`${request.model}\`, and there is no API key for the backend`;
      throw new CodebuffRunError({ kind: "forbidden", message });
    }
    await backend.chat(request, receiver, headers, signal);
  }

  /** Asks a provider, with retries until the answer begins. With a backend, a rate limit switches to it. */
  async #askProvider(ask: Ask, provider: ModelProvider): Promise<string | undefined> {
    const { receiver, signal } = ask;
    const { clock, maxRetries, maxRetryWait } = this.#setup;
    let isRenewed = false;
    let waited = 0;
    for (let failures = 0; ; ) {
      try {
        await this.#stream(ask, provider);
        return provider.name;
      } catch (thrown) {
        if (signal.aborted) throw signal.reason;
        if (receiver.answer.hasBegun) throw this.#errorOf(thrown, "stream_interrupted", provider);
        if (!isRateLimit(thrown) && isAuthFailure(thrown)) {
          if (!isRenewed && (await this.#answerOf(() => provider.refreshAuth?.(), ask)) === true) {
            isRenewed = true;
            continue;
          }
          if (!this.#mayFallBack(ask)) throw this.#errorOf(thrown, "auth", provider);
          await this.#askBackend(ask);
          return undefined;
        }
        const error = await this.#failureOf(ask, provider, thrown);
        if (isRateLimit(thrown) && this.#mayFallBack(ask)) {
          const { kind, retryAfter = COOL_DOWN } = error;
          if (kind === "rate_limited") this.#coolUntil.set(provider.name, clock.wallTime() + retryAfter);
          await this.#askBackend(ask);
          return undefined;
        }
        const jitter = jittered(clock.random(), FIRST_WAIT, LONGEST_WAIT, failures);
        const wait = Math.max(error.retryAfter ?? 0, jitter);
        waited += wait;
        if (++failures > maxRetries || waited > maxRetryWait || !mayPass(error)) throw error;
        await this.#waits.pause("a wait", wait, signal).catch(() => {}); // fails only if the signal aborts
        if (signal.aborted) throw signal.reason;
      }
    }
  }

  async #stream({ request: all, receiver, signal }: Ask, provider: ModelProvider): Promise<void> {
    const { codebuff_metadata: _, provider: __, ...rest } = all;
    const request = provider.readsCacheMarks ? rest : { ...rest, messages: rest.messages.map(unmarked) };
    const watch = new Watch(this.#setup.clock, 0, signal); // the provider sets its own limit on silence
    try {
      await this.#receive(provider.stream(request, { signal: watch.signal }), receiver, watch);
    } finally {
      watch.end();
    }
  }

  /** The provider's error, with the delay until its rate limit ends. */
  async #failureOf(ask: Ask, provider: ModelProvider, thrown: unknown): Promise<CodebuffRunError> {
    const error = this.#errorOf(thrown, isRateLimit(thrown) ? "rate_limited" : "upstream_error", provider);
    if (error.kind !== "rate_limited") return error; // waiting brings no credits
    const until = await this.#answerOf(() => provider.rateLimitResetAt?.(thrown), ask);
    if (!(until instanceof Date) || Number.isNaN(until.getTime())) return error;
    const { kind, serverMessage: message, status, serverCode, body, cause } = error;
    const retryAfter = Math.max(0, until.getTime() - this.#setup.clock.wallTime());
    const known = { kind, message, status, serverCode, body, cause };
    return new CodebuffRunError({ ...known, retryAfter, provider: provider.name });
  }

  /** Receives a provider's chunks. Stops even if the provider ignores its signal. */
  async #receive(
    chunks: AsyncIterable<ChatChunk>,
    { answer, tell, slowed }: Receiver,
    watch: Watch,
  ): Promise<void> {
    const iterator = chunks[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await watch.wait(iterator.next());
        if (done) break;
        const read = readChatMessage(value);
        if (read.type !== "chunk") throw errorIn(read, this.#setup.redact);
        answer.add(read.chunk, tell);
        const wait = slowed();
        if (wait) await watch.wait(wait);
      }
    } finally {
      Promise.resolve(iterator.return?.()).catch(() => {}); // ignore errors after the end
    }
    answer.isDone = true;
    answer.end(tell);
  }

  /** Calls a provider's optional method; `undefined` if it throws. */
  async #answerOf<T>(question: () => T | PromiseLike<T>, { signal }: Ask): Promise<T | undefined> {
    try {
      return await abortable(question(), signal);
    } catch {
      if (signal.aborted) throw signal.reason;
      return undefined;
    }
  }

  /** @param kind for an error without a status */
  #errorOf(
    thrown: unknown,
    kind: CodebuffRunFailureKind,
    { name: provider }: ModelProvider,
  ): CodebuffRunError {
    if (thrown instanceof CodebuffRunError) return thrown;
    const { redact, clock } = this.#setup;
    const fields = fieldsOf(thrown);
    const { message: words, responseHeaders: headers } = fields;
    const message = redact(typeof words === "string" ? words : said(thrown));
    const status = statusOf(thrown);
    // The AI SDK's error for a server that was not reached: it can be retried, and has no status.
    const isUnreached = status === undefined && kind === "upstream_error" && fields["isRetryable"] === true;
    if (isUnreached) return new CodebuffRunError({ kind: "network", message, provider });
    if (status === undefined || kind === "auth" || kind === "stream_interrupted") {
      const code = thrown instanceof Error ? undefined : codeIn(thrown); // an Error's `code` is a system code
      const serverCode = code === undefined ? undefined : redact(code);
      return new CodebuffRunError({ kind, message, status, serverCode, provider });
    }
    const text = redact(
      [fields["responseBody"], fields["body"]].find((body) => typeof body === "string") ?? "",
    );
    const get = (name: string): string | null => {
      const value = fieldsOf(headers)[name];
      return typeof value === "string" ? value : null;
    };
    return refused({
      status,
      text,
      body: parsedData(text),
      retryAfter: retryAfterIn({ get }, clock),
      isAccount: false,
      what: "",
      words: message,
      provider,
    });
  }
}

const PASSING: ReadonlySet<number | undefined> = new Set([408, 429, 500, 502, 503, 504]);

function mayPass({ kind, status }: CodebuffRunError): boolean {
  return kind === "rate_limited" || (PASSING.has(status) && kind !== "payment_required");
}

function isRateLimit(error: unknown): boolean {
  return statusOf(error) === 429 || /rate[_ ]limit/i.test(wordsOf(error));
}

function isAuthFailure(error: unknown): boolean {
  const status = statusOf(error);
  return (
    status === 401 ||
    status === 403 ||
    /unauthorized|invalid_token|authentication|expired/i.test(wordsOf(error))
  );
}

function statusOf(error: unknown): number | undefined {
  const { status, statusCode } = fieldsOf(error);
  const found = status ?? statusCode;
  return typeof found === "number" ? found : undefined;
}

function wordsOf(error: unknown): string {
  const { message, body, responseBody } = fieldsOf(error);
  return [message, body, responseBody].filter((text) => typeof text === "string").join("\n");
}
