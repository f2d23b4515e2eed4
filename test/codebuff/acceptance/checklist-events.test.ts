import { step } from "agentwire/testing";
import { expect } from "vitest";
import { gate, once } from "../../helpers/codebuff.ts";
import { asking, onBoth, READING, TOKEN } from "./both.ts";
import { action, actionsTo, eventsOf, link, lose, nack, sentOn, shown, works } from "./wire.ts";

onBoth(
  "checklist 14: sub-agents, costs, logs and tool calls are events of their turn, and none of them is text",
  (profile) => ({ ...asking(profile), client: { tools: { "*": () => [{ type: "json", value: "ok" }] } } }),
  async ({ client, server }) => {
    const log = { agentId: "a7", level: "info", data: { n: 1 }, message: "step" } as const;
    server.answer = () => [
      "answer",
      step.subAgentChunk({ agentId: "a7", agentType: "picker", chunk: "look", prompt: "find it" }),
      step.cost(3, "a7"),
      step.cost(4),
      step.log(log),
      step.toolCall({ wait: false, requestId: "r1", toolName: "any", input: {} }),
    ];
    const turn = client.prompt("hello");
    const events = eventsOf(turn);
    const { text, cost } = await turn.result;
    expect({ text, cost }).toEqual({ text: "answer", cost: { amount: 7, unit: "credits" } });
    expect(events.filter(({ type }) => !/^(response-chunk|prompt-response)$/.test(type))).toMatchObject([
      { type: "subagent-response-chunk", agentId: "a7", chunk: "look", prompt: "find it" },
      { type: "message-cost-response", credits: 3, agentId: "a7" },
      { type: "message-cost-response", credits: 4 },
      { type: "handlesteps-log-chunk", ...log },
      { type: "tool-call-request", requestId: "r1", toolName: "any" },
    ]);
    await server.waitFor(() => actionsTo(server, "tool-call-response").length === 1);
  },
);

onBoth(
  "checklist 14 & edge case 13: usage and unknown actions are events of the client, at any time",
  async ({ client, server }) => {
    const used = {
      type: "usage-response",
      usage: 12,
      remainingBalance: 488,
      balanceBreakdown: { free: 488 },
    };
    const usage = once(client, "usage");
    link(server).send(action({ ...used, next_quota_reset: null }));
    expect(await usage).toMatchObject(used);
    const unknown = once(client, "unknownAction");
    link(server).send(action({ type: "confetti", colours: ["red"] }));
    expect(await unknown).toEqual({ type: "confetti", colours: ["red"] });
  },
);

onBoth(
  "checklist 14: a request to reconnect is followed when nothing is under way, and what is new waits for that",
  async ({ client, server }) => {
    const hold = gate();
    server.answer = async function* ({ data }) {
      yield "one";
      if (data.prompt === "first") await hold.passed;
    };
    const first = client.prompt("first");
    await shown(first, "one");
    const requested = once(client, "reconnectRequested");
    link(server).send(action({ type: "request-reconnect" }));
    await requested;
    const second = client.prompt("second");
    hold.open();
    expect((await first.result).text).toBe("one");
    expect((await second.result).text).toBe("one");
    expect(server.prompts.map(({ connection }) => connection.id)).toEqual([1, 2]);
    expect(server.connections[0]?.closed).toMatchObject({ code: 1000, by: "client" });
  },
);

const disk = { proxy: gate(), codebuff: gate() };

onBoth(
  "checklist 14: a request to reconnect also waits for what this machine was asked to do",
  (profile) => ({
    mistakes: [profile === "proxy" ? "unknown-action" : "answer-unknown-request"], // the test asks, not the mock
    client: { onReadFiles: () => disk[profile].passed.then(() => ({ "a.txt": "hello" })) },
  }),
  async ({ client, server, profile }) => {
    const requested = once(client, "reconnectRequested");
    link(server).send(action({ type: "read-files", requestId: "r1", filePaths: ["a.txt"] }));
    link(server).send(action({ type: "request-reconnect" }));
    await requested;
    const turn = client.prompt("hello");
    expect([client.status, turn.status]).toEqual(["ready", "queued"]);
    disk[profile].open();
    await turn.result;
    expect(sentOn(server, 1)).toEqual(["identify", "read-files-response"]);
    expect(sentOn(server, 2)).toEqual(["identify", "prompt"]);
  },
);

onBoth(
  "checklist 16 & finding 11: a conversation is in the right order for the model, and goes on from its state on another client",
  { mock: { answer: ({ messages }) => [`answer ${messages.length}`] } },
  async ({ client, server, profile }) => {
    const chat = client.conversation();
    const { sessionState } = await chat.prompt("one").result;
    const other = client.conversation({ from: JSON.parse(JSON.stringify(chat.state)) });
    await other.prompt("two").result;
    expect(server.prompts[1]?.messages.map(({ content }) => content)).toEqual(["one", "answer 1", "two"]);
    const sent = server.prompts[1]?.data.sessionState;
    expect(sent).toEqual(profile === "proxy" ? {} : sessionState);
  },
);

onBoth(
  "checklist 16: prompts that run at once do not mix, and each sub-agent belongs to its own",
  async ({ client, server, profile }) => {
    const turns = ["a", "b"].map((promptId) => client.prompt({ prompt: promptId, promptId }));
    const both = gate();
    let begun = 0;
    server.answer = async function* ({ promptId }) {
      yield `${promptId}1`;
      if (++begun === 2) both.open();
      if (profile === "codebuff") await both.passed;
      yield step.subAgent("base-1", `for ${promptId}`);
      yield ` ${promptId}2`;
    };
    const seen = turns.map((turn) => eventsOf(turn));
    const texts = await Promise.all(turns.map(async (turn) => (await turn.result).text));
    expect(texts).toEqual(["a1 a2", "b1 b2"]);
    for (const [index, promptId] of ["a", "b"].entries()) {
      const ids = seen[index]?.flatMap((event) => ("userInputId" in event ? [event.userInputId] : []));
      expect(new Set(ids)).toEqual(new Set([promptId, `${promptId}-base-1`]));
    }
  },
);

onBoth(
  "checklist 17 & edge case 2: noise of every kind throws nothing and loses nothing",
  {
    mock: {
      oddities: {
        duplicateAcks: true,
        unknownTxids: true,
        unknownMessages: true,
        garbageFrames: true,
        orphanIds: true,
        subAgentIds: true,
        chunkBeforeAck: true,
      },
      answer: () => ["a", "b"],
    },
  },
  async ({ client, server }) => {
    const warned: string[] = [];
    client.on("protocolWarning", ({ kind }) => warned.push(kind));
    const unknown = once(client, "unknownMessage");
    const orphan = once(client, "orphan");
    link(server).faults.bytes(Uint8Array.of(0x82, 3, 0xff, 0xfe, 0xfd)); // binary, and no text
    const turn = client.prompt("hello");
    expect((await turn.result).text).toBe("ab");
    await Promise.all([unknown, orphan]);
    expect(new Set(warned)).toEqual(new Set(["unreadable-frame", "invalid-message"]));
    expect(server.connections).toHaveLength(1);
  },
);

onBoth(
  "checklist 17: what a refusal quotes, and tokens, stay out of the log",
  { ...READING, mock: { ...READING.mock, ackOrder: "late" } },
  async ({ client, server, log }) => {
    server.answer = ({ data, txid }) => [
      step.nack(`bad input: ${data.prompt} ${data.authToken}`),
      step.raw(nack(`bad input: ${data.prompt} ${data.authToken}`, txid)),
      step.silent(),
    ];
    const warned = once(client, "protocolWarning");
    const turns = [client.prompt("my diary"), client.prompt("my diary")];
    await Promise.all(turns.map((turn) => turn.outcome));
    await warned;
    await lose(client, () => link(server).close(1011, "crashed"));
    expect(log).toContainEqual(expect.stringContaining("crashed"));
    expect(log.filter((line) => line.includes("my diary") || line.includes(TOKEN))).toEqual([]);
  },
);

onBoth(
  "checklist 17: a token in a close reason is in no log and no error",
  async ({ client, server, log }) => {
    await works(client);
    const error = await lose(client, () => link(server).close(1011, `bad ${TOKEN}`));
    expect(log).toContainEqual(expect.stringContaining("1011"));
    expect(log.filter((line) => line.includes(TOKEN))).toEqual([]);
    expect(`${error} ${JSON.stringify(error)}`).not.toContain(TOKEN);
  },
);

onBoth(
  "checklist 17: what the refusal of a session quotes is in no log either",
  async ({ client, server, log }) => {
    await works(client);
    await lose(client, () => link(server).drop());
    const refused = once(client, "disconnected");
    link(server).send(nack(`Maximum connections (1) reached by ${TOKEN}`));
    expect(`${await refused}`).toMatch(
      /^HandshakeError \[handshake-refused\]: .*Maximum connections \(1\) reached/,
    );
    expect(`${await refused}`).not.toContain(TOKEN);
    expect(log.filter((line) => line.includes(TOKEN))).toEqual([]);
  },
);
