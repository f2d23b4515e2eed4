import { expect } from "vitest";
import { asked, says, thrown, warnings, works } from "../../helpers/cass.ts";
import { onEach, type Scene } from "./each.ts";
import { INVALID_CALLS, type InvalidCall } from "./invalid.ts";
import { kept, PICTURES, PNG } from "./made.ts";

/** Every call of this line of the section is refused, and nothing is sent. */
async function refuses({ client, server, user }: Scene, line: InvalidCall["line"]): Promise<void> {
  const rows = INVALID_CALLS.filter((row) => row.line === line);
  expect(rows.length).toBeGreaterThan(2);
  for (const { what, call, code = "invalid-input" } of rows)
    expect(
      thrown(() => call(client, user.userId)),
      what,
    ).toMatchObject({ code });
  expect(await works(client)).toBe("Hello!");
  expect(asked(server).length).toBe(1);
}

onEach("9 message: what is no text, or blank, is refused", (scene) => refuses(scene, "message"));

onEach("9 message: half characters are replaced, whole ones are not", async (scene) => {
  const { client, server } = scene;
  await client.prompt("a\ud800b\udc00c 😀").result;
  expect(server.turns[0]?.message).toBe("a\ufffdb\ufffdc 😀");
});

onEach("9 message: the id of a conversation is left out, or a text", async (scene) => {
  const { client, server } = scene;
  const id = kept(scene);
  await client.prompt("one").result;
  await client.prompt({ message: "two", conversationId: id }).result;
  expect(server.turns.map(({ data }) => data)).toEqual([
    { type: "chat", message: "one" },
    { type: "chat", message: "two", conversation_id: id },
  ]);
});

onEach(
  "9 message: a blank one where that is meant",
  { mock: { emptyMessage: "model" }, mistakes: ["empty-message"] },
  async ({ client }) => {
    expect((await client.prompt(" ", { allowEmpty: true }).result).text).toBe("Hello!");
  },
);

onEach("9 image: what is no picture that can be sent is refused", (scene) => refuses(scene, "image"));

onEach(
  "9 image: bytes, base64, a `data:` URL and a Blob are all the same on the wire",
  async ({ client, server }) => {
    const png = PICTURES["image/png"];
    const forms = [
      png,
      png.buffer,
      PNG,
      `data:image/png;base64,${PNG}`,
      new Blob([png], { type: "image/png" }),
      new Blob([png]),
    ];
    for (const data of forms) await client.prompt({ message: "look", image: { data } }).result;
    for (const [index] of forms.entries())
      expect(server.turns[index]?.data).toEqual({
        type: "chat",
        message: "look",
        image: PNG,
        image_media_type: "image/png",
      });
  },
);

for (const [mediaType, data] of Object.entries(PICTURES)) {
  onEach(`9 image: ${mediaType} is told by its first bytes`, async ({ client, server }) => {
    await client.prompt({ message: "look", image: { data } }).result;
    expect(server.turns[0]?.data["image_media_type"]).toBe(mediaType);
  });
}

onEach(
  "9 image: a model that does not see it is warned of",
  { mock: { provider: "openai" }, warns: ["image-ignored"] },
  async ({ client }) => {
    const seen = warnings(client);
    const prompt = { message: "look", image: { data: PNG } };
    await client.prompt(prompt).result; // of whose model nobody knows yet
    expect(seen).toEqual([]);
    await client.prompt(prompt).result;
    expect(seen).toEqual(["image-ignored"]);
  },
);

onEach("9 frame: more than 16 MiB of UTF-8 is refused", (scene) => refuses(scene, "frame"));

onEach("9 frame: just 16 MiB is sent", async ({ client, server }) => {
  server.answer = ({ message }) => [String(message.length)];
  const frame = '{"type":"chat","message":""}'.length + '"conversation_id":"",'.length + 36;
  const message = "x".repeat(16_777_216 - frame);
  expect((await client.prompt(message).result).text).toBe(String(message.length));
});

onEach("9 onboarding: what the server would refuse or die of is refused", (scene) =>
  refuses(scene, "onboarding"),
);

onEach(
  "9 onboarding: what is in order goes out as it was given",
  { mock: { onboarding: "answered" } },
  async (scene) => {
    const { client, server, user } = scene;
    const { userId } = user;
    const profile = {
      relationship: "researcher",
      background: { context: "hats" },
      communication: { style: "dry" },
      values: ["honesty"],
    };
    const conversationId = kept(scene);
    await client.onboardingIntro({ userId, conversationId, profile: { display_name: "Name" } }).result;
    await client.onboardingDemo({ userId, profile }).result;
    await client.onboardingDemo({ userId, message: "go on" }).result;
    expect(server.turns.map(({ data }) => data)).toEqual([
      {
        type: "onboarding_intro",
        user_id: userId,
        conversation_id: conversationId,
        profile: { display_name: "Name" },
      },
      { type: "onboarding_demo", user_id: userId, profile },
      { type: "onboarding_demo", user_id: userId, message: "go on" },
    ]);
  },
);

onEach("9 queue: a hundred turns wait, and one more is refused", { connected: false }, async ({ client }) => {
  const turns = Array.from({ length: 100 }, (_, index) => client.prompt(`turn ${index}`));
  expect(thrown(() => client.prompt("one more"))).toMatchObject({
    code: "queue-full",
    delivery: "not-sent",
    retryable: true,
    limit: 100,
  });
  for (const turn of turns) void turn.cancel();
});

onEach(
  "9 queue: other numbers by the options",
  { connected: false, client: { maxQueuedTurns: 2, maxQueuedBytes: 10_000 } },
  async ({ client, server }) => {
    says(server, "yes");
    const turns = [client.prompt("x".repeat(8_000))];
    expect(thrown(() => client.prompt("x".repeat(8_000)))).toMatchObject({
      code: "queue-full",
      limit: 10_000,
    });
    turns.push(client.prompt("two"));
    expect(thrown(() => client.prompt("three"))).toMatchObject({ code: "queue-full", limit: 2 });
    for (const { result } of turns) expect((await result).text).toBe("yes");
  },
);

onEach(
  "9 injectable: no global WebSocket and no fetch is needed",
  { connected: false },
  async ({ server, user, clock }) => {
    const { CassClient } = await import("agentwire/cass");
    const { WebSocket } = globalThis;
    await using client = new CassClient({
      url: server.url,
      clock,
      token: user.accessToken,
      createWebSocket: (url) => new WebSocket(url),
      fetch: (url, init) => server.fetch(String(url), init as RequestInit),
    });
    Reflect.deleteProperty(globalThis, "WebSocket");
    try {
      expect(await works(client)).toBe("Hello!");
      expect(await client.rest.getStatus()).toMatchObject({ online: true });
    } finally {
      globalThis.WebSocket = WebSocket;
    }
  },
);
