import { toUniversal } from "agentwire/acp";
import { checkTranscript, type UniversalEvent } from "agentwire/universal";
import { describe, expect, test } from "vitest";
import { END, world } from "./support/agent.ts";

const COLOUR = {
  type: "object",
  properties: {
    question_0: {
      type: "string",
      title: "Colour",
      oneOf: [
        { const: "r", title: "Red", description: "like a rose" },
        { const: "b", title: "Blue" },
      ],
    },
    question_0_custom: { type: "string", title: "Other" },
  },
};

const MANY = {
  type: "object",
  properties: {
    name: { type: "string", title: "Name", description: "Your name?" },
    age: { type: "integer", title: "Age" },
    sure: { type: "boolean", title: "Sure?" },
    likes: { type: "array", title: "Likes", items: { enum: ["a", "b", "c"] } },
  },
  required: ["name"],
};

/** Asks, and says the answer. */
const asks = (params: object) => ({
  script: async ({
    agent,
    sessionId,
    say,
  }: {
    agent: { ask(method: string, params: object): Promise<{ result?: unknown }> };
    sessionId: string;
    say(text: string): void;
  }) => {
    const { result } = await agent.ask("elicitation/create", {
      sessionId,
      mode: "form",
      message: "Which?",
      ...params,
    });
    say(JSON.stringify(result));
    return END;
  },
});

describe("a question of the agent", () => {
  test.each([
    ["an option by its label", COLOUR, "Blue", { question_0: "b" }],
    ["a free text", COLOUR, "Green", { question_0_custom: "Green" }],
    [
      "one answer for each field",
      MANY,
      [["Ann"], ["7"], ["Yes"], ["a", "c"]],
      { name: "Ann", age: 7, sure: true, likes: ["a", "c"] },
    ],
  ])("is answered: %s", async (_, requestedSchema, answer, content) => {
    await using w = world(asks({ requestedSchema }), { onQuestion: () => answer });
    expect(JSON.parse((await w.client.prompt("go").result).text)).toEqual({ action: "accept", content });
  });

  test("has no header that repeats its question", async () => {
    const requestedSchema = { type: "object", properties: { a: { type: "string", title: "Which?" } } };
    await using w = world(asks({ requestedSchema }), {
      onQuestion: ({ questions }) => {
        expect(questions).toMatchObject([{ question: "Which?" }]);
        expect(questions[0]).not.toHaveProperty("header");
        return null;
      },
    });
    await w.client.prompt("go").result;
  });

  test("shows what the form says", async () => {
    await using w = world(asks({ requestedSchema: COLOUR }), {
      onQuestion: ({ questions }) => {
        expect(questions).toEqual([
          {
            question: "Which?",
            header: "Colour",
            options: [{ label: "Red", description: "like a rose" }, { label: "Blue" }],
            multiSelect: false,
          },
        ]);
        return null;
      },
    });
    expect((await w.client.prompt("go").result).text).toBe('{"action":"decline"}');
  });

  test.each([
    ["a required field without an answer", [[], ["7"], ["No"], []]],
    ["a number that is none", [["Ann"], ["seven"], ["No"], []]],
  ])("is cancelled for %s", async (_, answer) => {
    await using w = world(asks({ requestedSchema: MANY }), { onQuestion: () => answer });
    expect((await w.client.prompt("go").result).text).toBe('{"action":"cancel"}');
  });

  test("with a link shows the link, which only the user accepts", async () => {
    const url = "https://login.test/x";
    await using w = world(asks({ mode: "url", url, elicitationId: "e1" }), {
      onQuestion: ({ questions }) => {
        expect(questions[0]?.question).toBe(`Which? ${url}`);
        return "Done";
      },
    });
    expect((await w.client.prompt("go").result).text).toBe('{"action":"accept"}');
  });

  test("is offered only with `onQuestion`, and declined without", async () => {
    const offered = (w: ReturnType<typeof world>) => w.agent.heard[0]?.params.clientCapabilities.elicitation;
    await using without = world(asks({ requestedSchema: COLOUR }));
    expect((await without.client.prompt("go").result).text).toBe('{"action":"decline"}');
    expect(offered(without)).toBeUndefined();
    await using w = world(asks({ requestedSchema: COLOUR }), { onQuestion: () => null });
    await w.client.connect();
    expect(offered(w)).toEqual({ form: {}, url: {} });
  });

  test("belongs to its call in a transcript", async () => {
    await using w = world(
      {
        script: async ({ update, agent, sessionId }) => {
          update({ sessionUpdate: "tool_call", toolCallId: "q", title: "Ask", status: "in_progress" });
          const asked = { sessionId, toolCallId: "q", mode: "form", message: "?", requestedSchema: COLOUR };
          await agent.ask("elicitation/create", asked);
          update({ sessionUpdate: "tool_call_update", toolCallId: "q", status: "completed" });
          return END;
        },
      },
      { onQuestion: () => "Red" },
    );
    const turn = w.client.prompt("go");
    const events: UniversalEvent[] = [];
    for await (const event of toUniversal(turn)) events.push(event);
    expect(checkTranscript(events)).toEqual([]);
    const resolved = events.find(({ type }) => type === "question.resolved");
    expect(resolved?.data).toMatchObject({ status: "answered", response: "Red", call_id: "q" });
  });
});
