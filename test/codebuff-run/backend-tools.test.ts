import { CodebuffRun } from "agentwire/codebuff-run";
import { expect, test } from "vitest";
import { fieldsOf } from "../../src/core/checks.ts";
import { agentWith, json, runWorld, textIn } from "./world.ts";

// `web_search` and `read_docs`, which the backend runs.

const AGENT = agentWith("web_search", "read_docs");
const search = (query: string) => ({ name: "web_search", arguments: { query } });
const docs = (input: Readonly<Record<string, unknown>>) => ({ name: "read_docs", arguments: input });

/** The results that the model got, as texts. */
const resultsIn = (at: Awaited<ReturnType<typeof runWorld>>): readonly string[] =>
  at
    .chats()
    .at(-1)
    ?.messages.filter(({ role }) => role === "tool")
    .map(textIn) ?? [];

test("are offered to an agent that names them, search over the backend, and their credits count", async () => {
  const asked: object[] = [];
  await using at = await runWorld(
    {
      answer: [
        { toolCalls: [search("mutex"), docs({ libraryTitle: "React", topic: "hooks", max_tokens: 9 })] },
        "Done.",
      ],
      webSearch: (about) => {
        asked.push(about);
        return "A lock.";
      },
      docsSearch: (about) => {
        asked.push(about);
        return "useState";
      },
    },
    { agent: AGENT },
  );
  const { cost, toolCalls } = await at.client.prompt("hi").result;
  expect(asked).toEqual(
    expect.arrayContaining([
      { query: "mutex", depth: "standard" },
      { libraryTitle: "React", topic: "hooks", maxTokens: 9 },
    ]),
  );
  expect(resultsIn(at)).toEqual(['{"result":"A lock."}', '{"documentation":"useState"}']);
  expect(toolCalls.map(({ state }) => state)).toEqual(["done", "done"]);
  const searches = at.backend.requests().filter(({ path }) => path.includes("-search"));
  const credits = searches.map(({ response }) => Number(fieldsOf(response?.body)["creditsUsed"]));
  expect(cost?.amount).toBe(credits.reduce((sum, each) => sum + each, 0));
  expect(at.backend.runs()).toMatchObject([{ finish: { totalCredits: cost?.amount } }]);
});

test("tell the agent that nothing was found, and what the backend refuses", async () => {
  await using at = await runWorld(
    { answer: [{ toolCalls: [search("x")] }, { toolCalls: [search("y")] }, "Done."], webSearch: () => null },
    { agent: AGENT },
  );
  at.backend.fault("web-search", { status: 402, body: { message: "Insufficient credits" }, times: 1 });
  const { toolCalls } = await at.client.prompt("hi").result;
  expect(toolCalls.map(({ error }) => error)).toEqual([
    "Insufficient credits",
    'No search results found for "y"',
  ]);
});

test("are decided by the gate", async () => {
  await using at = await runWorld(
    { answer: [{ toolCalls: [search("x")] }, "Done."] },
    { agent: AGENT, toolPolicy: [{ tool: "web_search", then: "deny" }] },
  );
  const { toolCalls } = await at.client.prompt("hi").result;
  expect(toolCalls).toMatchObject([{ name: "web_search", state: "denied" }]);
  expect(at.backend.requests({ endpoint: "web-search" })).toEqual([]);
});

test("a handler in `overrideTools` comes before the backend", async () => {
  await using at = await runWorld(
    { answer: [{ toolCalls: [search("x")] }, "Done."] },
    { agent: AGENT, overrideTools: { web_search: () => json({ result: "mine" }) } },
  );
  await at.client.prompt("hi").result;
  expect(resultsIn(at)).toEqual(['{"result":"mine"}']);
});

test("are not offered without a backend, or to an agent that does not name them", async () => {
  const offered: unknown[] = [];
  const own = {
    name: "own",
    supports: () => true,
    async *stream({ tools }: { readonly tools?: unknown }) {
      offered.push(tools);
      yield { choices: [{ delta: { content: "Hi." }, finish_reason: "stop" }] };
    },
  };
  await using at = await runWorld({ answer: () => "Hi." });
  await using alone = new CodebuffRun({ providers: [own], agent: AGENT, clock: at.clock });
  await alone.prompt("hi").result;
  await at.client.prompt("hi").result;
  expect([...offered, at.chats()[0]?.tools]).toEqual([undefined, undefined]);
});
