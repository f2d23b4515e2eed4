import { CassClient, type ResponseFrame } from "agentwire/cass";
import { cassStep } from "agentwire/testing";
import { expect } from "vitest";
import { asked, heard, link, rejection, saw, says, thrown, works } from "../../helpers/cass.ts";
import { onEach } from "./each.ts";
import { INVALID_CALLS } from "./invalid.ts";
import { kept, renewable } from "./made.ts";

onEach("F1: what the server would die of is refused before it is sent", async ({ client, server, user }) => {
  for (const { what, call, code = "invalid-input" } of INVALID_CALLS)
    expect(
      thrown(() => call(client, user.userId)),
      what,
    ).toMatchObject({ code });
  expect(await works(client)).toBe("Hello!");
  expect(asked(server)).toEqual(["chat are you there?"]);
});

onEach("F2: conversations over REST", async ({ client, server, user, profile }) => {
  const { rest } = client;
  const made = await rest.newConversation({ title: "Of hats" });
  expect(made).toMatchObject({ title: "Of hats", message_count: 0, user_id: user.userId });
  await client.prompt({ message: "hats?", conversationId: made.id }).result;
  expect((await rest.listConversations({ limit: 1 })).conversations).toMatchObject([
    { id: made.id, message_count: 2 },
  ]);
  const record = await rest.getConversation(made.id);
  expect(record.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  if (profile === "v1") {
    expect(await rejection(rest.getMessages(made.id))).toMatchObject({ status: 404, detail: "Not Found" });
    expect(await rejection(rest.continuousConversation())).toMatchObject({ status: 404 });
  } else {
    expect(await rest.continuousConversation()).toMatchObject({ is_continuous: true });
  }
  expect(await rest.setTitle(made.id, "Of caps")).toEqual({
    status: "updated",
    id: made.id,
    title: "Of caps",
  });
  expect(await rest.deleteConversation(made.id)).toEqual({ status: "deleted", id: made.id });
  expect(await rejection(rest.getConversation(made.id))).toMatchObject({
    name: "CassApiError [request-refused]",
    status: 404,
    detail: "Conversation not found",
  });
  expect(server.conversations.some(({ id }) => id === made.id)).toBe(false);
});

onEach(
  "F2: ids of messages are places, so that nothing is known by them",
  { mock: { messagesRoute: true } },
  async (scene) => {
    const { client } = scene;
    const id = kept(scene);
    await client.prompt({ message: "one", conversationId: id }).result;
    const [first] = (await client.rest.getMessages(id)).messages;
    await client.prompt({ message: "two", conversationId: id }).result;
    const { messages } = await client.rest.getMessages(id, { limit: 2 });
    expect(messages.map((message) => [message.id, message.content])).toEqual([
      ["msg-1", "two"],
      ["msg-0", expect.stringContaining("Hello!")],
    ]);
    expect(first?.id).toBe("msg-1");
  },
);

onEach("F2: who is signed in, and a user who is gone", async ({ client, server, user }) => {
  const { userId, displayName, email } = user;
  expect(await client.rest.me()).toMatchObject({ user_id: userId, display_name: displayName, email });
  server.deleteUser(userId);
  expect(await rejection(client.rest.me())).toMatchObject({
    name: "CassApiError [request-refused]",
    status: 200,
    detail: "User not found",
  });
});

onEach("F2: what is wrong is told as text, and as a list", async ({ client, server }) => {
  const { rest } = client;
  const login = { email: "nobody@cass.example", password: "wrong" };
  expect(await rejection(rest.login(login))).toMatchObject({
    status: 401,
    detail: "Invalid email or password",
  });
  const bad = await rejection(rest.register({ ...login, email: "no address", displayName: "x" }));
  expect(bad).toMatchObject({ status: 422, detail: expect.stringContaining("not a valid email address") });
  expect(String(bad)).not.toContain("wrong");
  const { id } = server.addConversation({ userId: server.addUser().userId });
  expect(await rejection(rest.getConversation(id))).toMatchObject({ status: 403 });
});

onEach(
  "F2: login, registration, refreshing, the model, the status and the library",
  async ({ client, server, user, profile }) => {
    const { rest } = client;
    const { email, password } = user;
    expect(await rest.login({ email, password })).toMatchObject({ userId: user.userId });
    expect(await rest.refresh()).toMatchObject({ accessToken: expect.any(String) });
    const session = await rest.register({ email: "new@cass.example", password, displayName: "New" });
    expect(await rest.me()).toMatchObject({ user_id: session.userId, display_name: "New" });
    expect(await rest.getModel()).toMatchObject({ current: "anthropic" });
    expect(await rest.setProvider("openai")).toMatchObject({ provider: "openai" });
    if (profile === "v1") expect(await rejection(rest.setModel("x"))).toMatchObject({ status: 404 });
    else expect(await rest.setModel("x")).toEqual({ status: "success", model: "x" });
    expect(await rest.getStatus()).toMatchObject({ online: true, sdk_mode: true });
    expect((await rest.getLibrary()).gestures).toContain("wave");
    expect(server.model.provider).toBe("openai");
    expect(link(server).model.provider).toBe("anthropic"); // as it was when it was opened
  },
);

onEach(
  "F2: a call with a token that has expired renews it",
  { connected: false, client: renewable },
  async ({ client, user }) => {
    expect(await client.rest.me()).toMatchObject({ user_id: user.userId });
  },
);

onEach(
  "F3: closing settles everything that is pending, once",
  { mock: { restLatency: 5_000 } },
  async ({ client, server }) => {
    says(server, cassStep.hang());
    const settled: string[] = [];
    const note = (name: string, promise: Promise<unknown>) =>
      promise.then(
        () => void settled.push(`${name} resolved`),
        (error: { code?: string }) => void settled.push(`${name} ${error.code}`),
      );
    const running = client.prompt("one");
    const queued = client.prompt("two");
    const drained = (async () => {
      for await (const _ of running);
    })();
    await saw(running, "thinking", 2);
    const all = [
      note("running", running.result),
      note("queued", queued.result),
      note("status", client.getStatus()),
      note("rest", client.rest.me()),
      note("loop", drained),
    ];
    await server.nextRequest();
    await client.close();
    await Promise.all(all);
    expect([...settled].sort()).toEqual([
      "loop resolved",
      "queued closed",
      "rest closed",
      "running closed",
      "status closed",
    ]);
    expect(await running.outcome).toMatchObject({ error: { delivery: "unknown" } });
    expect(await queued.outcome).toMatchObject({ error: { delivery: "not-sent", input: "two" } });
    for (const call of [() => client.prompt("x"), () => client.onboardingDemo({ userId: "x" })])
      expect(thrown(call)).toMatchObject({ code: "closed" });
    for (const late of [client.connect(), client.getStatus(), client.rest.me()])
      expect(await rejection(late)).toMatchObject({ code: "closed" });
  },
);

onEach(
  "F3: closing while it connects, or waits for its token, ends that too",
  { connected: false, client: { token: () => new Promise<string>(() => {}) } },
  async ({ client, server }) => {
    const connecting = rejection(client.connect());
    const turn = client.prompt("hi");
    await client.close();
    expect(await connecting).toMatchObject({ code: "closed" });
    expect(await turn.outcome).toMatchObject({ error: { code: "closed", delivery: "not-sent" } });
    expect(server.upgrades).toEqual([]);
  },
);

onEach(
  "F3: the end of a client that waits for a lost reply ends the search",
  { mock: { persistence: "never" }, client: { recover: true } },
  async (scene) => {
    const { client, server, clock } = scene;
    says(server, cassStep.die("drop"));
    const waits = clock.timer(1_000);
    const turn = client.prompt({ message: "hi", conversationId: kept(scene) });
    await waits;
    await client.close();
    expect(await turn.outcome).toMatchObject({ error: { code: "closed", delivery: "unknown" } });
  },
);

const isGlobal = "WebSocket" in globalThis;

onEach(
  "F4: it runs with a WebSocket and a fetch that it is given",
  { connected: false },
  async ({ server, user, clock }) => {
    expect(isGlobal).toBe(true);
    const dialled: string[] = [];
    const fetched: string[] = [];
    class Socket extends globalThis.WebSocket {
      constructor(url: string) {
        super(url);
        dialled.push(new URL(url).pathname);
      }
    }
    await using client = new CassClient({
      url: server.url,
      clock,
      token: user.accessToken,
      WebSocket: Socket,
      fetch: (url, init) => {
        fetched.push(new URL(String(url)).pathname);
        return server.fetch(String(url), init as RequestInit);
      },
    });
    expect(await works(client)).toBe("Hello!");
    expect(await client.rest.me()).toMatchObject({ user_id: user.userId });
    expect([dialled, fetched]).toEqual([["/ws"], ["/auth/me"]]);
  },
);

/** Every field of a response, with its type: this compiles, or a field is not in the types. */
const WHOLE: ResponseFrame = {
  type: "response",
  text: "Hello!",
  animations: [{ index: 0, type: "gesture", name: "wave", intensity: 1, delay: 0, position: 7 }],
  raw: "Hello! <gesture:wave>",
  tool_uses: [{ id: "t1", tool: "recall_journal", input: { day: 1 } }],
  conversation_id: "c1",
  audio: null,
  audio_format: null,
  input_tokens: 1,
  output_tokens: 2,
  cache_read_tokens: 3,
  inputTokens: 1,
  outputTokens: 2,
  timestamp: "2026-01-28T10:00:00.964498",
  provider: "anthropic",
  model: null,
  self_observations: [{ observation: "a", category: "b", confidence: 0.5, area: null }],
  user_observations: [{ observation: "a", category: "b", confidence: 0.5, direction: null }],
  marks: [{ category: "insight", description: null }],
  holds: [{ content: "a", topic: "b", differ_user: "c", is_identity: true, confidence: 1 }],
  notes: [
    {
      type: "a",
      content: "b",
      user: "c",
      significance: "d",
      level: "e",
      frequency: "f",
      valence: "g",
      from_state: "h",
      to_state: "i",
      catalyst: "j",
    },
  ],
  intentions: [{ action: "a", content: "b", condition: "c", intention_id: "d", success: true, status: "e" }],
  stakes: [{ what: "a", why: "b", content: "c", strength: "d", category: "e" }],
  tests: [{ stated: "a", actual: "b", consistent: true, content: "c" }],
  narrations: [{ type: "a", level: "b", trigger: "c", content: "d" }],
  milestones: [{ id: "a", content: "b" }],
};

onEach("F4: every field of a response reaches the user as it came", async ({ client, server }) => {
  says(server, "unused", cassStep.fields({ ...WHOLE }));
  const frame = heard(client, '"response"');
  const { message } = await client.prompt("hi").result;
  expect(message).toMatchObject(WHOLE);
  expect(message).toEqual(JSON.parse(await frame));
});
