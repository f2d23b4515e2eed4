import type { AnyTurn, TurnStatus } from "agentwire";
import type { CodebuffClient } from "agentwire/codebuff";
import { type Answer, type MockCodebuffOptions, type Step, step } from "agentwire/testing";
import { describe, expect, test } from "vitest";
import { gate, once, type Pair, type PairOptions, readyPair } from "../helpers/codebuff.ts";
import { failureOf, heard, shown } from "../helpers/turns.ts";

// Servers that acknowledge `identify`, as the published one does, and read while they work, which that one does not.

const READS_MEANWHILE = {
  scheduling: "concurrent",
  extensions: "accept",
} as const satisfies MockCodebuffOptions;

const HANDLERS = {
  tools: { look: () => [{ type: "json", value: 1 }] },
  onReadFiles: () => ({ "a.txt": "text" }),
  onMcpTools: () => [],
} as const satisfies PairOptions["client"];

/** Resolves with the first ack behind the client's next frame that contains `part`. */
async function ackBehind(client: CodebuffClient, part: string): Promise<string> {
  await once(client, "frame", ({ direction, text }) => direction === "out" && text.includes(part));
  return heard(client, '"ack"');
}

/** The status of a turn once the next ping was acknowledged. */
async function statusBehindPing({ client, clock }: Pair, turn: AnyTurn): Promise<TurnStatus> {
  const ponged = ackBehind(client, '"ping"');
  await clock.advance(25_000);
  await ponged;
  return turn.status;
}

const pairWith = (answer: Answer, client: PairOptions["client"] = {}) =>
  readyPair({ mock: { ...READS_MEANWHILE, answer }, client: { ...HANDLERS, ...client } });

describe("a server that sends a request", () => {
  const ASKED: readonly (readonly [what: string, ask: Step, response: string])[] = [
    ["a tool", step.toolCall({ toolName: "look", input: {} }), "tool-call-response"],
    [
      "a tool, as its document plans",
      step.plannedToolCall({ toolCallId: "c1", toolName: "look", toolArgs: {} }),
      "tool-call-response",
    ],
    ["files", step.readFiles(["a.txt"]), "read-files-response"],
    ["the tools of an MCP server", step.requestMcpTools({ mcpConfig: { command: "npx" } }), "mcp-tool-data"],
  ];

  test.each(ASKED)(
    "for %s during a prompt does not end the prompt with the ack of the response",
    async (_, ask, response) => {
      const more = gate();
      await using made = await pairWith(async function* () {
        yield "let me see";
        yield ask;
        await more.passed;
        yield ", done";
      });
      const { client } = made;
      const acked = ackBehind(client, response);
      const turn = client.prompt("hello");
      await acked;
      expect(turn.status).toBe("streaming");
      more.open();
      expect((await turn.result).text).toBe("let me see, done");
    },
  );

  test("during a prompt is no longer trusted to acknowledge in order", async () => {
    await using made = await pairWith(
      ({ data }) =>
        data.prompt === "ask" ? [step.toolCall({ toolName: "look", input: {} })] : [step.hang()],
      { maxConcurrentPrompts: 2 },
    );
    const { client } = made;
    await client.prompt("ask").result;
    expect(await statusBehindPing(made, client.prompt("think"))).toBe("sent");
  });

  test("during a prompt still gets pings", async () => {
    await using made = await pairWith(() => [step.toolCall({ toolName: "look", input: {} }), step.hang()]);
    const { client, clock } = made;
    const answered = once(client, "frame", ({ text }) => text.includes("tool-call-response"));
    client.prompt("ask");
    await answered;
    const pinged = once(client, "frame", ({ text }) => text.includes('"ping"'));
    await clock.advance(25_000);
    await pinged;
  });

  test("between two prompts is still trusted to acknowledge in order", async () => {
    await using made = await pairWith(() => [step.hang()]);
    const { client, clock, server } = made;
    const answered = once(client, "frame", ({ text }) => text.includes("read-files-response"));
    const data = { type: "read-files", requestId: "r1", filePaths: ["a.txt"] };
    server.connections[0]?.send(JSON.stringify({ type: "action", data }));
    await answered;
    client.prompt("hello");
    const told: string[] = [];
    client.on("frame", ({ text }) => void told.push(text));
    await clock.advance(100_000);
    expect(told.filter((text) => text.includes('"ping"'))).toEqual([]); // it may read nothing now
  });
});

describe("a server that acknowledges later frames while a prompt streams", () => {
  const slow = (more: Promise<void>): Answer =>
    async function* ({ data }) {
      if (data.prompt === "think") yield step.hang();
      yield "one";
      await more;
      yield " two";
    };

  test("does not end the prompt with the ack of a ping", async () => {
    const more = gate();
    await using made = await pairWith(slow(more.passed), { maxConcurrentPrompts: 3 });
    const { client } = made;
    const turn = client.prompt("hello");
    await shown(turn, "one");
    expect(await statusBehindPing(made, turn)).toBe("streaming");
    more.open();
    expect((await turn.result).text).toBe("one two");

    expect(await statusBehindPing(made, client.prompt("think"))).toBe("sent"); // acks prove nothing any more
  });

  test("does not end the prompt with the ack of another prompt", async () => {
    const more = gate();
    await using made = await pairWith(slow(more.passed), { maxConcurrentPrompts: 3 });
    const { client } = made;
    const turns: AnyTurn[] = [];
    for (const prompt of ["a", "b", "c"]) {
      const turn = client.prompt(prompt);
      turns.push(turn);
      await shown(turn, "one");
    }
    more.open();
    const results = await Promise.all(turns.map(({ result }) => result));
    expect(results.map(({ text }) => text)).toEqual(["one two", "one two", "one two"]);
  });

  test("has a prompt fail that stays silent for 30 s after such an ack", async () => {
    await using made = await pairWith(() => ["one", step.silent()], { maxConcurrentPrompts: 2 });
    const { client, clock } = made;
    const turn = client.prompt("hello");
    await shown(turn, "one");
    expect(await statusBehindPing(made, turn)).toBe("streaming");
    await clock.advance(29_999);
    expect(turn.status).toBe("streaming");
    await clock.advance(1);
    expect(await failureOf(turn)).toMatchObject({ origin: "silent-end", partial: { text: "one" } });
  });
});
