import { type MockCodebuffOptions, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { gate } from "../helpers/codebuff.ts";
import {
  asks,
  CLOSED_BY_IT,
  chunk,
  endings,
  event,
  FINISH,
  lastMessage,
  type Message,
  messages,
  mock,
  result,
  START,
  types,
  user,
  violations,
} from "./sdk-user.ts";

// The original client of the protocol, as its makers have published it, completes its runs against the mock.

describe("a run of the original client", () => {
  test("gets every string and event in order, and ends with the last message", async () => {
    await using server = await mock({ answer: () => ["Hel", "lo"] });
    await using child = await asks(server);

    expect(await child.end()).toEqual([
      START,
      chunk("Hel"),
      chunk("lo"),
      event("text", { text: "Hello" }),
      FINISH,
      lastMessage("Hello"),
    ]);
    expect(types(server, "c2s")).toEqual(["prompt"]);
    expect(types(server, "s2c")).toEqual([
      "ack",
      "usage-response",
      ...Array.from({ length: 5 }, () => "response-chunk"),
      "prompt-response",
      "usage-response",
    ]);
    expect(server.prompts[0]?.messages).toEqual([{ role: "user", content: "Say hello" }]);
    expect(await endings(server)).toEqual([CLOSED_BY_IT]);
    expect(await violations(server)).toEqual([]);
  });

  test("gets an empty answer as an empty message", async () => {
    await using server = await mock({ answer: () => [] });
    await using child = await asks(server);
    expect(await child.end()).toEqual([START, FINISH, lastMessage("")]);
    expect(await violations(server)).toEqual([]);
  });

  test("continues the earlier run with the server's state", async () => {
    await using server = await mock({ answer: ({ data }) => [`heard: ${data.prompt}`] });
    await using child = await user(server, {
      program: "runs",
      runs: [{ prompt: "one" }, { prompt: "two" }],
    });

    const said = await child.end();
    const states = said.flatMap((each) => (each.said === "result" ? [each.sessionState] : []));
    const [first, second] = server.prompts;
    expect(second?.data.sessionState).toEqual(states[0]);
    expect(second?.messages).toEqual([
      { role: "user", content: "one" },
      { role: "assistant", content: "heard: one" },
      { role: "user", content: "two" },
    ]);
    expect(said).toContainEqual(event("start", { agentId: "tester", messageHistoryLength: 2 }));
    expect(states[1]).toMatchObject({
      fileContext: first?.data.sessionState["fileContext"],
      mainAgentState: { messageHistory: { length: 4 }, creditsUsed: 1 },
    });
    // A connection for each run, counted from 0 each time; without an identify nobody can tell whose they are.
    expect(server.prompts.map(({ txid, connection }) => [connection.id, txid])).toEqual([
      [1, 0],
      [2, 0],
    ]);
    expect(await endings(server)).toEqual([CLOSED_BY_IT, CLOSED_BY_IT]);
    expect(await violations(server)).toEqual([]);
  });

  test("gets its pings acknowledged at once during the run", async () => {
    const pinged = gate();
    await using server = await mock({
      answer: async function* () {
        await pinged.passed;
        yield "done";
      },
    });
    await using child = await asks(server, { impatient: true });

    const acks = () => types(server, "s2c").filter((type) => type === "ack");
    await child.meanwhile(server.waitFor(() => acks().length >= 3));
    expect(types(server, "c2s").slice(0, 3)).toEqual(["prompt", "ping", "ping"]);
    pinged.open();
    expect(await child.end()).toContainEqual(lastMessage("done"));
    expect(await violations(server)).toEqual([]);
  });

  test("gets only a sub-agent's events, and the sum of the costs", async () => {
    const subAgent = { agentId: "a7", agentType: "file-picker", displayName: "Picker", onlyChild: true };
    await using server = await mock({
      answer: () => [
        step.chunk({ type: "subagent_start", ...subAgent }),
        step.subAgentChunk({ agentId: "a7", agentType: "file-picker", chunk: "look" }),
        step.cost(3, "a7"),
        step.cost(4),
        step.chunk({ type: "subagent_finish", ...subAgent }),
        step.log({ agentId: "a7", level: "info", data: { n: 1 } }),
        step.action({ type: "weather-report", degrees: 21 }),
        "found",
      ],
    });
    await using child = await asks(server);

    expect(await child.end()).toEqual([
      START,
      event("subagent_start", subAgent),
      event("subagent_finish", subAgent),
      chunk("found"),
      event("text", { text: "found" }),
      event("finish", { agentId: "tester", totalCost: 7 }),
      lastMessage("found"),
    ]);
    expect(await violations(server)).toEqual([]);
  });
});

describe("a failing run of the original client ends with the message of the prompt-error", () => {
  const FAILURES: readonly (MockCodebuffOptions & { readonly name: string; readonly says: Message })[] = [
    {
      name: "before any text",
      answer: () => [step.promptError({ message: "Internal error", error: "boom" })],
      says: { message: "Internal error", error: "boom" },
    },
    {
      name: "in the middle of the answer",
      answer: () => ["Hel", step.promptError({ message: "Internal error" })],
      says: { message: "Internal error" },
    },
    {
      name: "without a user",
      auth: "no-user",
      says: { message: "Please log in to continue.", error: "Missing user or fingerprint ID" },
    },
    { name: "without credits", auth: "no-credits", says: { error: "Insufficient credits" } },
    {
      name: "without credits of the organization",
      auth: "no-organization-credits",
      says: { error: "Insufficient organization credits" },
    },
    {
      name: "with a bad agent template, followed by an answer",
      failure: "error-then-response",
      says: { message: expect.stringMatching(/^Invalid agent config: /) },
    },
    { name: "after a prompt-response whose output is an error", failure: "response-then-error", says: {} },
  ];

  test.each(FAILURES)("$name", async ({ name: _, says, ...options }) => {
    await using server = await mock(options);
    await using child = await asks(server);

    const said = await child.end();
    const errors = messages(server, "s2c").filter(({ type }) => type === "prompt-error");
    expect(errors).toMatchObject([{ userInputId: server.prompts[0]?.promptId, ...says }]);
    const message = errors[0]?.["message"];
    expect(said).toContainEqual(event("error", { message }));
    expect(said.filter((each) => each.said === "result")).toEqual([result({ type: "error", message })]);
    expect(await endings(server)).toEqual([CLOSED_BY_IT]);
    expect(await violations(server)).toEqual([]);
  });

  test("but with a bad token the run gets an error event, and never ends", async () => {
    await using server = await mock({ auth: "action-error" });
    {
      await using child = await asks(server);
      await child.until(({ said }) => said === "event");
      expect(child.said).toEqual([event("error", { message: expect.stringMatching(/^Invalid auth token/) })]);
    }
    expect(types(server, "s2c")).toEqual(["ack", "action-error"]);
    expect(await violations(server)).toEqual([]);
  });
});
