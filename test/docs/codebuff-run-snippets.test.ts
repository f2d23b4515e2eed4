import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CodebuffRun, type CodebuffRunOptions, type StandardSchema } from "agentwire/codebuff-run";
import { MockCodebuffBackend, type MockCodebuffBackendOptions } from "agentwire/testing";
import { expect, test, vi } from "vitest";
import * as z from "zod";
import * as page from "../../docs/snippets/codebuff-run.ts";
import { capturedOutput } from "../helpers/captured-output.ts";

const output = capturedOutput();
const AGENT = { id: "helper", displayName: "Helper", model: "test/model" };

/** A mock backend, and the options that lead to it. */
async function started(backendOptions: MockCodebuffBackendOptions = {}) {
  const backend = await MockCodebuffBackend.start(backendOptions);
  const options: CodebuffRunOptions = { baseUrl: backend.url, apiKey: backend.apiKey, agent: AGENT };
  return { backend, options, [Symbol.asyncDispose]: () => backend.stop() };
}

/** Closes a client when the test leaves. */
function closing(client: CodebuffRun) {
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

test("the first program of docs/codebuff-run.md streams, runs its tool and prints the cost", async () => {
  await import("../../docs/snippets/codebuff-run-first.ts");
  expect(output.streamed).toBe("Let me add. It is 5.");
  expect(output.logged).toEqual([['\n(add {"a":2,"b":3})'], ["\n(2 answers of the model, 5 credits)"]]);
});

test("a structured output is checked, and is the output of the run", async () => {
  const call = (data: object) => ({ toolCalls: [{ name: "set_output", arguments: { data } }] });
  await using at = await started({ answer: [call({ problems: [1] }), call({ problems: ["a"] }), "Done."] });
  await using at2 = closing(page.agents(at.options));
  const { output: result } = await at2.client.prompt("Review.").result;
  expect(result).toEqual({ type: "structuredOutput", value: { problems: ["a"] } });
});

test("tools in both forms of schemas are offered, checked and run", async () => {
  const call = (name: string, args = {}) => ({ name, arguments: args });
  await using at = await started({
    answer: [
      {
        toolCalls: [call("weather", { city: "Oslo" }), call("deploy", { branch: "x" }), call("weather", {})],
      },
      "Done.",
    ],
  });
  const schema: StandardSchema = z.object({ branch: z.string() });
  await using at2 = closing(page.forms(at.options, schema));
  const turn = at2.client.prompt("Go.");
  const told: string[] = [];
  turn.on("event", (event) => {
    if (event.type === "tool_progress") told.push(event.output);
    if (event.type === "error") told.push(event.message);
  });
  const { toolCalls } = await turn.result;
  expect(toolCalls.map(({ name, state }) => [name, state])).toEqual([
    ["weather", "done"],
    ["deploy", "done"],
  ]);
  expect(told).toEqual([expect.stringContaining("Invalid parameters for weather"), "building ...\n"]);
  const [first] = at.backend.requests({ endpoint: "chat" });
  expect(first?.body).toMatchObject({
    tools: [
      { function: { name: "weather", parameters: { properties: { city: { type: "string" } } } } },
      { function: { name: "deploy", parameters: { required: ["branch"] } } },
    ],
  });
});

test("rules decide first, then the user; questions reach the user", async () => {
  const deploy = (branch: string) => ({ name: "deploy", arguments: { branch } });
  const ask = { question: "Which?", options: [{ label: "A" }, { label: "B" }] };
  await using at = await started({
    answer: [
      {
        toolCalls: [
          { name: "read_files", arguments: { paths: ["a"] } },
          deploy("main"),
          deploy("next"),
          { name: "ask_user", arguments: { questions: [ask] } },
        ],
      },
      "Done.",
    ],
  });
  const tool = {
    description: "Deploys.",
    parameters: { type: "object", properties: { branch: { type: "string" } } },
    execute: () => [{ type: "json", value: true } as const],
  };
  const asked: unknown[] = [];
  const options: CodebuffRunOptions = {
    ...at.options,
    agent: { ...AGENT, toolNames: ["read_files", "ask_user"] },
    tools: { deploy: tool },
    overrideTools: { read_files: () => [{ type: "json", value: [] }] },
  };
  const client = page.gate(options, {
    confirm: async ({ input }) => {
      asked.push(input);
      return false;
    },
    choose: async (questions) => {
      asked.push(questions.map(({ question }) => question));
      return "A";
    },
  });
  await using _closing = closing(client);
  const { toolCalls } = await client.prompt("Go.").result;
  expect(toolCalls.map(({ state, deniedBy }) => [state, deniedBy])).toEqual([
    ["done", undefined],
    ["denied", "policy"],
    ["denied", "user"],
    ["done", undefined],
  ]);
  expect(asked).toEqual([{ branch: "next" }, ["Which?"]]);
});

test("a server with OpenAI's API gets all requests, even with a key in the environment", async () => {
  vi.stubEnv("CODEBUFF_API_KEY", "not for this server");
  await using at = await started({ openAiCompatible: true, answer: ["Hello."], users: [{ key: "unused" }] });
  at.backend.fault("chat", { status: 401, times: 1 }); // this server wants a key, which the page's has not
  await using at2 = closing(page.local(AGENT, `${at.backend.url}/v1`));
  expect(await at2.client.prompt("Hi").outcome).toMatchObject({ status: "failed", error: { kind: "auth" } });
  expect(at.backend.requests().map(({ path }) => path)).toEqual(["/v1/chat/completions"]);
});

test("a caller's own provider answers", async () => {
  await using at = await started();
  const agent = { ...AGENT, model: "echo/one", systemPrompt: "Echo." };
  await using at2 = closing(new CodebuffRun({ ...at.options, agent, providers: [page.provider()] }));
  const { text, cost } = await at2.client.prompt("Hi").result;
  expect(text).toBe("You sent 2 messages.");
  expect(cost).toEqual({ amount: 0, unit: "credits" });
  expect(at.backend.requests({ endpoint: "chat" })).toEqual([]);
});

test("a conversation continues, also from its saved state", async () => {
  await using at = await started({ answer: ({ request }) => `${request.messages.length}` });
  await using at2 = closing(new CodebuffRun(at.options));
  const resumed = await page.conversations(at2.client);
  expect(resumed.messages.map(({ content }) => content)).toEqual([
    "Read the tests of the parser.",
    "1",
    "Which of them are slow?",
    "3",
  ]);
  expect((await resumed.prompt("More.").result).text).toBe("5");
});

test("a run saves its state on the way, and another one goes on from it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "agentwire-state-"));
  await using at = await started({ answer: () => "Done." });
  await using at2 = closing(new CodebuffRun(at.options));
  await page.survives(at2.client, join(folder, "state"));
  await page.survives(at2.client, join(folder, "state"));
  await rm(folder, { recursive: true });
  const sent = at.backend.requests({ endpoint: "chat" }).map(({ body }) => body as { messages: object[] });
  expect(sent.map(({ messages }) => messages.length)).toEqual([1, 3]);
});

test("a lead agent runs a reader agent, whose text is not in the turn's text", async () => {
  await using at = await started({
    answer: ({ agentId, call }) => {
      if (agentId === "reader") return "It adds.";
      return call === 1
        ? { toolCalls: [{ name: "reader", arguments: { prompt: "Read a.ts" } }] }
        : "The file adds.";
    },
  });
  await using at2 = closing(page.team(at.options));
  const { text } = await at2.client.prompt("What does a.ts do?").result;
  expect(text).toBe("The file adds.");
  expect(at.backend.runs().map(({ agentId }) => agentId)).toEqual(["lead", "reader"]);
});

test("a program calls a tool before the first request to the model", async () => {
  await using at = await started({ answer: ["There are two."] });
  const inputs: unknown[] = [];
  const find = {
    description: "Finds tests.",
    parameters: { type: "object", properties: { about: { type: "string" } } },
    execute: ({ input }: { readonly input: unknown }) => {
      inputs.push(input);
      return [{ type: "json", value: ["a", "b"] } as const];
    },
  };
  await using at2 = closing(
    new CodebuffRun({ ...at.options, agent: page.programmed(), tools: { find_tests: find } }),
  );
  expect((await at2.client.prompt("parser").result).text).toBe("There are two.");
  expect(inputs).toEqual([{ about: "parser" }]);
});

test("a failure has its kind, and a conversation continues after a retryable failure", async () => {
  await using at = await started({ balance: 0 });
  await using at2 = closing(new CodebuffRun(at.options));
  expect(await page.errors(at2.client)).toBeUndefined();
  expect(output.logged).toEqual([["payment_required", 402, undefined]]);

  at.backend.set({ balance: 100 });
  at.backend.fault("chat", { status: 429, headers: { "retry-after": "61" }, times: 1 });
  const chat = await page.errors(at2.client);
  expect(output.logged.at(-1)).toEqual(["rate_limited", 429, "invalid_request_error"]);
  expect((await chat?.prompt("Again.").result)?.text).toBe("Hello!");
});
