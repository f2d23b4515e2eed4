import type { AnyAgentClient, ToolCall } from "agentwire";
import { CassClient } from "agentwire/cass";
import { CodebuffCli } from "agentwire/codebuff-cli";
import { describe, expect, test } from "vitest";
import { deciding } from "../../helpers/deciding.ts";
import { BACKENDS, type Calling, turn } from "../../helpers/granting.ts";

// What a decision for a turn or a session allows, on every client with a gate.

const commandOf = ({ input }: Pick<ToolCall, "input">): unknown => Reflect.get(Object(input), "command");

describe.each(BACKENDS)("on $name", ({ shell, unknownTool, unreadable, start }) => {
  test("`always` for one command does not approve another command", async () => {
    const calls = ["ls", "ls", "rm -rf .", "ls"].map((command) => shell(command));
    await using at = await start([calls]);
    const asked = deciding(at.client, "always");
    const rulings: unknown[] = [];
    at.client.on("settled", (request) => request.type === "approval" && rulings.push(request.ruling));
    await turn(at.client);
    expect(asked.map(commandOf)).toEqual(["ls", "rm -rf ."]);
    expect(rulings).toEqual([
      { decision: "always", by: "reply" },
      { decision: "always", by: "session" },
      { decision: "once", by: "reply" },
      { decision: "always", by: "session" },
    ]);
  });

  test("a grant for a command applies in its folder only", async () => {
    await using at = await start([[shell("ls"), shell("ls", "src"), shell("ls")]]);
    const asked = deciding(at.client, "always");
    await turn(at.client);
    expect(asked.map(({ input }) => input)).toMatchObject([shell("ls").input, shell("ls", "src").input]);
    expect(asked[0]?.grant).not.toBe(asked[1]?.grant);
  });

  test("a grant with scope `turn` ends with its turn; one with scope `session` continues", async () => {
    const calls: readonly Calling[] = [shell("a"), shell("b"), shell("a"), shell("b")];
    await using at = await start([calls, calls]);
    const asked = deciding(at.client, { decision: "once", scope: "turn" }, "always");
    await turn(at.client);
    expect(asked.map(commandOf)).toEqual(["a", "b"]);
    expect(at.client.grants).toMatchObject([{ scope: "session" }]);
    await turn(at.client);
    expect(asked.map(commandOf)).toEqual(["a", "b", "a", "a"]);
  });

  test("`grants` lists the current grants with scope, tool and the call's description", async () => {
    await using at = await start([[shell("a"), shell("b"), shell("c")]]);
    const listed: unknown[] = [];
    at.client.on("approval", (call, of) => {
      listed.push(at.client.grants);
      const decision = { a: { decision: "once", scope: "turn" }, b: "always" } as const;
      at.client.decide(call.id, decision[commandOf(call) as "a"] ?? true);
      if (commandOf(call) !== "c") return;
      const [first, second] = at.client.grants;
      expect(first).toMatchObject({ scope: "turn", turnId: of?.id, tool: call.name });
      expect(second).toEqual({ id: second?.id, scope: "session", tool: call.name, grant: asked[1]?.grant });
      expect(at.client.grants).toBe(at.client.grants);
    });
    const asked: ToolCall[] = [];
    at.client.on("approval", (call) => asked.push(call));
    await turn(at.client);
    expect(listed.map((each) => (each as object[]).length)).toEqual([0, 1, 2]);
    expect(at.client.grants).toHaveLength(1);
  });

  test("`revoke` ends a grant, and returns false the second time", async () => {
    await using at = await start([
      [shell("a"), shell("b")],
      [shell("a"), shell("b")],
    ]);
    const asked = deciding(at.client, "always", "always");
    await turn(at.client);
    const [first, second] = at.client.grants;
    expect([at.client.revoke(first?.id ?? ""), at.client.revoke(first?.id ?? "")]).toEqual([true, false]);
    expect(at.client.grants).toEqual([second]);
    await turn(at.client);
    expect(asked.map(commandOf)).toEqual(["a", "b", "a"]);
  });

  test("`tool: true` grants every call of the tool", async () => {
    await using at = await start([[shell("a"), shell("b"), shell("c", "src")]]);
    const asked = deciding(at.client, { decision: "always", tool: true });
    await turn(at.client);
    expect(asked.map(commandOf)).toEqual(["a"]);
    expect(at.client.grants).toMatchObject([{ grant: `every call of ${shell("a").name}` }]);
  });

  test("`always` for a call with unreadable input allows it once, with a reason", async () => {
    await using at = await start([[unreadable, unreadable]]);
    const asked = deciding(at.client, "always", { decision: "always", tool: true });
    const rulings: unknown[] = [];
    at.client.on("settled", (request) => request.type === "approval" && rulings.push(request.ruling));
    await turn(at.client);
    expect(asked.map(({ grant }) => grant)).toEqual([undefined, undefined]);
    const once = {
      decision: "once",
      by: "reply",
      reason: "allowed once: the input of the call cannot be read",
    };
    expect(rulings).toEqual([once, once]);
    expect(at.client.grants).toEqual([]);
  });

  test("a grant ignores the order of an input's keys", async () => {
    const inputs = [
      { x: 1, y: { b: [1], a: 2 } },
      { y: { a: 2, b: [1] }, x: 1 },
      { x: 1, y: { b: 1, a: 2 } },
    ];
    await using at = await start([inputs.map((input) => ({ name: unknownTool, input }))]);
    const asked = deciding(at.client, "always");
    await turn(at.client);
    expect(asked.map(({ input }) => input)).toEqual([inputs[0], inputs[2]]);
    expect(asked[0]?.grant).toBe('exactly the input {"x":1,"y":{"a":2,"b":[1]}}');
  });

  test("another client of the same source has no grants, and a closed client has none", async () => {
    await using at = await start([[shell("ls")], [shell("ls")]]);
    const asked = deciding(at.client, "always");
    await turn(at.client);
    const other = at.source.client();
    const askedOther = deciding(other);
    expect(other.grants).toEqual([]);
    const [grant] = at.client.grants;
    expect(other.revoke(grant?.id ?? "")).toBe(false);
    await turn(other);
    expect([asked.length, askedOther.length]).toEqual([1, 1]);
    await at.client.close({ force: true });
    expect(at.client.grants).toEqual([]);
    await other.close({ force: true });
  });

  test.each([
    { decision: "reject", scope: "session" },
    { decision: "reject", scope: "once" },
    { decision: "reject", tool: true },
    { decision: "always", scope: "turn" },
    { decision: "always", scope: "once" },
    { decision: "once", tool: true },
    { decision: "once", scope: "once", tool: true },
    { decision: "once", scope: "day" },
    { decision: "always", tool: false },
    { decision: "always", tool: "mcp_shell" },
    { scope: "turn" },
  ])("the invalid decision %o throws, and the call stays open", async (decision) => {
    await using at = await start([[shell("ls")]]);
    const errors: unknown[] = [];
    at.client.on("approval", ({ id }) => {
      try {
        at.client.decide(id, decision as never);
      } catch (error) {
        errors.push(error, at.client.pending.length);
      }
      at.client.decide(id, false);
    });
    await turn(at.client);
    expect(errors).toEqual([expect.objectContaining({ code: "invalid-input" }), 1]);
    expect(at.client.grants).toEqual([]);
  });

  test.each([
    [
      { decision: "once", scope: "session" },
      { decision: "always", by: "reply" },
    ],
    [
      { decision: "always", scope: "session" },
      { decision: "always", by: "reply" },
    ],
    [
      { decision: "once", scope: "once" },
      { decision: "once", by: "reply" },
    ],
    [
      { decision: "once", scope: "turn" },
      { decision: "once", scope: "turn", by: "reply" },
    ],
    [
      { decision: "once", scope: "turn", tool: true, reason: "fine" },
      { decision: "once", scope: "turn", tool: true, reason: "fine", by: "reply" },
    ],
  ] as const)("the decision %o results in %o", async (decision, ruling) => {
    await using at = await start([[shell("ls")]]);
    const rulings: unknown[] = [];
    at.client.on("approval", ({ id }) => rulings.push(at.client.decide(id, decision)));
    await turn(at.client);
    expect(rulings).toEqual([ruling]);
  });
});

test.each<[name: string, client: () => AnyAgentClient]>([
  ["Cass", () => new CassClient({ url: "ws://localhost", token: "t" })],
  ["the Codebuff CLI", () => new CodebuffCli()],
])("a client without a gate has no grants: %s", async (_, make) => {
  const client = make();
  expect([client.grants, client.revoke("grant-1")]).toEqual([[], false]);
  await client.close();
});
