import { afterEach, expect, test, vi } from "vitest";
import { asyncDispose } from "../../src/core/dispose.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

test("the dispose symbol is the platform's, so that `await using` finds it", async () => {
  const log: string[] = [];
  {
    await using _resource = { [asyncDispose]: async () => void log.push("disposed") };
    log.push("used");
  }
  expect(log).toEqual(["used", "disposed"]);
});

test("where the platform has none, it is the one that compiled code agrees on", async () => {
  const platform = Symbol;
  const older = (description?: string) => platform(description);
  Object.setPrototypeOf(older, platform);
  vi.stubGlobal("Symbol", Object.defineProperty(older, "asyncDispose", { value: undefined }));
  vi.resetModules();
  const fallback = await import("../../src/core/dispose.ts");
  expect(fallback.asyncDispose).toBe(Symbol.for("Symbol.asyncDispose"));
});
