import { context, trace } from "@opentelemetry/api";
import { StackContextManager } from "@opentelemetry/sdk-trace";
import { withTelemetry } from "agentwire/otel";
import { MockAgent } from "agentwire/testing";
import { afterEach, expect, test, vi } from "vitest";
import * as page from "../../docs/snippets/otel.ts";
import { until } from "../../examples/support/until.ts";
import { sdk } from "../otel/support/sdk.ts";

afterEach(() => {
  trace.disable();
  context.disable();
});

test("the first program of docs/otel.md prints the span of the tool call, then the span of the turn", async () => {
  const printed: unknown[] = [];
  const spy = vi.spyOn(console, "dir").mockImplementation((value) => void printed.push(value));
  const { chat } = await import("../../docs/snippets/otel-first.ts");
  await until(chat, ({ messages }) => messages.at(-1)?.status === "completed");
  await chat.close();
  spy.mockRestore();
  expect(printed).toMatchObject([{ name: "execute_tool shell" }, { name: "invoke_agent mock" }]);
});

test("the span of a turn is inside of the caller's span, and has its texts if asked for", async () => {
  context.setGlobalContextManager(new StackContextManager().enable());
  const { tracer, span } = sdk();
  const source = withTelemetry(new MockAgent({ script: ["Hello"] }), { tracer, content: true });
  expect(await page.answer(source, tracer, "What is here?")).toBe("Hello");
  expect(span("invoke_agent mock").parentSpanContext).toEqual(span("answer").spanContext());
  expect(span("invoke_agent mock").attributes["gen_ai.input.messages"]).toContain("What is here?");
});
