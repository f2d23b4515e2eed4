import type { Histogram, Meter, Span, Tracer } from "@opentelemetry/api";
import {
  SimpleSpanProcessor,
  type SpanExporter,
  type SpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { createChat } from "agentwire/chat";
import { type TelemetryOptions, withTelemetry } from "agentwire/otel";
import { agentStep, MockAgent } from "agentwire/testing";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { sdk } from "./support/sdk.ts";
import { ToldSource } from "./support/told-source.ts";
import { ask } from "./support/traced.ts";

/** What is reported on a platform without `reportError`. */
let reports: unknown[][] = [];

beforeEach(() => {
  reports = [];
  const spy = vi.spyOn(console, "error").mockImplementation((...values) => void reports.push(values));
  return () => spy.mockRestore();
});

const broken = (): never => {
  throw new Error("broken");
};

/** An SDK of which the functions with these names throw. */
function tracerThat(breaks: readonly string[]): Tracer {
  const { tracer } = sdk();
  const broke = <Of extends object>(of: Of): Of =>
    new Proxy(of, {
      get: (target, name) => {
        if (breaks.includes(String(name))) return broken;
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  return { ...tracer, startSpan: (...values) => broke<Span>(broke(tracer).startSpan(...values)) };
}

const processorThat = (breaks: Partial<SpanProcessor>): Tracer =>
  new TracerProvider({
    spanProcessors: [
      { onStart: () => {}, onEnd: () => {}, forceFlush: async () => {}, shutdown: async () => {}, ...breaks },
    ],
  }).getTracer("test");

const exporterThat = (exports: SpanExporter["export"]): Tracer =>
  new TracerProvider({
    spanProcessors: [new SimpleSpanProcessor({ exporter: { export: exports, shutdown: async () => {} } })],
  }).getTracer("test");

const meterOf = (histogram: () => Histogram): Meter => ({ ...sdk().meter, createHistogram: histogram });

/** Each part of an SDK that throws, and how often this library reports it. */
const PARTS: Readonly<Record<string, readonly [options: () => TelemetryOptions, reports: number]>> = {
  "a tracer": [() => ({ tracer: tracerThat(["startSpan"]) }), 1],
  "the attributes of a span": [() => ({ tracer: tracerThat(["setAttributes", "setAttribute"]) }), 1],
  "the events of a span": [() => ({ tracer: tracerThat(["addEvent"]) }), 1],
  "the end of a span": [() => ({ tracer: tracerThat(["end"]) }), 1],
  "a processor at the start": [() => ({ tracer: processorThat({ onStart: broken }) }), 1],
  "a processor at the end": [() => ({ tracer: processorThat({ onEnd: broken }) }), 1],
  "an exporter": [() => ({ tracer: exporterThat(broken) }), 0], // the processor of the SDK catches it
  "a meter": [() => ({ meter: meterOf(broken) }), 1],
  "a histogram": [() => ({ meter: meterOf(() => ({ record: broken })) }), 1],
};

describe("a chat, if an error is thrown by", () => {
  test.each(Object.keys(PARTS))("%s, works as without it", async (name) => {
    const [options, expected] = PARTS[name] ?? [() => ({}), 0];
    const agent = new MockAgent({
      script: ["a", [agentStep.tool({ name: "ls", output: "a" }), "b"], [agentStep.fail("no")]],
    });
    const chat = createChat(withTelemetry(agent, { ...options(), content: true }));
    for (const prompt of ["one", "two", "three"]) await ask(chat, prompt);
    const { messages } = chat.getSnapshot();
    await chat.close();
    expect(messages.map(({ status }) => status)).toEqual([
      "sent",
      "completed",
      "sent",
      "completed",
      "sent",
      "failed",
    ]);
    expect(reports).toHaveLength(expected);
  });
});

test("if the end of one span throws, the other spans of the turn end", async () => {
  const { tracer, spans, span } = sdk();
  const startSpan: Tracer["startSpan"] = (name, ...values) => {
    const started = tracer.startSpan(name, ...values);
    return name.startsWith("execute_tool")
      ? Object.assign(Object.create(started) as Span, { end: broken })
      : started;
  };
  const agent = new MockAgent({ script: [[agentStep.tool({ name: "ls" })]] });
  const client = withTelemetry(agent, { tracer: { ...tracer, startSpan } }).client();
  await client.prompt("go").outcome;
  await client.close();
  expect(spans()).toHaveLength(1);
  expect(span("invoke_agent mock").attributes["agentwire.status"]).toBe("completed");
});

test("a source without a stream of its client is reported, and its client is returned", () => {
  const source = new ToldSource();
  source.toUniversal = broken;
  const { tracer } = sdk();
  withTelemetry(source, { tracer }).client();
  expect(source.agents).toHaveLength(1);
  expect(reports).toHaveLength(1);
});
