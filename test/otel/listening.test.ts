import { readFileSync } from "node:fs";
import { context, metrics, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  StackContextManager,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { type ChatMessage, createChat } from "agentwire/chat";
import { withTelemetry } from "agentwire/otel";
import { agentStep, ManualClock, MockAgent } from "agentwire/testing";
import { afterEach, describe, expect, test } from "vitest";
import { until } from "../../examples/support/until.ts";
import { sdk } from "./support/sdk.ts";
import { ToldSource } from "./support/told-source.ts";
import { ask } from "./support/traced.ts";

afterEach(() => {
  trace.disable();
  metrics.disable();
  context.disable();
});

/** The options for an SDK. */
const only = ({ tracer, meter }: ReturnType<typeof sdk>) => ({ tracer, meter });

function setProvider(): InMemorySpanExporter {
  const exporter = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
  );
  return exporter;
}

describe("a client", () => {
  test("is not listened to while no provider is set", () => {
    const source = new ToldSource();
    withTelemetry(source).client();
    expect(source.agent.listeners.size).toBe(0);
    expect(source.streams).toBe(0);
  });

  test("is the source's own, listened to or not", () => {
    const source = new ToldSource();
    expect(withTelemetry(source).client()).toBe(source.agent);
    expect(withTelemetry(source, only(sdk())).client()).toBe(source.agent);
    expect(source.agent.listeners.size).toBeGreaterThan(0);
  });

  test("that is made after a provider was set is traced; one that was made before is not", async () => {
    const source = withTelemetry(new MockAgent());
    const before = source.client();
    const exporter = setProvider();
    const after = source.client();
    await before.prompt("one").outcome;
    await after.prompt("two").outcome;
    await Promise.all([before.close(), after.close()]);
    expect(exporter.getFinishedSpans()).toHaveLength(1);
  });

  test("tells the global providers the name and the version of this package as the scope", async () => {
    const { name, version } = JSON.parse(
      readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
    );
    const exporter = setProvider();
    const meters = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter: meters, exportIntervalMillis: 3_600_000 });
    const provider = new MeterProvider({ readers: [reader] });
    metrics.setGlobalMeterProvider(provider);
    const client = withTelemetry(new MockAgent()).client();
    await client.prompt("go").outcome;
    await client.close();
    await provider.forceFlush();
    const scopes = meters.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.map(({ scope }) => scope));
    expect(scopes).toMatchObject([{ name, version }]);
    expect(exporter.getFinishedSpans()).toMatchObject([{ instrumentationScope: { name, version } }]);
    await provider.shutdown();
  });

  test("is measured if only a meter is set", async () => {
    const { meter, points } = sdk();
    const client = withTelemetry(new MockAgent(), { meter }).client();
    await client.prompt("go").outcome;
    await client.close();
    expect([...(await points()).keys()]).toContain("gen_ai.client.operation.duration");
  });

  test("gives streams and errors as the source does", () => {
    const source = new ToldSource();
    const wrapped = withTelemetry(source, only(sdk()));
    expect(wrapped.name).toBe(source.name);
    source.refusal = new Error("no more");
    expect(() => wrapped.client()).toThrow("no more");
  });
});

describe("the parent", () => {
  test("of a turn is the span that was active at `prompt()`", async () => {
    context.setGlobalContextManager(new StackContextManager().enable());
    const told = sdk();
    const client = withTelemetry(new MockAgent(), only(told)).client();
    const request = told.tracer.startSpan("GET /chat");
    const turn = context.with(trace.setSpan(ROOT_CONTEXT, request), () => client.prompt("go"));
    await turn.outcome;
    await client.close();
    expect(told.span("invoke_agent mock").parentSpanContext).toEqual(request.spanContext());
  });

  test("of a chat's turn is the span that was active at `send()`", async () => {
    context.setGlobalContextManager(new StackContextManager().enable());
    const told = sdk();
    const chat = createChat(withTelemetry(new MockAgent(), only(told)));
    const request = told.tracer.startSpan("POST /chat");
    context.with(trace.setSpan(ROOT_CONTEXT, request), () => chat.send("go"));
    await until(chat, ({ busy }) => !busy);
    await chat.close();
    expect(told.span("invoke_agent mock").parentSpanContext).toEqual(request.spanContext());
  });

  test("of work without a prompt is none, whatever is active", () => {
    context.setGlobalContextManager(new StackContextManager().enable());
    const told = sdk();
    const source = new ToldSource();
    withTelemetry(source, only(told)).client();
    const other = told.tracer.startSpan("other");
    context.with(trace.setSpan(ROOT_CONTEXT, other), () => source.playTurn({ unsolicited: true }));
    const { parentSpanContext, attributes } = told.span("invoke_agent fake");
    expect(parentSpanContext).toBeUndefined();
    expect(attributes["agentwire.turn.unsolicited"]).toBe(true);
  });
});

describe("a chat over a traced source", () => {
  const script = function* () {
    yield "Let me look. ";
    yield agentStep.reasoning("Hm.");
    yield* agentStep.tool({ name: "shell", input: { command: "ls" }, output: "a.txt", approval: true });
    yield agentStep.subagent({ type: "picker", name: "Picker", steps: ["Found."] });
    yield agentStep.plan([{ content: "look", status: "completed" }]);
    yield agentStep.usage({ inputTokens: 1, outputTokens: 2 });
    yield "Done.";
  };

  /** The messages of two turns, without their random ids and their times. */
  async function messagesOf(wrap: (agent: MockAgent) => MockAgent | ReturnType<typeof withTelemetry>) {
    const agent = new MockAgent({ script, clock: new ManualClock() });
    const chat = createChat(wrap(agent), { clock: new ManualClock() });
    for (const prompt of ["one", "two"]) {
      const asked = ask(chat, prompt);
      await until(chat, ({ pending }) => pending.length > 0);
      for (const { id } of chat.getSnapshot().pending) chat.decide(id, "once");
      await asked;
    }
    const { messages, usage, plan } = chat.getSnapshot();
    await chat.close();
    return {
      messages: messages.map(withoutIds),
      usage,
      plan,
      prompts: agent.prompts,
      decisions: agent.decisions,
    };
  }

  const withoutIds = (message: ChatMessage): unknown =>
    JSON.parse(JSON.stringify(message).replace(/[a-z]+-[0-9a-f]{32}|(?<=At":)\d+/g, "0"));

  test("has the messages, the usage, the prompts and the decisions of one over the source", async () => {
    const plain = await messagesOf((agent) => agent);
    const wrapped = await messagesOf((agent) => withTelemetry(agent, only(sdk())));
    expect(wrapped).toEqual(plain);
  });
});

describe("a mistake", () => {
  test("of the caller is refused with a hint", () => {
    const chat = createChat(new MockAgent());
    expect(() => withTelemetry(chat as never)).toThrow(/no source.*codey/s);
    expect(() => withTelemetry(new MockAgent(), { contents: true } as never)).toThrow(
      /Did you mean `content`/,
    );
    expect(() => withTelemetry(new MockAgent(), { tracer: 1 as never })).toThrow(/`tracer` is 1/);
  });

  test("a provider, or anything else, in place of a tracer or a meter is refused with what to pass", () => {
    const refused = (options: object): unknown => {
      try {
        return withTelemetry(new MockAgent(), options as never);
      } catch (error) {
        return error;
      }
    };
    for (const tracer of [new TracerProvider(), trace, trace.getTracerProvider(), {}])
      expect(refused({ tracer })).toMatchObject({
        code: "invalid-input",
        message: expect.stringContaining("provider.getTracer("),
      });
    for (const meter of [new MeterProvider(), metrics, metrics.getMeterProvider(), {}])
      expect(refused({ meter })).toMatchObject({
        code: "invalid-input",
        message: expect.stringContaining("provider.getMeter("),
      });
    const fine = { tracer: trace.getTracer("a"), meter: metrics.getMeter("a") }; // of no provider yet
    expect(refused(fine)).not.toBeInstanceOf(Error);
  });
});
