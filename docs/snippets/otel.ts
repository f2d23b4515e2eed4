import { context, type Tracer, trace } from "@opentelemetry/api";
import type { AgentSource } from "agentwire";

// #region otel-parent
export async function answer(source: AgentSource, tracer: Tracer, prompt: string): Promise<string> {
  const client = source.client();
  const span = tracer.startSpan("answer");
  try {
    const turn = context.with(trace.setSpan(context.active(), span), () => client.prompt(prompt));
    return (await turn.result).text; // the span of the turn is inside of `answer`
  } finally {
    span.end();
    await client.close();
  }
}
// #endregion
