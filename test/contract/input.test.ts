import { expect } from "vitest";
import { TEXT } from "./fixture.ts";
import { promise } from "./promise.ts";
import { hold, shows, thrown, works } from "./support.ts";

/** What is no prompt, for whichever protocol. */
const NO_PROMPT: Readonly<Record<string, unknown>> = {
  nothing: undefined,
  null: null,
  "an empty string": "",
  "a blank string": " \n\t",
  "a number": 5,
  true: true,
  "a list": ["hello"],
  "an empty object": {},
  "a function": () => "hello",
};

const NO_OPTIONS: Readonly<Record<string, unknown>> = {
  "a string in place of options": "fast",
  "null in place of options": null,
  "an invalid signal": { signal: true },
  "a timeout that is not a number": { timeout: "5s" },
  "a timeout below 0": { timeout: -1 },
  "a timeout that is NaN": { timeout: Number.NaN },
  "a timeout over the limit of timers": { timeout: 2 ** 31 },
  "an idle timeout that is not a number": { idleTimeout: null },
  "an idle timeout below 0": { idleTimeout: -0.5 },
};

const REFUSED = { code: "invalid-input", retryable: false, hint: expect.stringMatching(/\w/) };

for (const [name, input] of Object.entries(NO_PROMPT)) {
  promise(
    `input: a prompt of ${name} is refused at once`,
    { connected: false },
    async ({ client, backend }) => {
      for (const prompt of [client.prompt, client.conversation().prompt]) {
        const target = prompt === client.prompt ? client : client.conversation();
        expect(thrown(() => Reflect.apply(prompt, target, [input]))).toMatchObject(REFUSED);
      }
      expect(client.status).toBe("idle");
      expect(backend.calls).toBe(0);
    },
  );
}

for (const [name, options] of Object.entries(NO_OPTIONS)) {
  promise(`input: a turn refuses ${name} at once`, { connected: false }, async ({ client, backend }) => {
    expect(thrown(() => Reflect.apply(client.prompt, client, ["hello", options]))).toMatchObject(REFUSED);
    expect(client.status).toBe("idle");
    expect(backend.calls).toBe(0);
  });
}

promise(
  "input: an object with an invalid text is refused at once",
  { connected: false },
  async ({ client, backend, facts }) => {
    for (const text of [undefined, null, "", " ", 5, {}, ["hello"]])
      expect(
        thrown(() => client.prompt(facts.input(text))),
        String(text),
      ).toMatchObject(REFUSED);
    expect(backend.calls).toBe(0);
  },
);

promise(
  "input: options of `connect`, `close` and `conversation` are checked too",
  { connected: false },
  async ({ client, backend }) => {
    const wrong: readonly (readonly [call: (options: never) => unknown, options: unknown])[] = [
      [client.connect, { signal: 5 }],
      [client.connect, "now"],
      [client.close, { force: "yes" }],
      [client.close, { drainTimeout: -1 }],
      [client.close, 5],
      [client.conversation, 5],
    ];
    for (const [call, options] of wrong)
      expect(
        thrown(() => Reflect.apply(call, client, [options])),
        `${call.name} ${JSON.stringify(options)}`,
      ).toMatchObject(REFUSED);
    expect(client.status).toBe("idle");
    expect(backend.calls).toBe(0);
  },
);

promise("input: the constructor refuses invalid options", async ({ another }) => {
  const wrong: readonly object[] = [
    { connectTimeout: -1 },
    { connectTimeout: "soon" },
    { idleTimeout: -1 },
    { keepalive: 5 },
    { keepalive: { interval: "often" } },
    { reconnect: true },
    { reconnect: { maxAttempts: 0.5 } },
    { maxSendBytes: 0 },
    { maxReceiveBytes: "1 MB" },
    { maxQueuedTurns: 1.5 },
    { maxBufferedBytes: -1 },
    { maxTextBytes: Number.NaN },
    { signal: {} },
    { logger: {} },
    { debug: "yes" },
  ];
  for (const options of wrong)
    expect(
      thrown(() => another(options)),
      JSON.stringify(options),
    ).toMatchObject(REFUSED);
});

promise("input: a reply to an unknown request is refused at once", async ({ client }) => {
  expect(thrown(() => client.decide("nobody asked", true))).toMatchObject(REFUSED);
});

promise("input: an invalid call does not affect a running turn", async ({ client, backend }) => {
  const goOn = hold(backend);
  const turn = client.prompt("hello");
  await shows(client, turn, "part");
  expect(thrown(() => client.prompt(""))).toMatchObject(REFUSED);
  expect(thrown(() => Reflect.apply(client.prompt, client, ["hello", { timeout: -1 }]))).toMatchObject(
    REFUSED,
  );
  goOn();
  expect((await turn.result).text).toBe("part and rest");
  expect(await works(client)).toBe(TEXT);
});
