import { CodebuffRun } from "agentwire/codebuff-run";
import { type BackendFaultOptions, MockCodebuffBackend } from "agentwire/testing";
import { describe, expect, test } from "vitest";

const agent = { id: "helper", displayName: "Helper", model: "openai/gpt-5-mini" };

describe("the prompt of a failed turn", () => {
  test.each<[string, "me" | "agents" | "agent-runs", BackendFaultOptions, string]>([
    ["a key that is unknown", "me", { status: 401 }, "auth"],
    ["a START that is refused", "agent-runs", { status: 400 }, "bad_request"],
    ["an agent that does not exist", "agents", { status: 404 }, "agent_not_found"],
  ])("is handed back as not sent: %s", async (_, endpoint, fault, kind) => {
    await using backend = await MockCodebuffBackend.start();
    backend.fault(endpoint, fault);
    const client = new CodebuffRun({
      apiKey: backend.apiKey,
      baseUrl: backend.url,
      agent: endpoint === "agents" ? "nobody" : agent,
    });
    const turn = client.prompt("hello");
    expect(await turn.outcome).toMatchObject({
      status: "failed",
      error: { code: "turn-failed", kind, delivery: "not-sent", input: "hello" },
    });
    await client.close();
    expect(backend.requests({ endpoint: "chat" })).toEqual([]);
  });

  test("is its own, also if one call has failed for several turns", async () => {
    await using backend = await MockCodebuffBackend.start();
    backend.fault("me", { status: 401 });
    const client = new CodebuffRun({ apiKey: backend.apiKey, baseUrl: backend.url, agent });
    const turns = ["one", "two"].map((prompt) => client.prompt(prompt));
    const outcomes = await Promise.all(turns.map(({ outcome }) => outcome));
    await client.close();
    expect(backend.requests({ endpoint: "me" })).toHaveLength(1);
    expect(outcomes).toMatchObject([
      { error: { kind: "auth", delivery: "not-sent", input: "one" } },
      { error: { kind: "auth", delivery: "not-sent", input: "two" } },
    ]);
  });

  test("is not handed back once the model has received it", async () => {
    await using backend = await MockCodebuffBackend.start({ answer: () => ({ refused: { status: 400 } }) });
    const client = new CodebuffRun({ apiKey: backend.apiKey, baseUrl: backend.url, agent });
    const outcome = await client.prompt("hello").outcome;
    await client.close();
    expect(outcome.status === "failed" && outcome.error.delivery).toBeUndefined();
  });
});

test.each(["event", "status"] as const)(
  "a cancel in a listener of the last %s leaves the turn completed",
  async (name) => {
    await using backend = await MockCodebuffBackend.start();
    const client = new CodebuffRun({ apiKey: backend.apiKey, baseUrl: backend.url, agent });
    const turn = client.prompt("hello");
    turn.on(name, (told: unknown) => {
      const isLast =
        told === "completed" || (typeof told === "object" && Reflect.get(told ?? {}, "type") === "finish");
      if (isLast) void turn.cancel();
    });
    expect((await turn.outcome).status).toBe("completed");
    await client.close();
  },
);
