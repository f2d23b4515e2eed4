import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";

/** A real SDK that keeps what it exports. */
export function sdk() {
  const spans = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] });
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 3_600_000 });
  const meters = new MeterProvider({ readers: [reader] });
  return {
    tracer: provider.getTracer("test"),
    meter: meters.getMeter("test"),
    /** The ended spans, in the order of their ends. */
    spans: (): readonly ReadableSpan[] => spans.getFinishedSpans(),
    /** The span with this name. */
    span(name: string): ReadableSpan {
      const found = spans.getFinishedSpans().find((span) => span.name === name);
      if (!found)
        throw new Error(
          `no span is named ${name}, but ${spans
            .getFinishedSpans()
            .map((each) => each.name)
            .join(", ")}`,
        );
      return found;
    },
    /** The data points of each metric, by name. */
    async points() {
      await meters.forceFlush();
      const exported =
        metrics
          .getMetrics()
          .at(-1)
          ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
      return new Map(exported.map((metric) => [metric.descriptor.name, metric]));
    },
    close: () => meters.shutdown(),
  };
}

/** The names of the events of a span, in order. */
export const eventsIn = (span: ReadableSpan): readonly string[] => span.events.map(({ name }) => name);

/** Everything that was exported, as text. */
export const textOf = (spans: readonly ReadableSpan[]): string =>
  JSON.stringify(
    spans.map(({ name, attributes, events, status }) => ({
      name,
      attributes,
      events: events.map((event) => ({ name: event.name, attributes: event.attributes })),
      status,
    })),
  );
