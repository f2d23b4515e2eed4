import { afterEach, expect, test, vi } from "vitest";
import { asyncDispose } from "../../src/core/dispose.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

test("`asyncDispose` is the platform's symbol, so `await using` works", async () => {
  const log: string[] = [];
  {
    await using _resource = { [asyncDispose]: async () => void log.push("disposed") };
    log.push("used");
  }
  expect(log).toEqual(["used", "disposed"]);
});

test("`asyncDispose` falls back to `Symbol.for('Symbol.asyncDispose')`, as compiled code does", async () => {
  const platform = Symbol;
  const older = (description?: string) => platform(description);
  Object.setPrototypeOf(older, platform);
  vi.stubGlobal("Symbol", Object.defineProperty(older, "asyncDispose", { value: undefined }));
  vi.resetModules();
  const fallback = await import("../../src/core/dispose.ts");
  expect(fallback.asyncDispose).toBe(Symbol.for("Symbol.asyncDispose"));
});
