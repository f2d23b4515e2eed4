import { CodebuffRun } from "agentwire/codebuff-run";
import { MockCodebuffBackend } from "agentwire/testing";
import { expect, test } from "vitest";

test("smoke", async () => {
  await using backend = await MockCodebuffBackend.start({ answer: ["Hello"] });
  const client = new CodebuffRun({
    apiKey: backend.apiKey,
    baseUrl: backend.url,
    agent: { id: "a", displayName: "A", model: "m/x" },
  });
  const result = await client.prompt("hi").result;
  expect(result.text).toBe("Hello");
  expect(backend.violations).toEqual([]);
  await client.close();
});
