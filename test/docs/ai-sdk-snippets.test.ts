import { expect, test, vi } from "vitest";
import { capturedOutput } from "../helpers/captured-output.ts";

const output = capturedOutput();

test("the first program asks before the tool runs, and goes on once it is allowed", async () => {
  const { transport } = await import("../../docs/snippets/ai-sdk-first.ts");
  const lines = () => output.logged.map((values) => values.join(" ").trim());
  await vi.waitFor(() => expect(lines()).toContain("One file."));
  await transport.close();
  expect(lines()).toEqual([
    "Let me look.",
    "shell approval-requested",
    "Let me look.",
    "shell output-available a.txt",
    "One file.",
  ]);
});
