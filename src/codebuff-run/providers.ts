import { type Check, checks, isObject } from "../core/checks.ts";
import type { Clock } from "../core/clock.ts";
import { said } from "../core/errors.ts";
import { abortable } from "./abortable.ts";
import type { Backend } from "./backend.ts";
import { CodebuffRunError, errorIn } from "./errors.ts";
import { type ChatChunk, type ChatRequest, readChatMessage } from "./messages.ts";
import type { Receiver } from "./receive.ts";
import { Watch } from "./watch.ts";

/** What a provider is asked for. */
export interface ModelQuery {
  readonly model: string;
  readonly costMode: string;
}

/**
 * A source of models besides the Codebuff backend. It is asked first, gets the request without `codebuff_metadata` and `provider`, and
 * costs no credits. `openAiCompatible` makes one.
 */
export interface ModelProvider {
  /** For messages and cool-downs. */
  readonly name: string;
  supports(query: ModelQuery): boolean;
  /** The chunks of OpenAI's API, parsed. Throw for a failure; an error with `status` 429 is a rate limit. */
  stream(request: ChatRequest, context: { readonly signal: AbortSignal }): AsyncIterable<ChatChunk>;
  /** Renews what the provider logs in with. Returns whether another try makes sense. */
  refreshAuth?(): Promise<boolean>;
  /** When the rate limit behind an error ends. @default five minutes from now */
  rateLimitResetAt?(error: unknown): Promise<Date | null>;
}

/** ms without a provider that has a rate limit. */
const COOL_DOWN = 300_000;

const isProvider = (value: unknown): boolean =>
  isObject(value) &&
  checks.text.holds(value["name"]) &&
  typeof value["supports"] === "function" &&
  typeof value["stream"] === "function";

export const providersCheck: Check = {
  expects: "an array of providers: { name, supports, stream }",
  holds: (value) => Array.isArray(value) && value.every(isProvider),
};

export interface ProvidersSetup {
  readonly providers: readonly ModelProvider[];
  /** Undefined: there is no backend, so each model needs a provider. */
  readonly backend: Backend | undefined;
  readonly clock: Clock;
  /** Removes credentials. */
  readonly redact: (text: string) => string;
}

export interface Ask {
  /** With the fields that only the backend gets. */
  readonly request: ChatRequest;
  readonly costMode: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly receiver: Receiver;
  readonly signal: AbortSignal;
}

/** Where models are asked: the first provider that supports the model, otherwise the backend. Shared by all runs of a client. */
export class Providers {
  readonly #setup: ProvidersSetup;
  /** ms since 1970, by the name of a provider. */
  readonly #coolUntil = new Map<string, number>();

  constructor(setup: ProvidersSetup) {
    this.#setup = setup;
  }

  /** Asks a model and receives its answer. Returns the name of the provider that has answered; `undefined`: the backend. */
  async ask(ask: Ask): Promise<string | undefined> {
    const { request, costMode } = ask;
    const provider = this.#providerFor({ model: request.model, costMode });
    if (!provider) {
      await this.#askBackend(ask);
      return undefined;
    }
    const { clock } = this.#setup;
    const wait = (this.#coolUntil.get(provider.name) ?? 0) - clock.wallTime();
    if (wait > 0) return this.#fallBack(ask, resting(provider, wait));
    return this.#askProvider(ask, provider, false);
  }

  /** The first provider for a model. Its code is the caller's, and may throw. */
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

  async #askProvider(ask: Ask, provider: ModelProvider, isSecondTry: boolean): Promise<string | undefined> {
    const { receiver, signal } = ask;
    const { codebuff_metadata: _, provider: __, ...request } = ask.request;
    const watch = new Watch(this.#setup.clock, 0, signal); // a provider knows best how long its models are silent
    try {
      await this.#receive(provider.stream(request, { signal: watch.signal }), receiver, watch);
      return provider.name;
    } catch (thrown) {
      if (signal.aborted) throw signal.reason;
      if (receiver.answer.hasBegun) throw this.#errorOf(thrown, "stream_interrupted", provider);
      if (isRateLimit(thrown)) {
        const error = this.#errorOf(thrown, "rate_limited", provider);
        return this.#fallBack(ask, await this.#rested(ask, provider, thrown, error));
      }
      if (!isAuthFailure(thrown)) throw this.#errorOf(thrown, "upstream_error", provider);
      if (!isSecondTry && (await this.#answerOf(() => provider.refreshAuth?.(), ask)) === true)
        return this.#askProvider(ask, provider, true);
      if (ask.costMode === "free" || !this.#setup.backend) throw this.#errorOf(thrown, "auth", provider);
      await this.#askBackend(ask);
      return undefined;
    } finally {
      watch.end();
    }
  }

  /** Receives the chunks of a provider, also of one that ignores its signal. */
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
      Promise.resolve(iterator.return?.()).catch(() => {}); // its failure is not ours any more
    }
    answer.isDone = true;
    answer.end(tell);
  }

  /** What a provider says about its failure. A throw, or a stop, is no answer. */
  async #answerOf<T>(question: () => T | PromiseLike<T>, { signal }: Ask): Promise<T | undefined> {
    try {
      return await abortable(question(), signal);
    } catch {
      if (signal.aborted) throw signal.reason;
      return undefined;
    }
  }

  /** The provider has a rate limit. In free mode nothing of it goes to the backend. */
  async #fallBack(ask: Ask, error: CodebuffRunError): Promise<undefined> {
    if (ask.costMode === "free" || !this.#setup.backend) throw error;
    await this.#askBackend(ask);
    return undefined;
  }

  /** Lets a provider rest that has a rate limit. Returns the error with the wait. Without credits a wait does not help. */
  async #rested(
    ask: Ask,
    provider: ModelProvider,
    thrown: unknown,
    error: CodebuffRunError,
  ): Promise<CodebuffRunError> {
    if (error.kind !== "rate_limited") return error;
    const until = await this.#answerOf(() => provider.rateLimitResetAt?.(thrown), ask);
    const now = this.#setup.clock.wallTime();
    const isTime = until instanceof Date && !Number.isNaN(until.getTime());
    const end = isTime ? until.getTime() : now + COOL_DOWN;
    this.#coolUntil.set(provider.name, end);
    const { kind, serverMessage: message, status, serverCode, body, cause } = error;
    const retryAfter = Math.max(0, end - now);
    return new CodebuffRunError({
      kind,
      message,
      status,
      serverCode,
      body,
      cause,
      retryAfter,
      provider: provider.name,
    });
  }

  #errorOf(
    thrown: unknown,
    kind: "stream_interrupted" | "upstream_error" | "auth" | "rate_limited",
    { name: provider }: ModelProvider,
  ): CodebuffRunError {
    if (thrown instanceof CodebuffRunError) return thrown;
    const message = this.#setup.redact(thrown instanceof Error ? thrown.message : said(thrown));
    return new CodebuffRunError({ kind, message, status: statusOf(thrown), provider });
  }
}

/** The error for a provider that is not asked, because of its last rate limit. */
function resting({ name: provider }: ModelProvider, retryAfter: number): CodebuffRunError {
  const message = "the provider is not asked until its last rate limit is over";
  return new CodebuffRunError({ kind: "rate_limited", message, retryAfter, provider });
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

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
