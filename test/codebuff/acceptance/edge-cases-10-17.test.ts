import { CodebuffClient } from "agentwire/codebuff";
import { step } from "agentwire/testing";
import { expect } from "vitest";
import { gate, once, sentTo } from "../../helpers/codebuff.ts";
import { errorSaying } from "../../helpers/errors.ts";
import { onBoth, TOKEN } from "./both.ts";
import { actionsTo, INIT, link, lose, sentOn, shown, works } from "./wire.ts";

onBoth(
  "edge case 10: a cancel carries the token that its prompt was sent with, and asks for no other",
  () => {
    const tokens = [TOKEN]; // one prompt's worth
    return { client: { authToken: async () => tokens.pop() ?? Promise.reject(new Error("logged out")) } };
  },
  async ({ client, server, profile }) => {
    const hold = gate();
    server.answer = async function* () {
      yield "one";
      await hold.passed;
    };
    const turn = client.prompt("hello");
    await shown(turn, "one");
    await turn.cancel();
    if (profile === "codebuff") await server.waitFor(() => server.cancels.length === 1);
    hold.open();
    await client.close();
    expect(server.cancels).toMatchObject(profile === "codebuff" ? [{ authToken: TOKEN, stopped: true }] : []);
  },
);

onBoth(
  "edge case 11 & finding 1 & checklist 15: init-responses answer the inits in order, with Infinity and with fields left out",
  { mock: { init: "ack-only" } },
  async ({ client, server }) => {
    const inits = [client.init(INIT), client.init(INIT), client.init(INIT)];
    await server.waitFor(() => actionsTo(server, "init").length === 3);
    const response = (fields: string): string =>
      `{"type":"action","data":{"type":"init-response",${fields}}}`;
    link(server).send(response('"usage":1,"remainingBalance":Infinity,"message":null,"agentNames":null'));
    link(server).send(response('"usage":2,"remainingBalance":7,"next_quota_reset":null'));
    link(server).send(response('"usage":3,"remainingBalance":-1'));
    const got = (await Promise.all(inits)).map(({ usage, remainingBalance }) => [usage, remainingBalance]);
    expect(got).toEqual([
      [1, Number.POSITIVE_INFINITY],
      [2, 7],
      [3, -1],
    ]);
  },
);

onBoth(
  "edge case 12: a frame that is not JSON is a warning, a binary one is read as UTF-8 text",
  async ({ client, server }) => {
    const binary = (...bytes: readonly number[]): void =>
      link(server).faults.bytes(Uint8Array.of(0x82, bytes.length, ...bytes));
    const garbled = once(client, "protocolWarning");
    link(server).send("{ not json");
    expect(await garbled).toMatchObject({ kind: "unreadable-frame", raw: "{ not json" });

    const read = once(client, "unknownMessage");
    binary(...new TextEncoder().encode('{"type":"é"}'));
    expect(await read).toEqual({ type: "é" });

    const notText = once(client, "protocolWarning");
    binary(0xc3, 0x28);
    expect(await notText).toMatchObject({ kind: "unreadable-frame" });
    expect(await works(client)).not.toBe("");
    expect(server.connections).toHaveLength(1);
  },
);

onBoth(
  "edge case 14: the session id is 128 random bits of each client, and the same after a reconnect",
  async ({ client, server }) => {
    await works(client);
    await lose(client, () => link(server).drop());
    const other = new CodebuffClient({ url: server.url, settleWindow: 0 });
    await other.connect();
    await other.close();
    const [first, second, others] = sentTo(server, "identify").map((frame) => frame["clientSessionId"]);
    expect(first).toMatch(/^agentwire-[0-9a-f]{32}$/);
    expect(second).toBe(first);
    expect(others).toMatch(/^agentwire-[0-9a-f]{32}$/);
    expect(others).not.toBe(first);
  },
);

onBoth(
  "edge case 15 & error MessageTooLarge: the bytes of the whole frame are counted before it is sent, as UTF-8",
  { client: { maxSendBytes: 3_000 } },
  async ({ client, server }) => {
    const text = "é".repeat(1_400); // fits in characters, and not in bytes
    expect(() => client.prompt(text)).toThrow(
      expect.objectContaining({ code: "payload-too-large", limit: 3_000, bytes: expect.any(Number) }),
    );
    expect(() => client.init({ fileContext: { text: text.repeat(2) } })).toThrow(
      expect.objectContaining({ code: "payload-too-large" }),
    );
    expect(sentOn(server, 1)).toEqual(["identify"]);
  },
);

onBoth(
  "edge case 15: the limit is 1 MiB, unless the server is known to set none",
  async ({ client, server, profile }) => {
    const text = "x".repeat(1_100_000);
    if (profile === "proxy")
      expect(() => client.prompt(text)).toThrow(errorSaying("payload-too-large", /1048576/));
    else await client.prompt(text).result;
    expect(sentOn(server, 1)).toHaveLength(profile === "proxy" ? 1 : 2);
  },
);

onBoth(
  "edge case 15: what is known of the server's limit is still known while the link is down",
  async ({ client, server, profile }) => {
    await works(client);
    const gone = once(client, "disconnected");
    link(server).drop();
    await gone;
    const text = "x".repeat(1_100_000);
    expect(client.server).toBe(profile);
    if (profile === "proxy")
      expect(() => client.prompt(text)).toThrow(expect.objectContaining({ code: "payload-too-large" }));
    else await client.prompt(text).result;
  },
);

onBoth(
  "edge case 16: on a server that only echoes the state the client keeps the history; a failed turn adds nothing",
  async ({ client, server, profile }) => {
    server.answer = ({ messages }) => [`answer ${messages.length}`];
    const chat = client.conversation();
    await chat.prompt("one").result;
    server.answer = () => ["half", step.promptError({ message: "no" })];
    await chat.prompt("lost").outcome;
    server.answer = () => ["answer"];
    await chat.prompt("three").result;
    const said = [
      { role: "user", content: "one" },
      { role: "assistant", content: "answer 1" },
      { role: "user", content: "three" },
    ];
    expect(server.prompts[2]?.messages).toEqual(said);
    expect(chat.messages).toEqual([...said, { role: "assistant", content: "answer" }]);
    const last = actionsTo(server, "prompt").at(-1);
    if (profile === "proxy") expect(last).toMatchObject({ content: said, sessionState: {} });
    else expect(last).not.toHaveProperty("content");
  },
);

const SSE_HALVES = ['data: {"choices":[{"delta":{"con', 'tent":"split"}}]}\n\n'] as const;
const SSE_WHOLE =
  'data: {"object":"chat.completion.chunk","choices":[{"delta":{"content":"whole"}}]}\n\ndata: [DONE]\n\n';

for (const [chunkDecoding, chunks, text] of [
  ["text", [SSE_WHOLE, "plain"], `${SSE_WHOLE}plain`],
  ["auto", [SSE_WHOLE, "plain", ...SSE_HALVES], `wholeplain${SSE_HALVES.join("")}`],
  ["openai-sse", [SSE_WHOLE, ...SSE_HALVES, "data: [DONE]\n\n"], "wholesplit"],
] as const) {
  onBoth(
    `edge case 17: chunks are decoded as "${chunkDecoding}" says`,
    { mock: { answer: () => chunks } },
    async ({ client }) => {
      expect((await client.prompt("hello", { chunkDecoding }).result).text).toBe(text);
    },
  );
}

onBoth(
  "edge case 17: text has one source, strings, although events bring it too",
  {
    mock: {
      answer: () => [
        "raw <tool/>",
        step.chunk({ type: "text", text: "clean" }),
        step.chunk({ type: "text", text: "er" }),
      ],
    },
  },
  async ({ client }) => {
    expect((await client.prompt("hello").result).text).toBe("raw <tool/>");
  },
);
