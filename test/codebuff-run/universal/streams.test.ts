import { codebuffRun, openAiCompatible, toUniversal } from "agentwire/codebuff-run";
import type { UniversalEvent } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { goldenOptions } from "../../universal/golden-options.ts";
import { expectInvariants } from "../../universal/invariants.ts";
import { AGENT, collected, runWorld } from "./world.ts";

const LOOK = [
  { text: "I look.", toolCalls: [{ name: "glob", arguments: { pattern: "*.ts" } }] },
  { text: ["Do", "ne."] },
];
const glob = () => [{ type: "json", value: ["a.ts"] } as const];

const textOf = (events: readonly UniversalEvent[]): string =>
  events
    .map((event) => (event.type === "item.delta" && event.data.part?.type === "text" ? event.data.delta : ""))
    .join("");

describe("a universal stream", () => {
  test("with `includeRaw` has each event of the run once", async () => {
    await using at = await runWorld({ answer: LOOK }, { overrideTools: { glob } });
    const turn = at.client.prompt("hi");
    const events = await collected(toUniversal(turn, goldenOptions({ includeRaw: true })));
    expectInvariants(events);
    const raw = events.flatMap((event) => (event.raw === null ? [] : [event.raw]));
    const toolCallId = expect.any(String);
    expect(raw).toEqual([
      { type: "start", messageHistoryLength: 0, model: AGENT.model },
      "I look.",
      expect.objectContaining({ type: "tool_call", toolCallId, toolName: "glob" }),
      expect.objectContaining({ type: "tool_result", toolCallId, output: glob() }),
      "Do",
      "ne.",
    ]);
  });

  test("that is attached during a turn says so, and has each text and each result once", async () => {
    let go = (): void => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    await using at = await runWorld(
      { answer: [LOOK[0] ?? "", { text: ["Do", held, "ne."] }] },
      { overrideTools: { glob } },
    );
    const turn = at.client.prompt("hi");
    await new Promise<void>((resolve) => {
      turn.on("event", (event) => {
        if (event.type === "chunk" && event.chunk === "Do") resolve();
      });
    });
    const stream = toUniversal(turn, goldenOptions());
    go();
    const events = await collected(stream);
    expectInvariants(events);
    expect(events.find(({ type }) => type === "turn.started")?.data).toMatchObject({
      metadata: { attached_late: true },
    });
    expect(textOf(events)).toBe("I look.Done.");
    const results = events.flatMap((event) =>
      event.type === "item.completed" && event.data.item.kind === "tool_result" ? [event.data.item] : [],
    );
    expect(results).toMatchObject([{ status: "completed", content: [{ output: '["a.ts"]' }, {}] }]);
  });

  test("of a source has the events of its client", async () => {
    await using at = await runWorld({ answer: ["Hi"] });
    const { url: baseUrl, apiKey } = at.backend;
    const source = codebuffRun({ baseUrl, apiKey, agent: AGENT });
    const client = source.client();
    const events = await collected(source.toUniversal(client.prompt("hi")));
    await client.close();
    expect(source.name).toBe("codebuff-run");
    expect(textOf(events)).toBe("Hi");
  });

  test("of several runs at once has a session for each run", async () => {
    await using at = await runWorld({ answer: ({ request }) => JSON.stringify(request.messages.at(-1)) });
    const stream = toUniversal(at.client, goldenOptions());
    await Promise.all(["one", "two"].map((prompt) => at.client.prompt(prompt).result));
    await at.client.close();
    const events = await collected(stream);
    expectInvariants(events);
    expect(new Set(events.map(({ session_id }) => session_id)).size).toBe(2);
    for (const session of ["ses_1", "ses_2"])
      expect(events.filter(({ session_id }) => session_id === session).at(-1)?.type).toBe("session.ended");
  });

  test("of one turn of a conversation does not end the session", async () => {
    await using at = await runWorld();
    const turn = at.client.conversation().prompt("hi");
    const events = await collected(toUniversal(turn, goldenOptions()));
    expect(events.at(-1)?.type).toBe("turn.ended");
  });

  test("ends with the output, the stop reason and the id of the run", async () => {
    await using at = await runWorld({ answer: LOOK }, { overrideTools: { glob } });
    const turn = at.client.prompt("hi");
    const stream = toUniversal(turn, goldenOptions());
    const { output, stopReason, runId } = await turn.result;
    const ended = (await collected(stream)).find((event) => event.type === "turn.ended");
    expect(ended?.data.metadata).toMatchObject({ output, stop_reason: stopReason });
    expect(ended?.native_session_id).toBe(runId);
  });

  test("never has the API key or the state of the run", async () => {
    await using at = await runWorld({ users: [{ key: "secret-key" }], answer: ["Hi"] });
    const events = await collected(toUniversal(at.client.prompt("hi"), goldenOptions({ includeRaw: true })));
    const text = JSON.stringify(events);
    expect(text).not.toContain("secret-key");
    expect(text).not.toContain("sessionState");
    expect(text).not.toContain('messageHistory"');
  });
});

describe("the start of a session names the client's capabilities", () => {
  test("with the backend: credits", async () => {
    await using at = await runWorld();
    const [started] = await collected(toUniversal(at.client.prompt("hi"), goldenOptions()));
    expect(started?.data).toMatchObject({
      metadata: { capabilities: { ...at.client.capabilities, usage: "credits" } },
    });
  });

  test("with a provider alone: tokens, and no cost", async () => {
    await using at = await runWorld({ openAiCompatible: true, answer: ["Hi"] });
    const providers = [openAiCompatible({ baseUrl: `${at.backend.url}/v1`, apiKey: at.backend.apiKey })];
    const client = codebuffRun({ providers, agent: AGENT }).client();
    const events = await collected(toUniversal(client.prompt("hi"), goldenOptions()));
    await client.close();
    expectInvariants(events);
    expect(events[0]?.data).toMatchObject({ metadata: { capabilities: { usage: "tokens" } } });
    const ended = events.find((event) => event.type === "turn.ended");
    expect(ended?.data.metadata).toMatchObject({ usage: { input_tokens: 100, output_tokens: 20 } });
    expect(ended?.data.metadata.cost).toBeUndefined();
  });
});
