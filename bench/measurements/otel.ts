/** What telemetry costs a turn: without a provider, and with one whose spans are thrown away. */
import { trace } from "@opentelemetry/api";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import { NoopSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { withTelemetry } from "agentwire/otel";
import { agentStep, MockAgent } from "agentwire/testing/agent";
import { collectGarbage, cpuOf } from "../support/cpu.ts";
import { answer } from "../support/measure.ts";
import { median } from "../support/numbers.ts";

await answer(async (settings) => {
  const turns = settings.number("turns");
  const deltas = settings.number("deltas");
  const agent = new MockAgent({ deltas: "whole" });
  agent.script(function* () {
    yield* agentStep.tool({ name: "shell", input: { command: "ls" }, output: "a.txt" });
    for (let delta = 0; delta < deltas; delta++) yield "some text ";
  });
  const idle = withTelemetry(agent);
  const tracer = new TracerProvider({ spanProcessors: [new NoopSpanProcessor()] }).getTracer("bench");
  const traced = withTelemetry(agent, { tracer, meter: new MeterProvider().getMeter("bench") });
  if (trace.getTracer("bench").startSpan("a").isRecording()) throw new Error("a provider is set");

  /** µs of CPU of all turns. */
  const costOf = async (source: MockAgent | typeof idle): Promise<number> => {
    const client = source.client();
    collectGarbage();
    const cost = await cpuOf(async () => {
      for (let turn = 0; turn < turns; turn++) await client.prompt("go", { read: false }).result;
    });
    await client.close();
    return cost;
  };

  const ratios: Record<"idle" | "traced", number[]> = { idle: [], traced: [] };
  const rounds = settings.number("warmUps") + settings.number("rounds");
  for (let round = 0; round < rounds; round++) {
    const before = await costOf(agent);
    const costs = { idle: await costOf(idle), traced: await costOf(traced) };
    const plain = (before + (await costOf(agent))) / 2; // a process gets faster, so it is measured on both sides
    if (round < settings.number("warmUps")) continue;
    ratios.idle.push(costs.idle / plain);
    ratios.traced.push(costs.traced / plain);
  }
  return { idle: median(ratios.idle), traced: median(ratios.traced) };
});
