import { expect } from "vitest";
import { TEXT } from "./fixture.ts";
import { promise } from "./promise.ts";
import { drain, failureOf, hold, shows, staged, status, thrown, works } from "./support.ts";

promise(
  "limits: a prompt over `maxSendBytes` is refused at once",
  { maxSendBytes: 2_000 },
  async ({ client, backend }) => {
    for (const prompt of ["x".repeat(2_001), "\u{1f389}".repeat(501)])
      expect(thrown(() => client.prompt(prompt))).toMatchObject({
        code: "payload-too-large",
        limit: 2_000,
        bytes: expect.any(Number),
      });
    expect(await works(client)).toBe(TEXT);
    expect(backend.prompts).toHaveLength(1);
  },
);

promise(
  "limits: a turn beyond `maxQueuedTurns` is refused as `queue-full`",
  { oneAtATime: true, maxQueuedTurns: 2 },
  async ({ client, backend }) => {
    const goOn = hold(backend);
    const running = client.prompt("running");
    await shows(client, running, "part");
    const waiting = [client.prompt("a"), client.prompt("b")];
    const full = { code: "queue-full", limit: 2, bytes: 3, retryable: true, delivery: "not-sent" };
    expect(thrown(() => client.prompt("c"))).toMatchObject(full);
    await waiting[0]?.cancel();
    const late = client.prompt("d");
    goOn();
    await Promise.all([running.result, waiting[1]?.result, late.result]);
    expect(backend.prompts.map(({ text }) => text)).toEqual(["running", "b", "d"]);
  },
);

promise(
  "limits: a turn beyond `maxQueuedBytes` is refused as `queue-full`",
  { oneAtATime: true, maxQueuedBytes: 3_000 },
  async ({ client, backend }) => {
    const goOn = hold(backend);
    const running = client.prompt("running");
    await shows(client, running, "part");
    const waiting = client.prompt("x".repeat(2_000));
    expect(thrown(() => client.prompt("y".repeat(2_000)))).toMatchObject({
      code: "queue-full",
      limit: 3_000,
      bytes: expect.any(Number),
    });
    goOn();
    await Promise.all([running.result, waiting.result]);
    expect(await works(client)).toBe(TEXT);
  },
);

promise(
  "limits: text over `maxTextBytes` still streams, and the result is marked as truncated",
  { maxTextBytes: 10 },
  async ({ client, backend }) => {
    backend.answer = () => ["12345", "67\u{1f389}9", "abc"];
    const turn = client.prompt("hello");
    const { values } = await drain(turn.textStream);
    expect(values.join("")).toBe("1234567\u{1f389}9abc");
    const { text, truncated } = await turn.result;
    expect(text).toBe("1234567"); // all that fits, and no half of a character
    expect(truncated).toBe(true);
  },
);

promise(
  "limits: text of exactly `maxTextBytes` is not truncated",
  { maxTextBytes: 11 },
  async ({ client }) => {
    const result = await client.prompt("hello").result;
    expect(result.text).toBe(TEXT);
    expect(result).not.toHaveProperty("truncated");
  },
);

promise(
  "limits: a frame over `maxReceiveBytes` closes the link and fails the running turn",
  {
    maxReceiveBytes: 20_000,
    reconnect: {},
  },
  async (scene) => {
    const { client, link } = scene;
    const { turn, text } = await staged("streams", scene);
    link.say(`{"type":"unheard of","padding":"${"x".repeat(20_000)}"}`);
    expect(await failureOf(turn)).toMatchObject({
      code: "connection-lost",
      delivery: "unknown",
      partial: { text },
    });
    await status(client, "ready");
    expect(await works(client)).toBe(TEXT);
  },
);
