import { afterEach, beforeEach, vi } from "vitest";

/** What a program streams out and logs while a test runs; nothing of it is shown. */
export function capturedOutput(): { readonly streamed: string; readonly logged: readonly unknown[][] } {
  let streamed = "";
  let logged: unknown[][] = [];
  beforeEach(() => {
    streamed = "";
    logged = [];
    vi.spyOn(process.stdout, "write").mockImplementation((text) => {
      streamed += String(text);
      return true;
    });
    vi.spyOn(console, "log").mockImplementation((...values) => void logged.push(values));
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });
  return {
    get streamed() {
      return streamed;
    },
    get logged() {
      return logged;
    },
  };
}
