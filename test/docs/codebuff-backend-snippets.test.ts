import { expect, test } from "vitest";
import { scripted } from "../../docs/snippets/testing-backend.ts";
import { capturedOutput } from "../helpers/captured-output.ts";
import { chat, finish, start } from "../testing/codebuff-backend-raw-client.ts";

const output = capturedOutput();

test("the backend of docs/testing.md fails once, holds a stream, and sees the run end", async () => {
  const { backend, open } = await scripted();
  await using _stopping = backend;
  const runId = await start(backend);
  expect((await chat(backend, runId)).status).toBe(503);
  expect(await chat(backend, runId)).toMatchObject({
    said: "I will look.",
    calls: [{ name: "read_files", arguments: '{"paths":["a.ts"]}' }],
    usage: { cost: 0.05 },
  });
  const held = chat(backend, runId);
  await backend.waitFor(() => backend.runs()[0]?.chatCalls === 2);
  open();
  expect((await held).said).toBe("All done.");
  await finish(backend, runId, { totalSteps: 3, directCredits: 5, totalCredits: 5 });

  expect(backend.runs()[0]?.finish).toMatchObject({ status: "completed", totalCredits: 5 });
  expect(backend.violations).toEqual([]);
  expect(output.logged).toEqual([[backend.url, "test-key"]]);
});
