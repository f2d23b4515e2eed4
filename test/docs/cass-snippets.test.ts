import { CassClient, type CassClientOptions } from "agentwire/cass";
import { cassStep, type MockCassOptions, MockCassServer } from "agentwire/testing";
import { describe, expect, test, vi } from "vitest";
import * as page from "../../docs/snippets/cass.ts";
import { cass } from "../../docs/snippets/testing.ts";
import { capturedOutput } from "../helpers/captured-output.ts";

const output = capturedOutput();

const started = (options: MockCassOptions = {}): Promise<MockCassServer> => MockCassServer.start(options);

/** Closes a client when the test leaves. */
function closing(client: CassClient) {
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

/** The client of a new user. */
function userOf(server: MockCassServer, options: Partial<CassClientOptions> = {}) {
  const { userId, accessToken: token, refreshToken } = server.addUser();
  return { ...closing(new CassClient({ url: server.url, token, refreshToken, ...options })), userId };
}

test("the first program of docs/cass.md logs in, and shows an answer and its gestures", async () => {
  await using server = await started();
  const { email, password } = server.addUser({ password: "a password" });
  vi.stubEnv("CASS_URL", server.url);
  vi.stubEnv("CASS_EMAIL", email);
  vi.stubEnv("CASS_PASSWORD", password);
  await import("../../docs/snippets/cass-first.ts");
  expect(output.logged).toEqual([
    ["Retrieving memories..."],
    ["Generating response (Claude)..."],
    ["Hello!"],
    ["wave,happy", 150],
  ]);
  expect(server.violations).toEqual([]);
});

describe("logging in", () => {
  test("with a refresh token renews and saves an expired token", async () => {
    await using server = await started();
    const { userId, refreshToken } = server.addUser();
    const saved: unknown[] = [];
    const stored = {
      accessToken: server.issueToken(userId, { lifetime: -1 }),
      refreshToken,
      save: (tokens: object) => saved.push(tokens),
    };
    await using user = closing(page.keepTokens(server.url, stored));
    await user.client.connect();
    expect(output.logged).toEqual([[userId, true]]);
    expect(saved).toEqual([{ accessToken: expect.any(String), refreshToken: expect.any(String) }]);
    expect(server.violations).toEqual([]);
  });
});

test("a conversation is created, saved and continued, and its title is reported", async () => {
  await using server = await started({ answer: () => ["Gladly.", cassStep.title("Seven days")] });
  await using user = userOf(server);
  const titled = new Promise((resolve) => user.client.on("title", resolve));
  const resumed = await page.conversations(user.client);
  await titled;
  await resumed.prompt("And Monday?").result;
  const [plans] = server.conversations;
  expect(server.turns.map(({ conversationId }) => conversationId)).toEqual([plans?.id, plans?.id]);
  expect(user.client.titleOf(plans?.id ?? "")).toBe("Seven days");
});

test("a picture reaches the model with its type", async () => {
  await using server = await started({ answer: ({ image }) => [`A ${image?.mediaType}.`] });
  await using user = userOf(server);
  const png = new Blob([Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)]);
  expect(await page.image(user.client, png)).toBe("A image/png.");
  expect(server.violations).toEqual([]);
});

test("gestures are played at the places of their tags", async () => {
  await using server = await started({ answer: () => ["Hi <gesture:wave> all. <emote:happy:0.8>Bye."] });
  await using user = userOf(server);
  const done: unknown[] = [];
  await page.gestures(user.client, {
    play: (...what) => done.push(what),
    say: async (text) => void done.push(text),
  });
  expect(done).toEqual(["Hi ", ["gesture", "wave", 1], "all. ", ["emote", "happy", 0.8], "Bye."]);
});

test("tags are removed from any text", () => {
  page.tags();
  expect(output.logged).toEqual([
    ["Hello! there"],
    ["Yes.", ["hm"], [{ type: "emote", name: "happy", intensity: 1, offset: 4 }]],
  ]);
});

test.each([
  ["inline", "audio/mpeg"],
  ["url", "audio/wav"],
] as const)("the audio of an answer is played: %s", async (audio, mediaType) => {
  await using server = await started({
    profile: audio === "url" ? "documented" : "v2",
    audio,
    answer: () => ["Nothing new."],
  });
  await using user = userOf(server);
  let heard = (_: unknown): void => {};
  const played = new Promise((resolve) => {
    heard = resolve;
  });
  await page.audio(user.client, async (sound, type) => heard([sound.length > 0, type]));
  expect(await played).toEqual([true, mediaType]);
});

test("a lost reply is recovered", async () => {
  await using server = await started({
    answer: () => ["Once upon a time."],
    death: { at: "stored", by: "drop" },
  });
  const { accessToken, refreshToken } = server.addUser();
  await using _closing = closing(await page.recovery(server.url, accessToken, refreshToken));
  expect(output.logged).toEqual([
    [expect.stringMatching(/^looking for the answer to turn/)],
    ["found again", "Once upon a time."],
  ]);
  expect(server.turns).toHaveLength(1);
});

test("the page's test example runs, and its mock reports no violation", async () => {
  await page.testing();
  expect(output.logged).toEqual([["You said hello.", []]]);
});

describe("the Cass examples of docs/testing.md", () => {
  test("run a script with tools and a gesture", async () => {
    await using server = await cass();
    await using user = userOf(server);
    const { text, animations, usage } = await user.client.prompt("hello").result;
    expect(text).toBe('You said "hello".');
    expect(animations.map(({ name }) => name)).toEqual(["point", "happy"]);
    expect(usage).toMatchObject({ outputTokens: 190 });
  });
});
