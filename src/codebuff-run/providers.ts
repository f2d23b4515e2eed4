import { type Check, checks, isObject } from "../core/checks.ts";
import type { Clock } from "../core/clock.ts";
import { said } from "../core/errors.ts";
import type { Backend, Receiver } from "./backend.ts";
import { CodebuffRunError } from "./errors.ts";
import { type ChatChunk, type ChatRequest, readChatMessage } from "./messages.ts";

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

  /** The name of the provider that a model is asked from; `undefined`: the backend. */
  nameFor(query: ModelQuery): string | undefined {
    return this.#providerFor(query)?.name;
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
    if ((this.#coolUntil.get(provider.name) ?? 0) > clock.wallTime()) return this.#fallBack(ask, provider);
    return this.#askProvider(ask, provider, false);
  }

  #providerFor(query: ModelQuery): ModelProvider | undefined {
    return this.#setup.providers.find((provider) => provider.supports(query));
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
    try {
      await receiveFrom(provider.stream(request, { signal }), receiver, signal);
      return provider.name;
    } catch (thrown) {
      if (signal.aborted) throw signal.reason;
      if (receiver.answer.hasBegun) throw this.#errorOf(thrown, "stream_interrupted");
      if (isRateLimit(thrown)) {
        const until = await resetOf(provider, thrown);
        this.#coolUntil.set(provider.name, until ?? this.#setup.clock.wallTime() + COOL_DOWN);
        return this.#fallBack(ask, provider, thrown);
      }
      if (!isAuthFailure(thrown)) throw this.#errorOf(thrown, "upstream_error");
      if (!isSecondTry && (await provider.refreshAuth?.()) === true)
        return this.#askProvider(ask, provider, true);
      if (ask.costMode === "free" || !this.#setup.backend) throw this.#errorOf(thrown, "auth");
      await this.#askBackend(ask);
      return undefined;
    }
  }

  /** The provider has a rate limit. In free mode nothing of it goes to the backend. */
  async #fallBack(ask: Ask, { name }: ModelProvider, thrown?: unknown): Promise<undefined> {
    if (ask.costMode === "free" || !this.#setup.backend) {
      const words = thrown === undefined ? "" : `: ${this.#setup.redact(said(thrown))}`;
      throw new CodebuffRunError({
        kind: "rate_limited",
        message: `the provider \`${name}\` has a rate limit${words}`,
      });
    }
    await this.#askBackend(ask);
    return undefined;
  }

  #errorOf(thrown: unknown, kind: "stream_interrupted" | "upstream_error" | "auth"): CodebuffRunError {
    if (thrown instanceof CodebuffRunError) return thrown;
    const message = this.#setup.redact(thrown instanceof Error ? thrown.message : said(thrown));
    return new CodebuffRunError({ kind, message, status: statusOf(thrown) });
  }
}

async function receiveFrom(
  chunks: AsyncIterable<ChatChunk>,
  receiver: Receiver,
  signal: AbortSignal,
): Promise<void> {
  const { answer, tell, slowed } = receiver;
  for await (const chunk of chunks) {
    if (signal.aborted) throw signal.reason;
    const read = readChatMessage(chunk);
    if (read.type !== "chunk") {
      const message = read.type === "error" ? read.message : `the provider gave ${read.problem}`;
      throw new CodebuffRunError({
        kind: read.type === "error" ? "upstream_error" : "protocol_error",
        message,
      });
    }
    answer.add(read.chunk, tell);
    await slowed();
  }
  answer.isDone = true;
  answer.end(tell);
}

async function resetOf(provider: ModelProvider, error: unknown): Promise<number | undefined> {
  const at = await provider.rateLimitResetAt?.(error);
  return at instanceof Date && !Number.isNaN(at.getTime()) ? at.getTime() : undefined;
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
