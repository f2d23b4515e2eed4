import { codeyStep, codeyTool } from "agentwire/testing";
import { expect, test } from "vitest";
import { codeyPair, once } from "../helpers/codey.ts";
import { fakePair, say } from "../helpers/codey-fake.ts";
import { deciding } from "../helpers/deciding.ts";

test("a grant for the session ends with the connection", async () => {
  await using pair = await codeyPair({
    mock: { answer: () => [codeyStep.calls(codeyTool.shell("ls"))] },
    client: { onToolApproval: "manual" },
  });
  const asked = deciding(pair.client, "always");
  await pair.client.prompt("go").result;
  expect(pair.client.grants).toMatchObject([{ grant: "`ls` in the project" }]);
  const isLost = once(pair.client, "disconnected");
  pair.server.dropAll();
  await isLost;
  expect(pair.client.grants).toEqual([]);
  expect(asked).toHaveLength(1);
});

test("sub-agents share the grants, and a request names its sub-agent", async () => {
  const made = await fakePair({ onToolApproval: "manual" });
  const { client } = made;
  const asked = deciding(client, "always");
  client.prompt("go");
  await made.settle();
  const ls = { command: "ls" };
  made.says(say.text("hi"), say.request(["c1"], 3), say.asks("c1", 3, ls));
  await made.settle();
  made.says(
    say.request(["c2"]),
    say.asks("c2", 0, ls),
    say.request(["c3"]),
    say.asks("c3", 0, { command: "rm" }),
  );
  await made.settle();
  expect(asked.map(({ agent, input }) => [agent, input])).toEqual([
    ["agent 3", ls],
    [undefined, { command: "rm" }],
  ]);
});

test("a grant for a folder or an origin covers later calls of the tool there", async () => {
  const calls = [
    codeyTool.readFile("src/a.ts"),
    codeyTool.readFile("./src/b.ts"),
    codeyTool.readFile("src/sub/c.ts"),
    codeyTool.readFile("src/../etc/passwd"),
    { name: "mcp_fetch_url", params: { url: "https://example.org/a" } },
    { name: "mcp_fetch_url", params: { url: "https://example.org/b" } },
    { name: "mcp_fetch_html", params: { url: "https://example.org/b" } },
  ];
  await using pair = await codeyPair({
    mock: { answer: () => calls.map((call) => codeyStep.calls(call)) },
    client: { onToolApproval: "manual" },
  });
  const asked = deciding(pair.client, ...calls.map(() => "always" as const));
  await pair.client.prompt("go").outcome;
  expect(asked.map(({ grant }) => grant)).toEqual([
    "reads directly in src",
    "reads directly in src/sub",
    "reads of src/../etc/passwd",
    "fetches from https://example.org",
    "fetches from https://example.org",
  ]);
});
