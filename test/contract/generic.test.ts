import type { PromptImage } from "agentwire";
import { expect } from "vitest";
import { TEXT } from "./fixture.ts";
import { promise } from "./promise.ts";
import { collect, status, thrown, works } from "./support.ts";

/** A picture of one pixel. */
const PIXEL: PromptImage = {
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  mediaType: "image/png",
};

const REFUSED = { code: "invalid-input", retryable: false, hint: expect.stringMatching(/\w/) };

promise("generic: a prompt of `text` says the same as a string", async ({ client, backend }) => {
  for (const prompts of [client, client.conversation()]) {
    expect(await prompts.prompt({ text: "hello" }).result).toMatchObject({ text: TEXT });
    expect(backend.prompts.at(-1)?.text).toBe("hello");
  }
});

for (const [what, input] of Object.entries({
  "no text": { text: undefined },
  "no text beside pictures": { text: undefined, images: [PIXEL] },
  "pictures alone": { images: [PIXEL] },
  "a blank text": { text: " " },
  "a number as text": { text: 5 },
  "a field that does not exist": { text: "hello", pictures: [] },
  "pictures that are no list": { text: "hello", images: PIXEL },
  "a picture that is none": { text: "hello", images: [5] },
  "a picture without data": { text: "hello", images: [{}] },
  "an empty picture": { text: "hello", images: [{ data: "" }] },
  "the address of a picture": { text: "hello", images: [{ data: "https://example.com/a.png" }] },
  "a field of a picture that does not exist": { text: "hello", images: [{ ...PIXEL, url: "x" }] },
})) {
  promise(
    `generic: a prompt of \`text\` with ${what} is refused at once`,
    { connected: false },
    async (scene) => {
      const { client, backend } = scene;
      for (const target of [client, client.conversation()])
        expect(thrown(() => Reflect.apply(target.prompt, target, [input]))).toMatchObject(REFUSED);
      expect(backend.calls).toBe(0);
    },
  );
}

promise(
  "generic: pictures are taken, or unsupported at once, as the capabilities say",
  async ({ client }) => {
    const prompt = (): unknown => client.prompt({ text: "hello", images: [PIXEL] }).result;
    const outcome = await Promise.resolve()
      .then(prompt)
      .catch((error: unknown) => error);
    expect(outcome).toMatchObject(client.capabilities.images ? { text: TEXT } : { code: "unsupported" });
    expect(await works(client)).toBe(TEXT);
  },
);

promise("generic: a prompt without pictures may say so", async ({ client }) => {
  expect(await client.prompt({ text: "hello", images: [] }).result).toMatchObject({ text: TEXT });
});

promise("generic: the capabilities are all there, and the same object's worth each time", async (scene) => {
  const { client } = scene;
  expect(client.capabilities).toEqual(client.capabilities);
  expect(client.capabilities).toEqual({
    textDeltas: expect.any(Boolean),
    reasoning: expect.any(Boolean),
    toolCalls: expect.any(Boolean),
    toolOutputDeltas: expect.any(Boolean),
    subagents: expect.any(Boolean),
    permissions: expect.stringMatching(/^(wire|client|none)$/),
    questions: expect.any(Boolean),
    usage: expect.stringMatching(/^(tokens|credits|cost|none)$/),
    images: expect.any(Boolean),
    cancelOnWire: expect.any(Boolean),
    history: expect.stringMatching(/^(client|server|none)$/),
    conversations: expect.stringMatching(/^(one|many)$/),
    survivesReconnect: expect.any(Boolean),
    reopens: expect.any(Boolean),
    recovers: expect.any(Boolean),
    plan: expect.any(Boolean),
    context: expect.any(Boolean),
    branches: expect.any(Boolean),
    preview: expect.any(Boolean),
  });
});

promise("generic: `reopens` says whether a lost link comes back", async ({ client, facts }) => {
  expect(client.capabilities.reopens).toBe(facts.comesBack);
});

promise("generic: a second conversation is another one, or says that it is shared", async ({ client }) => {
  const [one, other] = [client.conversation(), client.conversation()];
  expect([one.shared, other.shared, one === other]).toEqual(
    Array(3).fill(client.capabilities.conversations === "one"),
  );
});

promise("generic: nothing waits for the user who was asked nothing", async ({ client, clock, facts }) => {
  const settled = collect(client, "settled");
  expect(client.pending).toEqual([]);
  await works(client);
  expect([client.pending, settled]).toEqual([[], []]);
  const closed = client.close({ force: true });
  await clock.advance(facts.within.force);
  await closed;
  expect(client.pending).toEqual([]);
});

promise("generic: what was never asked can be neither decided nor answered", async ({ client }) => {
  expect(thrown(() => client.decide("nobody asked", "once"))).toMatchObject(REFUSED);
  expect(thrown(() => client.answer("nobody asked", "yes"))).toMatchObject(REFUSED);
});

promise(
  "generic: a client that gave up by itself refuses a prompt as a closed one does",
  { reconnect: false },
  async ({ client, link }) => {
    const conversation = client.conversation();
    await conversation.prompt("hello").result;
    link.end("cut");
    await status(client, "closed");
    for (const target of [client, conversation, client.conversation()])
      expect(thrown(() => target.prompt("more"))).toMatchObject({ code: "closed", delivery: "not-sent" });
  },
);
