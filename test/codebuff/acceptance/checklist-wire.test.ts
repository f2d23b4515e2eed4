import { CodebuffClient } from "agentwire/codebuff";
import { ManualClock, step } from "agentwire/testing";
import { expect } from "vitest";
import { drain, once, sentTo } from "../../helpers/codebuff.ts";
import { onBoth, type Scene, TOKEN } from "./both.ts";
import { eventsOf, heard, INIT, link, nack, sentOn, works } from "./wire.ts";

onBoth(
  "checklist 1 & finding 3: identify goes out first and alone, and its answer, whichever of the two, leads to ready",
  {
    connected: false,
    mock: { identify: "silent" },
    // The mock does not know that the test answers in its place.
    mistakes: ["frame-before-identify-ack", "left-mid-prompt"],
  },
  async ({ client, server, profile }) => {
    const turn = client.prompt("hello");
    const topics = client.subscribe(["updates"]).catch(() => {});
    await server.waitFor(() => server.frames.length === 1);
    expect(sentOn(server, 1)).toEqual(["identify"]);
    const legacy = "Unknown message type; shouldn't be possible here.";
    link(server).send(profile === "proxy" ? '{"type": "ack", "txid": 0, "success": true}' : nack(legacy, 0));
    await server.waitFor(() => sentOn(server, 1).length === 3);
    expect(sentOn(server, 1)).toEqual(["identify", "subscribe", "prompt"]);
    expect([client.server, client.status, turn.status]).toEqual([profile, "ready", "sent"]);
    await client.close({ force: true });
    await topics;
  },
);

onBoth(
  "checklist 2: a refusal behind the success ack may be tried again with the same id, and then with a suffix",
  { client: { clientSessionId: "dup" } },
  async ({ server }) => {
    const clock = new ManualClock();
    const rival = new CodebuffClient({ url: server.url, clock, clientSessionId: "dup" });
    const ids = (): readonly unknown[] => sentTo(server, "identify").map((frame) => frame["clientSessionId"]);
    const reasons: unknown[] = [];
    rival.on("reconnecting", ({ delay, error }) => {
      reasons.push(error);
      void clock.advance(delay);
    });
    const settling = once(rival, "frame", ({ text }) => text.includes("success") && ids().length === 6);
    const connected = rival.connect();
    await settling;
    await clock.advance(49);
    expect(rival.status).toBe("handshaking"); // a refusal may still come
    await clock.advance(1);
    await connected;
    const duplicate = { code: "handshake-refused", reason: "duplicate", retryable: true };
    expect(reasons).toMatchObject([duplicate, duplicate, duplicate, duplicate]);
    const [, ...own] = ids();
    expect(own).toEqual(["dup", "dup", "dup", "dup", expect.stringMatching(/^dup-[0-9a-f]{32}$/)]);
    await works(rival);
    await rival.close();
  },
);

onBoth(
  "checklist 3: what is sent has no empty fields, and always a cost mode and tool results",
  { client: { fingerprintId: "fp" } },
  async ({ client, server, profile }) => {
    await client.prompt("hello").result;
    expect(sentTo(server, "identify")[0]).toMatchObject({ txid: 0 });
    expect(sentTo(server, "action")[0]).toEqual({
      type: "action",
      txid: 1,
      data: {
        type: "prompt",
        promptId: expect.stringMatching(/^prompt-[0-9a-f]{32}$/),
        prompt: "hello",
        fingerprintId: "fp",
        sessionState:
          profile === "proxy" ? {} : expect.objectContaining({ mainAgentState: expect.any(Object) }),
        toolResults: [],
        costMode: "normal",
        authToken: TOKEN,
      },
    });
  },
);

onBoth(
  "checklist 3: no topics, and frames over the limit, are refused by the call",
  { client: { maxSendBytes: 2_000 } },
  async ({ client, server }) => {
    expect(() => client.subscribe([])).toThrow(expect.objectContaining({ code: "invalid-input" }));
    expect(() => client.unsubscribe([])).toThrow(expect.objectContaining({ code: "invalid-input" }));
    expect(() => client.prompt("x".repeat(2_000))).toThrow(
      expect.objectContaining({ code: "payload-too-large" }),
    );
    expect(() => client.subscribe(["x".repeat(2_000)])).toThrow(
      expect.objectContaining({ code: "payload-too-large" }),
    );
    expect(sentOn(server, 1)).toEqual(["identify"]);
  },
);

onBoth(
  "checklist 3: what is sent is strict JSON: a number that is not finite is refused by the call",
  async ({ client, server }) => {
    for (const n of [Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => client.prompt({ prompt: "hello", promptParams: { n } })).toThrow(
        expect.objectContaining({ code: "invalid-input" }),
      );
      expect(() => client.init({ fileContext: { n } })).toThrow(
        expect.objectContaining({ code: "invalid-input" }),
      );
    }
    expect(sentOn(server, 1)).toEqual(["identify"]);
  },
);

onBoth(
  "checklist 4: the proxy's own init-response parses",
  { mock: { init: "ack-only" } },
  async ({ client, server }) => {
    const acked = heard(client, '"ack"');
    const init = client.init(INIT);
    await acked;
    link(server).send(
      '{"type": "action", "data": {"type": "init-response", "message": "Session initialized successfully", "usage": 0.0, "remainingBalance": Infinity}}',
    );
    expect(await init).toEqual({
      type: "init-response",
      message: "Session initialized successfully",
      usage: 0,
      remainingBalance: Number.POSITIVE_INFINITY,
    });
  },
);

/** Sends a frame, and resolves with what the client reads it as, or with the warning that it cannot. */
async function readAs({ client, server }: Scene, frame: string): Promise<unknown> {
  const read = once(client, "message").then((value) => ({ value }));
  const refused = once(client, "protocolWarning", ({ kind }) =>
    ["unreadable-frame", "frame-failed"].includes(kind),
  );
  link(server).send(frame);
  return Promise.race([read, refused.then(({ kind }) => kind)]);
}

onBoth("checklist 4: bare numbers are read where a value can stand", async (scene) => {
  const rows: readonly (readonly [frame: string, value: unknown])[] = [
    ['{"remainingBalance": Infinity}', { remainingBalance: Number.POSITIVE_INFINITY }],
    ["[-Infinity,NaN]", [Number.NEGATIVE_INFINITY, null]],
    ['{"a": "Infinity", "b": Infinity}', { a: "Infinity", b: Number.POSITIVE_INFINITY }],
    ['{"Infinity": 1, "b": NaN}', { Infinity: 1, b: null }],
    ['{"a": "x\\"Infinity", "b": NaN}', { a: 'x"Infinity', b: null }],
    ['{"a":"\\\\","b":Infinity}', { a: "\\", b: Number.POSITIVE_INFINITY }],
  ];
  for (const [frame, value] of rows) expect(await readAs(scene, frame), frame).toEqual({ value });
});

onBoth("checklist 4: everything else that JSON refuses stays refused", async (scene) => {
  const numbers = ["Infinityx", "1Infinity", "1.Infinity", "--Infinity", "-NaN", "+Infinity", "infinity"];
  const frames = [
    ...numbers,
    '{"a":Infinity',
    "{a:Infinity}",
    '{"a":Infinity,}',
    '{"a":"line\nbreak","b":NaN}',
    ...numbers.map((number) => `{"a":${number}}`),
  ];
  for (const frame of frames) expect(await readAs(scene, frame), frame).toBe("unreadable-frame");
});

onBoth("checklist 4: a prototype is never touched", async (scene) => {
  const read = (await readAs(scene, '{"__proto__": {"x": Infinity}}')) as { value: object };
  expect(Object.keys(read.value)).toEqual(["__proto__"]);
  expect(Object.getPrototypeOf(read.value)).toBe(Object.prototype);
  expect(({} as { x?: unknown }).x).toBeUndefined();
});

onBoth("checklist 4: huge and hostile frames cost neither the stack nor the day", async (scene) => {
  const { client, server } = scene;
  const long = "x".repeat(16 * 1_048_576);
  expect(await readAs(scene, `{"type":"${long}","b":Infinity}`)).toMatchObject({
    value: { b: Number.POSITIVE_INFINITY },
  });
  const nested = `${"[".repeat(100_000)}Infinity${"]".repeat(100_000)}`;
  expect(await readAs(scene, nested)).toBe("frame-failed");
  for (const part of ['\\"', '"a']) {
    const frame = `{"b":NaN,"a":"${part.repeat(1_048_576)}`;
    expect(await readAs(scene, frame)).toBe("unreadable-frame");
  }
  expect(await works(client)).not.toBe("");
  expect(server.connections).toHaveLength(1);
});

onBoth(
  "checklist 5: chunks add up in order, also those before the ack; no chunk at all is an empty success",
  { mock: { oddities: { chunkBeforeAck: true } } },
  async ({ client, server }) => {
    server.answer = () => Array.from({ length: 200 }, (_, index) => `${index} `);
    const { values } = await drain(client.prompt("count").textStream);
    expect(values.join("")).toBe(Array.from({ length: 200 }, (_, index) => `${index} `).join(""));
    server.answer = () => [];
    expect((await client.prompt("nothing").result).text).toBe("");
  },
);

const REASONING = { type: "reasoning_delta", text: "hm", ancestorRunIds: [], runId: "r1", agentId: "a1" };

onBoth(
  "checklist 5: object chunks are events, and what a `text` event repeats is not added again",
  { mock: { answer: () => ["Hello", step.chunk({ type: "text", text: "Hello" }), step.chunk(REASONING)] } },
  async ({ client }) => {
    const turn = client.prompt("hello");
    const events = eventsOf(turn);
    expect((await turn.result).text).toBe("Hello");
    const chunks = events.flatMap((event) => (event.type === "response-chunk" ? [event.chunk] : []));
    expect(chunks).toContainEqual({ type: "text", text: "Hello" });
    expect(chunks).toContainEqual(REASONING);
  },
);

onBoth(
  "checklist 6: a prompt-error before or in the stream rejects with its exact message; what had come stays",
  async ({ client, server }) => {
    server.answer = () => [step.failBeforeStream("upstream exploded")];
    const early = await drain(client.prompt("one").textStream);
    expect(early).toMatchObject({
      values: [],
      thrown: { serverMessage: "Failed to process prompt: Failed to stream response: upstream exploded" },
    });
    server.answer = () => ["half", " an answer", step.failMidStream("stream broke")];
    const late = await drain(client.prompt("two").textStream);
    expect(late).toMatchObject({
      values: ["half", " an answer"],
      thrown: { serverMessage: "Streaming error: stream broke", partial: { text: "half an answer" } },
    });
  },
);
