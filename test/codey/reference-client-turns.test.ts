// One block for each feature of the Python client in the server's repository (those about turns). Each comment says what that client does, by its source.
import type { CodeyEvent } from "agentwire/codey";
import { codeyStep, codeyTool, type MockCodeyOptions } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { asked, ls, once, pair, sent } from "./support/reference.ts";

// The Python client ends it at `Finished` or a fatal `Error`, so it hangs at every `Error` of the real server.
describe("end of a turn", () => {
  test.each(["real", "documented"] as const)(
    "comes with an `Error` that is not fatal (%s)",
    async (profile) => {
      await using made = await pair({
        profile,
        answer: () => ["half", codeyStep.apiError(429, "slow down")],
      });
      const { result } = made.client.prompt("hello");
      await expect(result).rejects.toMatchObject({
        code: "turn-failed",
        kind: "http",
        status: 429,
        fatal: false,
        partial: { text: "half" },
      });
    },
  );
});

// The Python client sends it and forgets it; the `chat` that runs hangs.
describe("cancel", () => {
  test("settles the turn at the `Pong` after its `Cancel`, and the next turn gets nothing of it", async () => {
    await using made = await pair({
      answer: ({ number }) => (number === 1 ? ["first", codeyStep.hang()] : ["second"]),
    });
    const turn = made.client.prompt("one");
    const next = made.client.prompt("two");
    await made.server.nextSend();
    expect(await turn.cancel()).toMatchObject({ status: "cancelled", by: "user" });
    expect(await next.result).toMatchObject({ text: "second" });
    expect(sent(made.server)).toEqual(["SendMessage", "Cancel", "Ping", "SendMessage"]);
    expect(made.server.violations).toEqual([]);
  });

  test("denies open approvals after the `Cancel`", async () => {
    await using made = await pair(
      { answer: () => [codeyStep.calls(ls), "never"] },
      { onToolApproval: "manual" },
    );
    const turn = made.client.prompt("one");
    await asked(turn);
    expect(await turn.cancel()).toMatchObject({ partial: { toolCalls: [{ state: "abandoned" }] } });
    expect(sent(made.server)).toEqual(["SendMessage", "Cancel", "ToolDecision", "Ping"]);
    expect(made.server.violations).toEqual([]);
  });
});

// The Python client refuses the state for its `params: null`, and hangs.
describe("state with an open approval", () => {
  test("is read although the approval's `params` are null", async () => {
    await using made = await pair({ answer: () => [codeyStep.calls(ls)] }, { onToolApproval: "manual" });
    const turn = made.client.prompt("hello");
    await asked(turn);
    const { pending_approvals } = await made.client.getState();
    expect(pending_approvals).toEqual([{ agent_id: 0, call_id: "toolu_1", name: "", params: null }]);
    await turn.cancel();
  });
});

// The Python client approves everything, or asks a synchronous callback that stops the loop, and only within `chat`; else it denies.
describe("approval", () => {
  const answer = (): MockCodeyOptions => ({ answer: () => [codeyStep.calls(ls), "Done."] });

  test("is denied if nobody can be asked, with one warning for several calls", async () => {
    await using made = await pair(answer());
    const warnings: string[] = [];
    made.client.on("protocolWarning", ({ kind }) => warnings.push(kind));
    await made.client.prompt("one").result;
    const { toolCalls } = await made.client.prompt("two").result;
    expect(toolCalls).toMatchObject([{ state: "denied", deniedBy: "policy" }]);
    expect(made.server.decisions.map(({ approved }) => approved)).toEqual([false, false]);
    expect(warnings).toEqual(["tool-denied"]);
  });

  test("does not block other requests while its callback is pending", async () => {
    let decide = (_: boolean): void => {};
    await using made = await pair(answer(), {
      onToolApproval: () => new Promise((resolve) => (decide = resolve)),
    });
    const turn = made.client.prompt("one");
    await asked(turn);
    expect(await made.client.ping()).toBe(0);
    decide(true);
    expect(await turn.result).toMatchObject({ text: "Done.", toolCalls: [{ state: "done" }] });
  });

  test("is decided by rules first, which match the tool's name and the whole input", async () => {
    const names: string[] = [];
    await using made = await pair(
      {
        answer: () => [
          codeyStep.calls(ls, codeyTool.shell("ls; rm -rf ~", "gone"), codeyTool.readFile("a", "A")),
          "Done.",
        ],
      },
      {
        toolPolicy: [
          {
            tool: "mcp_shell",
            when: ({ input }) => JSON.stringify(input) === '{"command":"ls"}',
            then: "allow",
          },
          { tool: "mcp_shell", then: "deny" },
        ],
        onToolApproval: ({ name }) => {
          names.push(name);
          return true;
        },
      },
    );
    const { toolCalls } = await made.client.prompt("one").result;
    expect(toolCalls.map(({ state }) => state)).toEqual(["done", "denied", "done"]);
    expect(names).toEqual(["mcp_read_file"]);
  });

  test("with `always` holds for the tool until the session ends", async () => {
    let times = 0;
    await using made = await pair(answer(), {
      reconnect: {},
      onToolApproval: () => {
        times++;
        return "always";
      },
    });
    made.client.on("reconnecting", ({ delay }) => void made.clock.advance(delay));
    await made.client.prompt("one").result;
    await made.client.prompt("two").result;
    expect(times).toBe(1);
    const reconnected = once(made.client, "reconnected");
    made.server.dropAll();
    await reconnected;
    await made.client.prompt("three").result;
    expect(times).toBe(2);
  });

  test("is denied after `approvalTimeout`", async () => {
    await using made = await pair(answer(), {
      onToolApproval: "manual",
      approvalTimeout: 60_000,
      keepalive: false, // it would find the clock of this test too fast
    });
    const turn = made.client.prompt("one");
    await asked(turn);
    await made.clock.advance(60_000);
    expect(await turn.result).toMatchObject({
      toolCalls: [{ state: "denied", deniedBy: "policy", reason: "nobody decided within 60000 ms" }],
    });
  });

  test("is denied if the callback throws, and the client goes on", async () => {
    await using made = await pair(answer(), {
      onToolApproval: () => {
        throw new Error("no screen");
      },
    });
    const warning = once(made.client, "protocolWarning");
    const { toolCalls } = await made.client.prompt("one").result;
    expect(toolCalls).toMatchObject([{ state: "denied", deniedBy: "policy" }]);
    expect(await warning).toMatchObject({ kind: "approval-failed" });
  });

  test("aborts the callback's signal when its decision is no longer needed", async () => {
    let reason: unknown;
    await using made = await pair(answer(), {
      onToolApproval: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            reason = signal.reason;
            reject(signal.reason);
          });
        }),
    });
    const turn = made.client.prompt("one");
    await asked(turn);
    await turn.cancel();
    expect(reason).toEqual(new Error("the turn was cancelled"));
    expect(made.server.violations).toEqual([]);
  });

  test("with `manual` is listed on the turn, and a second decision changes nothing", async () => {
    await using made = await pair(answer(), { onToolApproval: "manual" });
    const turn = made.client.prompt("one");
    const { id } = await asked(turn);
    expect(turn.pending).toMatchObject([{ type: "approval", id, call: { input: { command: "ls" } } }]);
    expect(made.client.decide(id, "once")).toEqual({ decision: "once", by: "reply" });
    expect(made.client.decide(id, "reject")).toEqual({ decision: "once", by: "reply" });
    await turn.result;
    expect(made.server.decisions).toMatchObject([{ approved: true, outcome: "taken" }]);
    expect(() => made.client.decide("toolu_9", true)).toThrow(
      expect.objectContaining({ code: "invalid-input" }),
    );
  });
});

// The Python client sends them; the answers turn up among the events of `chat`.
describe("ping, state, history", () => {
  test("are answered during a turn, also concurrently, and no turn sees the answers", async () => {
    await using made = await pair({
      profile: "documented",
      answer: async function* () {
        yield "one, ";
        await made.server.waitFor(({ received }) => received.length === 5);
        yield "two";
      },
    });
    const turn = made.client.prompt("hello");
    const types: string[] = [];
    turn.on("event", ({ type }) => types.push(type));
    await made.server.nextSend();
    const { client } = made;
    const [first, state, history, second] = await Promise.all([
      client.ping(),
      client.getState(),
      client.getHistory(),
      client.ping(),
    ]);
    expect([first, second]).toEqual([0, 0]);
    expect(state.agents).toMatchObject([{ id: 0, is_streaming: true }]);
    expect(history.messages).toMatchObject([{ role: "user", content: "hello" }]);
    await turn.result;
    expect(types).toEqual(["TextDelta", "TextDelta", "Finished"]);
  });
});

// The Python client lets two `chat` take each other's messages; one left early leaves its rest to the next. Its queue has no bound.
describe("several at once", () => {
  test("prompts are queued, and each gets its own answer", async () => {
    await using made = await pair({ answer: ({ content }) => ["to ", content] });
    const turns = ["one", "two", "three"].map((text) => made.client.prompt(text));
    const texts = await Promise.all(turns.map(async ({ result }) => (await result).text));
    expect(texts).toEqual(["to one", "to two", "to three"]);
    expect(made.server.sends.map(({ outcome }) => outcome)).toEqual(["started", "started", "started"]);
  });

  test("a turn gets nothing of the turn before, whose loop was left early", async () => {
    await using made = await pair({
      answer: ({ number }) => (number === 1 ? ["a", "b", "c", codeyStep.hang()] : ["d"]),
    });
    for await (const _ of made.client.prompt("one").textStream) break;
    const events: CodeyEvent[] = [];
    for await (const event of made.client.prompt("two")) events.push(event);
    expect(events).toMatchObject([{ type: "TextDelta", content: "d" }, { type: "Finished" }]);
    expect(made.server.violations).toEqual([]);
  });

  test("a prompt beyond `maxQueuedTurns` is refused at once", async () => {
    await using made = await pair({ answer: () => [codeyStep.hang()] }, { maxQueuedTurns: 1 });
    const turn = made.client.prompt("one");
    await made.server.nextSend();
    const waiting = made.client.prompt("two");
    expect(() => made.client.prompt("three")).toThrow(expect.objectContaining({ code: "queue-full" }));
    await Promise.all([waiting.cancel(), turn.cancel()]);
  });
});

// The Python client gives nothing; `stream_text` gives the text.
describe("what a turn comes to", () => {
  test("is text and thinking by rounds, calls with their states, and its usage", async () => {
    await using made = await pair(
      {
        answer: () => [
          codeyStep.thinking("hm"),
          "Look. ",
          codeyStep.calls(ls),
          codeyStep.usage({ output_tokens: 5, context_tokens: 40 }),
          "Seen.",
        ],
      },
      { onToolApproval: () => true },
    );
    expect(await made.client.prompt("hello").result).toMatchObject({
      text: "Look. Seen.",
      thinking: "hm",
      rounds: [
        { text: "Look. ", thinking: "hm", calls: ["toolu_1"] },
        { text: "Seen.", thinking: "", calls: [] },
      ],
      toolCalls: [{ id: "toolu_1", name: "mcp_shell", state: "done", output: "a.txt\n" }],
      usage: { outputTokens: 15, totalOutputTokens: 15, contextTokens: 40 },
    });
  });
});
