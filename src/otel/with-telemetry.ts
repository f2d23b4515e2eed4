// `withTelemetry`: a source whose clients are traced and measured.
import type { Meter, Tracer } from "@opentelemetry/api";
import * as api from "@opentelemetry/api";
import { type Checks, checkCallOptions, checks, fieldsOf } from "../core/checks.ts";
import type { AnyAgentClient } from "../core/client/any-client.ts";
import { InvalidInputError } from "../core/errors.ts";
import { type Peer, peerError } from "../core/peers.ts";
import { reportError } from "../universal/listen/report-error.ts";
import type { AgentSource } from "../universal/stream.ts";
import { makeInstruments } from "./instruments.ts";
import { watchClient } from "./watch-client.ts";

/** Options of `withTelemetry`. */
export interface TelemetryOptions {
  /** @default the tracer of the global provider, if one is set when a client is made */
  readonly tracer?: Tracer;
  /** @default the meter of the global provider, if one is set when a client is made */
  readonly meter?: Meter;
  /**
   * Whether spans have the texts of prompts, answers, tool inputs and tool outputs. Without it, spans have names, ids,
   * codes and numbers only.
   * @default false
   */
  readonly content?: boolean;
}

const OPTIONS: Checks<TelemetryOptions> = {
  tracer: {
    expects: 'a tracer, not its provider: pass `provider.getTracer("my-app")`',
    holds: (value) => typeof fieldsOf(value)["startSpan"] === "function",
  },
  meter: {
    expects: 'a meter, not its provider: pass `provider.getMeter("my-app")`',
    holds: (value) => typeof fieldsOf(value)["createHistogram"] === "function",
  },
  content: checks.boolean,
};

/** `createNoopMeter` came with 1.3. */
const API: Peer = { name: "@opentelemetry/api", oldest: "1.3", install: "@opentelemetry/api@1" };

/** The name and the version of our tracer and our meter. A test compares the version with `package.json`. */
const SCOPE = ["agentwire", "0.1.0"] as const;

/**
 * Returns a source whose clients, turns and events are those of `source`, and which tells OpenTelemetry about them: a
 * span for each turn, sub-agent and tool call, with an event for each approval, and metrics. The clients do not change.
 *
 * Without a tracer and a meter, a client is not listened to. This is decided when the client is made. What an SDK
 * throws is reported once, and does not reach the turns.
 *
 * @throws InvalidInputError for a value that is no source, and for a wrong option
 * @throws UnsupportedError if `@opentelemetry/api` is too old
 */
export function withTelemetry<Client extends AnyAgentClient>(
  source: AgentSource<Client>,
  options: TelemetryOptions = {},
): AgentSource<Client> {
  checkCallOptions<TelemetryOptions, typeof OPTIONS>(options, OPTIONS);
  if (typeof fieldsOf(source)["toUniversal"] !== "function")
    throw new InvalidInputError("this is no source.", "Pass a source, such as `codey({ url })`.");
  if (!("createNoopMeter" in api)) throw peerError("`agentwire/otel`", API, "an older one");
  const { content = false } = options;
  const { name } = source;
  let hasFailed = false;
  const guard = (act: () => void): void => {
    try {
      act();
    } catch (error) {
      if (!hasFailed) reportError(error);
      hasFailed = true;
    }
  };
  return {
    name,
    client: () => {
      const client = source.client();
      guard(() => {
        const tracer = options.tracer ?? globalTracer();
        const meter = options.meter ?? globalMeter();
        if (!tracer && !meter) return;
        const instruments = makeInstruments(meter ?? api.createNoopMeter());
        const streams = client.capabilities.textDeltas;
        watchClient(source, client, {
          source: name,
          tracer: tracer ?? api.trace.getTracer(...SCOPE), // of no provider: it makes spans that do nothing
          instruments,
          content,
          streams,
          guard,
        });
      });
      return client;
    },
    toUniversal: (of, universal) => source.toUniversal(of, universal),
  };
}

/** Undefined unless a provider is set. */
function globalTracer(): Tracer | undefined {
  const provider = api.trace.getTracerProvider();
  if (provider instanceof api.ProxyTracerProvider) return provider.getDelegateTracer(...SCOPE);
  return provider.getTracer(...SCOPE);
}

/** Undefined unless a provider is set. */
function globalMeter(): Meter | undefined {
  const meter = api.metrics.getMeter(...SCOPE);
  return meter === api.createNoopMeter() ? undefined : meter;
}
