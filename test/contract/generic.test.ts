import { InvalidInputError, type PromptFiles, type PromptImage } from "agentwire";
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

promise("generic: `{ text }` is sent like a string", async ({ client, backend }) => {
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
  "an unknown field": { text: "hello", pictures: [] },
  "a picture in place of a list": { text: "hello", images: PIXEL },
  "a picture that is a number": { text: "hello", images: [5] },
  "a picture without data": { text: "hello", images: [{}] },
  "an empty picture": { text: "hello", images: [{ data: "" }] },
  "a URL in place of picture data": { text: "hello", images: [{ data: "https://example.com/a.png" }] },
  "an unknown field of a picture": { text: "hello", images: [{ ...PIXEL, url: "x" }] },
})) {
  promise(`generic: \`{ text }\` with ${what} is refused at once`, { connected: false }, async (scene) => {
    const { client, backend } = scene;
    for (const target of [client, client.conversation()])
      expect(thrown(() => Reflect.apply(target.prompt, target, [input]))).toMatchObject(REFUSED);
    expect(backend.calls).toBe(0);
  });
}

promise("generic: images are sent, or refused as unsupported, as `capabilities` say", async ({ client }) => {
  const prompt = (): unknown => client.prompt({ text: "hello", images: [PIXEL] }).result;
  const outcome = await Promise.resolve()
    .then(prompt)
    .catch((error: unknown) => error);
  expect(outcome).toMatchObject(client.capabilities.images ? { text: TEXT } : { code: "unsupported" });
  expect(await works(client)).toBe(TEXT);
});

/** A folder with one file, in which another may not be read. */
const folder = () => {
  const asked: string[] = [];
  const files: PromptFiles = {
    root: ".",
    listFiles: async (prefix) => ({ paths: [`${prefix}.md`], more: false }),
    promptFiles: async (paths) => {
      asked.push(...paths);
      if (paths.includes("secret")) throw new InvalidInputError("it is secret.", "Leave it out.");
      return paths.map((path) => ({ path, location: `/project/${path}`, text: "# A" }));
    },
  };
  return { asked, files };
};

const UNSUPPORTED = { code: "unsupported", hint: expect.stringMatching(/\w/) };

for (const [what, wanted] of Object.entries({
  "files that a prompt names": ["a.md"],
  "a file that may not be read": ["a.md", "secret"],
})) {
  const { asked, files } = folder();
  promise(
    `generic: ${what}: the turn says how it ends, or they are refused as unsupported, as \`capabilities\` say`,
    { files },
    async ({ client, backend }) => {
      asked.length = 0;
      const prompts = backend.prompts.length;
      const input = { text: "hello", files: wanted };
      const takes = client.capabilities.files;
      const sends = takes && !wanted.includes("secret");
      const failed = { status: "failed", error: { code: "invalid-input", delivery: "not-sent", input } };
      const ends = sends ? { status: "completed", result: { text: TEXT } } : failed;
      for (const target of [client, client.conversation()]) {
        const ended = await Promise.resolve()
          .then((): unknown => target.prompt(input).outcome)
          .catch((error: unknown) => error);
        expect(ended).toMatchObject(takes ? ends : UNSUPPORTED);
      }
      expect(backend.prompts.length - prompts).toBe(sends ? 2 : 0);
      expect(asked).toEqual(takes ? [...wanted, ...wanted] : []);
      expect(await works(client)).toBe(TEXT);
    },
  );
}

{
  const { files } = folder();
  promise(
    "generic: `files` lists paths, or says that there are none to list, as `capabilities` say",
    { files, connected: false },
    async ({ client, backend }) => {
      const listed = await client.files?.("a").catch((error: unknown) => error);
      const all = { paths: ["a.md"], more: false };
      expect(listed ?? UNSUPPORTED).toMatchObject(client.capabilities.files ? all : { code: "unsupported" });
      expect(backend.calls).toBe(0);
    },
  );
}

promise(
  "generic: an unknown mode and model are refused, as `capabilities` say",
  async ({ client, backend }) => {
    const conversation = client.conversation();
    const prompts = backend.prompts.length;
    for (const [can, set] of [
      [client.capabilities.modes, conversation.setMode],
      [client.capabilities.models, conversation.setModel],
    ] as const) {
      const refused = await set?.call(conversation, "no such id").catch((error: unknown) => error);
      if (can) expect(refused).toMatchObject(REFUSED);
      else expect(refused ?? UNSUPPORTED).toMatchObject({ code: "unsupported" });
    }
    expect(backend.prompts.length).toBe(prompts);
    expect(await works(client)).toBe(TEXT);
  },
);

promise("generic: an empty list of images is allowed", async ({ client }) => {
  expect(await client.prompt({ text: "hello", images: [] }).result).toMatchObject({ text: TEXT });
});

promise("generic: `capabilities` has every field, and equal values each time", async (scene) => {
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
    modes: expect.any(Boolean),
    models: expect.any(Boolean),
    files: expect.any(Boolean),
  });
});

promise("generic: `reopens` says whether a lost link comes back", async ({ client, facts }) => {
  expect(client.capabilities.reopens).toBe(facts.comesBack);
});

promise("generic: a second conversation is a new one, or is marked as shared", async ({ client }) => {
  const [one, other] = [client.conversation(), client.conversation()];
  expect([one.shared, other.shared, one === other]).toEqual(
    Array(3).fill(client.capabilities.conversations === "one"),
  );
});

promise("generic: `pending` is empty if the user was asked nothing", async ({ client, clock, facts }) => {
  const settled = collect(client, "settled");
  expect(client.pending).toEqual([]);
  await works(client);
  expect([client.pending, settled]).toEqual([[], []]);
  const closed = client.close({ force: true });
  await clock.advance(facts.within.force);
  await closed;
  expect(client.pending).toEqual([]);
});

promise("generic: an unknown request can be neither decided nor answered", async ({ client }) => {
  expect(thrown(() => client.decide("nobody asked", "once"))).toMatchObject(REFUSED);
  expect(thrown(() => client.answer("nobody asked", "yes"))).toMatchObject(REFUSED);
});

promise(
  "generic: a client that closed after a lost link refuses a prompt as `closed`",
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
