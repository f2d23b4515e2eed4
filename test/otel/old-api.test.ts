import { afterEach, expect, test, vi } from "vitest";

afterEach(() => {
  vi.doUnmock("@opentelemetry/api");
  vi.resetModules();
});

test("an API that is too old is refused with its name, the version and what to install", async () => {
  vi.resetModules();
  vi.doMock("@opentelemetry/api", () => ({ trace: {}, context: {} }));
  const { withTelemetry } = await import("agentwire/otel");
  const { MockAgent } = await import("agentwire/testing");
  expect(() => withTelemetry(new MockAgent())).toThrow(
    /`@opentelemetry\/api`, version 1\.3 or later, and this is an older one/,
  );
});
