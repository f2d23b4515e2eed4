import { AbstractAgent, type RunAgentInput } from "@ag-ui/client";
import { type AgUiAgent, agUiAgent, encodeSse, toAgUi } from "agentwire/ag-ui";
import { createChat } from "agentwire/chat";
import { agentStep, MockAgent } from "agentwire/testing/agent";
import { from } from "rxjs";
import { expect, test, vi } from "vitest";
import { decide, routeOf, send } from "../../docs/snippets/ag-ui.ts";
import { read } from "../docs/page.ts";
import { capturedOutput } from "../helpers/captured-output.ts";
import { Bench, inputOf } from "./support/client.ts";
import { Route } from "./support/route.ts";

const output = capturedOutput();

test("the first program is interrupted by the approval, and prints the rest", async () => {
  await import("../../docs/snippets/ag-ui-first.ts");
  await vi.waitFor(() => expect(output.logged.at(-1)).toEqual(["text:", "file."]));
  const lines = output.logged.map((values) => values.join(" "));
  expect(lines).toContain("TOOL_CALL_START");
  expect(lines).toContain("RUN_FINISHED");
  expect(lines).toContain("result: a.txt");
});

test("the route streams the answer of a thread's chat", async () => {
  const POST = routeOf(new MockAgent());
  const ask = async (text: string, threadId: string) => {
    const body = JSON.stringify({ ...inputOf([text]), threadId });
    return POST(new Request("http://localhost/agent", { method: "POST", body }));
  };
  const response = await ask("hello", "a");
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  expect(await response.text()).toMatch(/^data: \{"type":"RUN_STARTED".*"RUN_FINISHED".*\n\n$/s);
  expect(await (await ask("hello", "b")).text()).toContain("RUN_FINISHED");
});

class ChatAgent extends AbstractAgent {
  readonly agent: AgUiAgent;

  constructor(agent: AgUiAgent) {
    super();
    this.agent = agent;
  }

  run(input: RunAgentInput) {
    return from(this.agent.run(input));
  }
}

test("a chat is an AbstractAgent of the client", async () => {
  const client = new ChatAgent(agUiAgent(createChat(new MockAgent({ script: ["Hello."] }))));
  client.addMessage({ id: "m1", role: "user", content: "hi" });
  const { newMessages } = await client.runAgent();
  expect(newMessages).toMatchObject([{ role: "assistant", content: "Hello." }]);
});

test("one turn of a client is a run", async () => {
  const source = new MockAgent({ script: [["Hi", agentStep.status("thinking")]] });
  const client = source.client();
  const events = toAgUi(source.toUniversal(client.prompt("hello")), { threadId: "t1", runId: "r1" });
  const body = encodeSse(events);
  const text = await new Response(body).text();
  expect(text).toContain('"delta":"Hi"');
  expect(text).toContain("RUN_FINISHED");
  await client.close();
});

/** A page, and the agent that asks it. */
async function asked(bench: Bench, route: Route) {
  const page = await route.client();
  await send(page, "go");
  expect(bench.chat.getSnapshot().pending.map(({ id }) => id)).toEqual(
    page.pendingInterrupts.map(({ id }) => id),
  );
  expect(page.pendingInterrupts).toHaveLength(1);
  return page;
}

const asking = {
  *script({ text }: { readonly text: string }) {
    if (text !== "go") yield "As you like.";
    else {
      const { state } = yield* agentStep.tool({ name: "rm", approval: true, output: "gone" });
      if (state === "done") yield* agentStep.question("Which?");
      yield `It is ${state}.`;
    }
  },
};

test.each([true, false])("the page decides with `resume`: %s", async (approved) => {
  await using bench = new Bench(asking);
  await using route = new Route(bench.agent);
  const page = await asked(bench, route);
  await decide(page, approved);
  if (approved) {
    expect(page.pendingInterrupts).toMatchObject([{ reason: "input_required" }]);
    await decide(page, true);
  }
  expect(page.pendingInterrupts).toEqual([]);
  expect(page.messages.at(-1)).toMatchObject({ content: approved ? "It is done." : "It is denied." });
});

test("the page cannot send a message before a `resume` for each interrupt, and `send` cancels them", async () => {
  await using bench = new Bench(asking);
  await using route = new Route(bench.agent);
  const page = await asked(bench, route);
  await expect(page.runAgent()).rejects.toThrow("not addressed by resume");
  await send(page, "never mind");
  expect(page.pendingInterrupts).toEqual([]);
  expect(page.messages.at(-1)).toMatchObject({ content: "As you like." });
  expect(bench.mock.decisions.filter(({ decision }) => decision !== "reject")).toEqual([]);
});

const WORDS = [
  "branch",
  "plan",
  "context",
  "notice",
  "compaction",
  "mode",
  "model",
  "commands",
  "tool facts",
  "call state",
  "preview",
  "scope",
  "streamed arguments",
  "sub-agent",
  "citation",
  "prompt id",
];

test("the docstring of `toAgUi` has a row for each word of the universal events", () => {
  const rows = read("src/ag-ui/to-ag-ui.ts")
    .split("\n")
    .flatMap((line) => (line.startsWith(" * | ") ? [line.split("| ")[1] ?? ""] : []));
  for (const word of WORDS) expect(rows.join("\n")).toContain(word);
});
