import { expect, test } from "vitest";
import { scripted, watched } from "../../docs/snippets/testing-backend.ts";
import { capturedOutput } from "../helpers/captured-output.ts";
import { chat, finish, start } from "../testing/codebuff-backend-raw-client.ts";

const output = capturedOutput();

test("the backend of docs/testing.md fails once, holds a stream, and sees the run end", async () => {
  const held = await scripted();
  const watching = watched(held);

  const runId = await start(held.backend);
  expect((await chat(held.backend, runId)).status).toBe(503);
  expect(await chat(held.backend, runId)).toMatchObject({
    said: "I will look.",
    calls: [{ name: "read_files", arguments: '{"paths":["a.ts"]}' }],
    usage: { cost: 0.05 },
  });
  expect((await chat(held.backend, runId)).said).toBe("All done.");
  await finish(held.backend, runId, { totalSteps: 3, directCredits: 5, totalCredits: 5 });
  await watching;

  expect(output.logged).toEqual([[held.backend.url, "test-key"], ["completed", 5], [[503, 200, 200]], [[]]]);
});
