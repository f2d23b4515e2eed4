import { step } from "agentwire/testing";
import { expect, test } from "vitest";
import { asks, CONFIG } from "../helpers/codebuff-approvals.ts";
import { original } from "../helpers/codebuff-requests.ts";
import { deciding } from "../helpers/deciding.ts";

// What grants cover where names alone do not tell two requests apart.

test("grants for a tool, an MCP server's tool and files stay separate, whatever the names", async () => {
  const grant = "reads directly in src";
  await using pair = await original(asks("manual"), function* () {
    yield step.readFiles(["src/a.ts"]);
    yield step.toolCall({ toolName: "read_files", input: { paths: ["src/a.ts"] } });
    yield step.toolCall({ toolName: "read_files", input: { paths: ["src/a.ts"] }, mcpConfig: CONFIG });
    yield step.toolCall({ toolName: "files", input: { paths: ["src/a.ts"] } });
    yield step.readFiles(["src/b.ts"]);
    yield step.toolCall({ toolName: "read_files", input: { paths: ["src/b.ts"] } });
    yield step.toolCall({ toolName: "read_files", input: { paths: ["src/b.ts"] }, mcpConfig: CONFIG });
  });
  const asked = deciding(pair.client, ...Array.from({ length: 9 }, () => "always" as const));
  await pair.client.prompt("go").result;
  const whole = (path: string) => `exactly the input {"paths":["${path}"]}`;
  expect(asked.map((call) => call.grant)).toEqual([
    grant,
    grant,
    whole("src/a.ts"),
    whole("src/a.ts"),
    whole("src/b.ts"),
  ]);
});

test("`tool: true` for one MCP server's tool does not cover the same name elsewhere", async () => {
  const configs = [CONFIG, CONFIG, { ...CONFIG, command: "sh" }, undefined];
  await using pair = await original(asks("manual"), function* () {
    for (const [at, mcpConfig] of configs.entries())
      yield step.toolCall({ toolName: "search", input: { at }, ...(mcpConfig ? { mcpConfig } : {}) });
  });
  const asked = deciding(pair.client, { decision: "always", tool: true });
  await pair.client.prompt("go").result;
  expect(asked.map(({ input }) => input)).toEqual([{ at: 0 }, { at: 2 }, { at: 3 }]);
});

test("a sub-agent shares the grants of its prompt, and a call names its sub-agent", async () => {
  await using pair = await original(asks("manual"), function* ({ promptId }) {
    yield step.toolCall({ toolName: "act", input: {}, userInputId: `${promptId}-editor7` });
    yield step.toolCall({ toolName: "act", input: {} });
    yield step.toolCall({ toolName: "act", input: { other: true } });
  });
  const asked = deciding(pair.client, { decision: "once", scope: "turn" });
  await pair.client.prompt("go").result;
  expect(asked.map(({ agent, input }) => [agent, input])).toEqual([
    ["editor7", {}],
    [undefined, { other: true }],
  ]);
});

test("a grant for the session ends with the connection", async () => {
  await using pair = await original(asks("manual"), function* () {
    yield step.toolCall({ toolName: "act", input: {} });
  });
  const asked = deciding(pair.client, "always");
  await pair.client.prompt("go").result;
  expect(pair.client.grants).toHaveLength(1);
  const isLost = new Promise<void>((resolve) => pair.client.on("disconnected", () => resolve()));
  pair.client.on("reconnecting", ({ delay }) => void pair.clock.advance(delay));
  pair.server.dropAll();
  await isLost;
  expect(pair.client.grants).toEqual([]);
  await pair.client.prompt("go").result;
  expect(asked).toHaveLength(2);
});

test("a grant for the turn holds once if the request belongs to no turn, and the ruling says so", async () => {
  await using pair = await original(asks("manual"), function* () {
    yield step.requestMcpTools({ mcpConfig: CONFIG });
  });
  deciding(pair.client, { decision: "once", scope: "turn" });
  const rulings: unknown[] = [];
  pair.client.on("settled", (request) => request.type === "approval" && rulings.push(request.ruling));
  await pair.client.prompt("go").result;
  expect(rulings).toEqual([
    { decision: "once", by: "reply", reason: "allowed once: the call belongs to no turn" },
  ]);
  expect(pair.client.grants).toEqual([]);
});

test("an answer to a question takes no `scope`", async () => {
  await using pair = await original({ onQuestion: "manual" }, function* () {
    yield step.toolCall({
      toolName: "ask_user",
      input: { questions: [{ question: "Which?", options: [{ label: "a" }] }] },
    });
  });
  const errors: unknown[] = [];
  const attempt = (call: () => unknown): void => {
    try {
      call();
    } catch (error) {
      errors.push(error);
    }
  };
  pair.client.on("question", ({ id }) => {
    attempt(() => pair.client.answer(id, { answer: "a", scope: "turn" } as never));
    attempt(() => pair.client.decide(id, { decision: "once", scope: "turn" }));
    pair.client.answer(id, "a");
  });
  await pair.client.prompt("go").result;
  expect(errors).toMatchObject([
    { code: "invalid-input", message: expect.stringContaining("an answer has no scope") },
    { code: "invalid-input", message: expect.stringContaining("names a question") },
  ]);
});
