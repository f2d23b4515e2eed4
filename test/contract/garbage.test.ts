import { expect } from "vitest";
import { TEXT } from "./fixture.ts";
import { promise } from "./promise.ts";
import { collect, drain, hold, next, shows, works } from "./support.ts";

/** What no good backend says, and cannot be read at all. */
const UNREADABLE: Readonly<Record<string, string | Uint8Array>> = {
  "text that is not JSON": "this is no JSON",
  "half a message": '{"type": "TextDel',
  "two messages in one frame": '{"type":"unheard of"}{"type":"unheard of"}',
  "20,000 nested lists": `${"[".repeat(20_000)}${"]".repeat(20_000)}`,
  "an empty frame": "",
  "a blank frame": " \n\t",
  "bytes that are not UTF-8": Uint8Array.of(0xff, 0xfe, 0x00, 0x80),
  "bytes that are not JSON": new TextEncoder().encode("also in bytes this is no JSON"),
};

/** What can be read, and is no message. */
const NO_MESSAGE: Readonly<Record<string, string | Uint8Array>> = {
  "a list": '[{"type":"unheard of"}]',
  "500 nested lists": `${"[".repeat(500)}${"]".repeat(500)}`,
  "a number": "42",
  null: "null",
  "a string": '"TextDelta"',
  "an object without a type": "{}",
  "a type that is not a string": '{"type":{"type":"response"}}',
  "an unknown type": '{"type":"unheard of","data":{"type":"unheard of"}}',
  "the type `constructor`": '{"type":"constructor","data":{"type":"__proto__"}}',
  "a `__proto__` member": '{"type":"unheard of","__proto__":{"polluted":true}}',
  "lone surrogates": '{"type":"\\ud83d","data":"\\udc4b"}',
  "bytes with JSON": new TextEncoder().encode('{"type":"unheard of"}'),
};

const ALL = [
  ...Object.entries(UNREADABLE).map(([name, frame]) => [name, frame, "protocolWarning"] as const),
  ...Object.entries(NO_MESSAGE).map(([name, frame]) => [name, frame, "message"] as const),
];

for (const [name, frame, event] of ALL) {
  promise(
    `garbage: it is reported, and affects no turn before, during or after it: ${name}`,
    async (scene) => {
      const { client, backend, link, facts } = scene;
      const isRead = typeof frame === "string" || facts.readsBytes;
      const gone = collect(client, "disconnected");
      const says = async (): Promise<void> => {
        const told = next(client, isRead ? event : "protocolWarning");
        link.say(frame);
        await told;
      };
      await says();
      const goOn = hold(backend);
      const turn = client.prompt("hello");
      const reading = drain(turn.textStream);
      await shows(client, turn, "part");
      await says();
      expect(turn.status).toBe("streaming");
      goOn();
      expect((await turn.result).text).toBe("part and rest");
      expect(await reading).toMatchObject({ thrown: undefined });
      await says();
      expect(await works(client)).toBe(TEXT);
      expect(gone).toEqual([]);
      expect(client.status).toBe("ready");
      expect({}).not.toHaveProperty("polluted");
    },
  );
}

promise(
  "garbage: an unreadable frame causes a warning that quotes its beginning",
  async ({ client, link }) => {
    const warned = next(client, "protocolWarning");
    link.say(`this is no JSON ${"!".repeat(100_000)}`);
    const warning = await warned;
    expect(warning).toMatchObject({
      kind: "unreadable-frame",
      raw: expect.stringMatching(/^this is no JSON !/),
    });
    expect(warning.raw?.length).toBeLessThanOrEqual(1_000);
    expect(warning.message).not.toBe("");
  },
);

promise("garbage: valid JSON is emitted unchanged as a message", async ({ client, link }) => {
  const messages = collect(client, "message");
  const message = { type: "unheard of", numbers: [1, 2.5, null], nested: { "": true } };
  const told = next(client, "message");
  link.say(JSON.stringify(message));
  await told;
  expect(messages).toEqual([message]);
});

promise("garbage: a thousand bad frames in a row do not affect a turn", async ({ client, backend, link }) => {
  const warnings = collect(client, "protocolWarning");
  backend.answer = function* () {
    yield "part";
    for (let count = 0; count < 1_000; count++) link.say(`{"bad frame ${count}`);
    yield " and rest";
  };
  expect((await client.prompt("hello").result).text).toBe("part and rest");
  expect(warnings).toHaveLength(1_000);
});
