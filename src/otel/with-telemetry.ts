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
   * codes and numbers only. The `finish_reason` of the last message is `error` for a failed turn, otherwise the stated reason,
   * `stop`, or how the turn was cut off: `cancelled`, `abandoned`.
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
 * throws is reported once, and does not reach the turns. The parent of a turn is the span that is active at `prompt()`. A prompt
 * that a listener of the client makes has the span that is active after that listener.
 *
 * | span | what it is | attributes |
 * | --- | --- | --- |
 * | `invoke_agent {source}` | a turn, from `prompt()` to its end; the kind is `CLIENT` | `gen_ai.operation.name`, `gen_ai.provider.name` and `gen_ai.agent.name` (both the name of the source), `gen_ai.conversation.id`, `gen_ai.request.model`, `gen_ai.response.model`, `gen_ai.response.finish_reasons`, `gen_ai.response.time_to_first_chunk`, `gen_ai.usage.input_tokens`, `.output_tokens`, `.cache_read.input_tokens`, `.cache_creation.input_tokens`, `error.type`, `agentwire.status`, `agentwire.turn.prompt_id`, `.branch_of`, `.unsolicited`, `agentwire.context.tokens`, `.window`, `agentwire.cost.total`, `.currency` |
 * | `invoke_agent {type}` | a sub-agent, inside of the turn or of another sub-agent | `gen_ai.operation.name`, `gen_ai.provider.name`, `gen_ai.agent.name`, `agentwire.status` |
 * | `execute_tool {tool}` | a call, from its announcement to its result | `gen_ai.operation.name`, `gen_ai.tool.name`, `gen_ai.tool.call.id`, `agentwire.tool.call_id`, `agentwire.tool.kind`, `agentwire.status`, `agentwire.approval.wait` (seconds), `error.type` |
 *
 * `agentwire.status` of a turn is `completed`, `failed` or `cancelled`; of a call `done`, `failed`, `denied` or `abandoned`. A failed
 * turn has the code of its error as `error.type`, a failed call `tool_failed`. A cancelled turn and a denied call are no errors. An
 * unknown value is left out. `gen_ai.tool.call.id` is the backend's id of a call, and may be repeated; `agentwire.tool.call_id` is the
 * `call_id` of the universal events. If the backend has no id, both are the latter.
 *
 * | event | on | attributes |
 * | --- | --- | --- |
 * | `agentwire.approval.requested`, `.resolved` | the call | `agentwire.approval.id`, `.tool`, `.status` (`requested`, `accept`, `accept_for_session`, `reject`), `.reason` (`user`, `policy`, `timeout`, `cancelled`, `disconnected`), `.scope` |
 * | `agentwire.tool.running` | the call, unless it was denied; it has the time at which the call began to run | |
 * | `agentwire.question.requested`, `.resolved` | the turn | `agentwire.question.id`, `.status`, `.reason` |
 * | `agentwire.error` | the turn | `error.type` |
 * | `agentwire.unparsed` | the turn | `agentwire.unparsed.location` |
 * | `agentwire.connection.lost`, `.retrying`, `.restored`, `.reconnect_requested`, `.auth`, `agentwire.recovering` | the turn that goes on | `agentwire.connection.retrying.attempt` |
 *
 * | metric | unit | of |
 * | --- | --- | --- |
 * | `gen_ai.client.operation.duration` | `s` | each turn; a failed one has `error.type` |
 * | `gen_ai.client.operation.time_to_first_chunk` | `s` | each turn of a backend that streams |
 * | `gen_ai.client.token.usage` | `{token}` | each turn with tokens, by `gen_ai.token.type`: `input`, `output` |
 *
 * Each metric has `gen_ai.operation.name`, `gen_ai.provider.name`, and the models if they are known.
 *
 * | word | becomes |
 * | --- | --- |
 * | branch, prompt id | attributes of the turn |
 * | plan | an event `agentwire.plan` with the numbers of entries and of completed ones |
 * | context | attributes of the turn; a status between turns is left out |
 * | notice | an event `agentwire.notice` with its severity, in a turn |
 * | compaction | events `agentwire.compaction` with the state, in a turn |
 * | model | `gen_ai.request.model` of the next turns |
 * | mode, commands | left out |
 * | tool facts | `agentwire.tool.kind`; titles and locations are left out |
 * | call state | `agentwire.status` and `agentwire.tool.running` |
 * | preview, citation | left out |
 * | scope | an attribute of the approval's event |
 * | streamed arguments | the span of the call begins after them; a call that was cut has none |
 * | sub-agent | a span |
 *
 * Also left out: events between turns, files, images, data and other statuses, and `gen_ai.tool.type`, because universal events do not
 * say where a tool runs.
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
