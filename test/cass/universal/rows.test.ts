import type { CassClientOptions } from "agentwire/cass";
import { expect, onTestFinished, test } from "vitest";
import { type CassUniversalOptions, toUniversal } from "../../../src/cass/universal.ts";
import { FakeCass, fakeCass, say, serverTime } from "../../helpers/cass-fake.ts";
import { expectGolden } from "../../universal/golden.ts";
import { goldenOptions } from "../../universal/golden-options.ts";
import { eventsSoFar, expectInvariants } from "../../universal/invariants.ts";

// One golden file for each row of the table of Cass: `test/fixtures/universal/cass-ws`.

/** A conversation of a client, with all its universal events so far. */
function listenTo(made: FakeCass, options: CassUniversalOptions = {}) {
  const conversation = made.client.conversation();
  const stream = toUniversal(conversation, {
    ...goldenOptions({ clock: clockOf(made) }),
    ...options,
  });
  onTestFinished(() => stream.close());
  const ids: Record<string, string> = {};
  return {
    made,
    stream,
    prompt(
      input: Parameters<typeof conversation.prompt>[0] = "hello",
      turn?: Parameters<typeof conversation.prompt>[1],
    ) {
      const made = conversation.prompt(input, turn);
      ids[made.id] = `turn-${Object.keys(ids).length + 1}`;
      return made;
    },
    async says(...messages: readonly object[]) {
      made.says(...messages);
      await made.settle();
    },
    async expectGolden(row: string) {
      const events = await eventsSoFar(stream);
      expectInvariants(events, { live: true });
      expectGolden(`cass-ws/${row}`, events, ids);
    },
  };
}

async function listened(options: Partial<CassClientOptions> = {}, universal: CassUniversalOptions = {}) {
  return listenTo(await fakeCass(options), universal);
}

function clockOf({ clock }: FakeCass): NonNullable<CassUniversalOptions["clock"]> {
  const { wallTime } = goldenOptions().clock ?? clock;
  return { wallTime, setTimeout: (run, ms) => clock.setTimeout(run, ms) };
}

test("`connected` becomes `session.started`, and the accepted user a status", async () => {
  const made = new FakeCass();
  const { expectGolden } = listenTo(made);
  await made.greet();
  await expectGolden("connected");
});

test("`session.started` holds the client's capabilities", async () => {
  const { made, stream } = await listened();
  const [started] = await eventsSoFar(stream);
  expect(started).toMatchObject({ data: { metadata: { capabilities: made.client.capabilities } } });
});

test("an `auth_success` for another user starts no session, and the turn fails with the reason", async () => {
  const made = new FakeCass({ auth: "message" });
  const { prompt, says, expectGolden } = listenTo(made);
  prompt();
  await made.open();
  await says(say.connected(null), say.authSuccess("somebody-else"));
  made.socket.ends(1000);
  await made.settle();
  await expectGolden("auth-mismatch");
});

test("an `auth_error` becomes an error, and the client gives up", async () => {
  const made = new FakeCass({ auth: "message" });
  const { prompt, says, expectGolden } = listenTo(made);
  prompt();
  await made.open();
  await says(say.connected(null), say.authError());
  made.socket.ends(1000);
  await made.settle();
  await expectGolden("auth-error");
});

test("an error before `connected` means that the server is starting; the client tries again", async () => {
  const made = new FakeCass();
  const { prompt, expectGolden } = listenTo(made);
  prompt();
  await made.open();
  made.says(say.error("Agent still initializing, please wait"));
  made.socket.ends(1000);
  await made.settle();
  await made.greet();
  await made.answers("Hi.");
  await expectGolden("initializing");
});

test("a response becomes an item with one delta, its extras, its speech and the turn's end", async () => {
  const { prompt, says, expectGolden } = await listened();
  prompt();
  await says(
    say.thinking("Retrieving memories..."),
    say.response("Hello there.", {
      animations: [{ type: "gesture", name: "wave", index: 0, intensity: 1, delay: 0 }],
      marks: [{ category: "insight", description: "greets" }],
      tool_uses: [{ id: "t1", tool: "recall", input: {} }],
      audio: "AAAA",
      audio_format: "mp3",
      input_tokens: 12,
      output_tokens: 3,
      cache_read_tokens: 7,
    }),
  );
  await expectGolden("response");
});

test("a relay's token counts are read by their own names", async () => {
  const { prompt, says, expectGolden } = await listened();
  prompt();
  await says(say.thinking(), say.response("Hi.", { inputTokens: 12, outputTokens: 3 }));
  await expectGolden("response-of-a-relay");
});

test("an empty text has no delta", async () => {
  const { prompt, says, expectGolden } = await listened();
  prompt();
  await says(say.thinking(), say.response(""));
  await expectGolden("response-empty");
});

test("tags are not part of the text; a think block becomes reasoning before the reply", async () => {
  const { prompt, says, expectGolden } = await listened();
  prompt();
  await says(say.thinking(), say.response("<gesture:think>Who is it?</gesture:think>Hello!<emote:happy>"));
  await expectGolden("response-with-tags");
});

test("the picture of a prompt becomes a `data:` URL with its type", async () => {
  const { prompt, says, expectGolden } = await listened();
  const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
  prompt({ message: "Look", image: { data: png } });
  await says(say.thinking(), say.response("Nice."));
  prompt({ text: "Again", images: [{ data: png }] });
  await says(say.thinking(), say.response("Nice again."));
  await expectGolden("image");
});

test("thinking becomes a status with the memories found; debug is dropped", async () => {
  const { prompt, says, expectGolden } = await listened();
  prompt();
  await says(
    { ...say.thinking(), memories: { has_context: true, count: 2 } },
    say.thinking("Executing: recall, search..."),
    { type: "debug", message: "[Submitting 2 tool results to Claude...]" },
    say.response("Found."),
  );
  await expectGolden("thinking");
});

test("`inferTools` turns named tools into calls that the next frame ends; `includeDebug` shows debug", async () => {
  const { prompt, says, expectGolden } = await listened({}, { inferTools: true, includeDebug: true });
  prompt();
  await says(
    say.thinking("Executing: recall, search..."),
    { type: "debug", message: "[Submitting 2 tool results to Claude...]" },
    say.thinking("Using tool: [recall]..."),
    say.response("Found."),
  );
  await expectGolden("inferred-tools");
});

test("a title may come before its response; titles of other conversations are left out", async () => {
  const { prompt, says, expectGolden } = await listened();
  prompt();
  const title = (conversation_id: string, title: string) => ({
    type: "title_updated",
    conversation_id,
    title,
  });
  await says(say.thinking(), title("c1", "Greetings"), say.response("Hi."), title("c2", "Other"));
  await says({ ...title("c1", "Hello again"), type: "title_update" });
  await expectGolden("title");
});

test("system messages appear at any time, even inside the next turn", async () => {
  const { prompt, says, expectGolden } = await listened();
  prompt();
  await says(say.thinking(), say.response("Hi."));
  prompt("next");
  await says({ type: "system", message: "Summarizing...", status: "summarizing" });
  await says(say.thinking(), say.response("Yes."), { type: "system", message: "Done.", status: "complete" });
  await expectGolden("system");
});

test("late speech becomes a message that belongs to the last reply, and opens no turn", async () => {
  const { prompt, says, expectGolden } = await listened();
  prompt();
  await says(say.thinking(), say.response("Hi."));
  await says({ type: "audio", audio: "AAAA", audio_format: "mp3" }, { type: "audio", url: "/audio/1.wav" });
  await expectGolden("late-audio");
});

test("an error in a turn ends the turn; an error between turns is only an error", async () => {
  const { prompt, says, expectGolden } = await listened();
  prompt();
  await says(say.thinking(), say.error("Agent client not available"), say.error("Unknown message type: x"));
  await expectGolden("errors");
});

test("unknown types become items; replies to requests are left out", async () => {
  const { made, prompt, says, expectGolden } = await listened();
  prompt();
  await says(say.thinking(), say.response("Hi."));
  void made.client.getStatus();
  await made.settle();
  await says({ type: "status", sdk_mode: true, memory_count: 3 }, { type: "weather", degrees: 7 });
  await says({ type: "system" });
  await expectGolden("other-types");
});

test("a cancelled turn ends at once, and its response is dropped", async () => {
  const { made, prompt, says, expectGolden } = await listened();
  const turn = prompt();
  await says(say.thinking());
  void turn.cancel();
  prompt("next");
  await made.settle();
  await says(say.response("Too late."), say.thinking(), say.response("Yes."));
  await expectGolden("cancel");
});

test("a link that is lost during a turn fails the turn, and the session goes on", async () => {
  const { made, prompt, says, expectGolden } = await listened();
  prompt();
  await says(say.thinking());
  made.socket.ends(1006);
  await made.settle();
  await made.greet();
  prompt("again");
  await made.settle();
  await made.answers("Hi.");
  await expectGolden("lost-link");
});

test("a lost reply that is found over REST completes its turn", async () => {
  const stored = { role: "assistant", content: "Stored.", id: "m2", timestamp: serverTime(5) };
  const asked = { role: "user", content: "hello", id: "m1", timestamp: serverTime(5) };
  const messages = [asked, { ...stored, provider: "anthropic", model: "m", inputTokens: 1, outputTokens: 2 }];
  const fetch: NonNullable<CassClientOptions["fetch"]> = async (url) => {
    const isList = new URL(url).pathname.endsWith("/messages");
    return new Response(JSON.stringify(isList ? { messages, count: 2 } : { id: "c1" }));
  };
  const { made, prompt, says, expectGolden } = await listened({ recover: true, fetch });
  const turn = prompt();
  await says(say.thinking());
  made.socket.ends(1006);
  await made.greet("u1", { timestamp: serverTime(10) });
  for (let second = 0; second < 10 && turn.status === "recovering"; second++) {
    await made.clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve)); // a Response is read outside of the clock
  }
  expect(turn.status).toBe("completed");
  await expectGolden("recovered");
});

test("a silent link times the turn out, and the client reconnects", async () => {
  const { made, prompt, says, expectGolden } = await listened({ idleTimeout: 1_000 });
  prompt();
  await says(say.thinking());
  await made.clock.advance(1_000);
  await made.greet();
  await expectGolden("mute-link");
});

test("closing the client ends what is open, and the session", async () => {
  const { made, prompt, says, expectGolden } = await listened();
  prompt();
  await says(say.thinking());
  void made.client.close({ force: true });
  await made.clock.advance(2_000);
  await expectGolden("close");
});

test("`raw` holds the server's message, only with `includeRaw`", async () => {
  const { prompt, says, expectGolden } = await listened({}, { includeRaw: true });
  prompt();
  await says(say.thinking(), say.response("Hi."), { type: "weather", degrees: 7 });
  await expectGolden("raw");
});

test("no token appears in any event", async () => {
  const token = "secret-token-of-somebody";
  const { made, prompt, says, stream } = await listened(
    { token, expectedUserId: "u1" },
    { includeRaw: true },
  );
  prompt();
  await says(say.thinking(), say.error(`Invalid token ${token}`));
  made.socket.ends(1006);
  await made.settle();
  expect(JSON.stringify(await eventsSoFar(stream))).not.toContain(token);
});

test("an unknown option and a second picture are refused", async () => {
  const { made, stream } = await listened();
  const before = stream.count;
  expect(() => toUniversal(made.client, { inferTool: true } as never)).toThrow(
    expect.objectContaining({ code: "invalid-input" }),
  );
  const picture = { data: "iVBORw0KGgo=", mediaType: "image/png" };
  expect(() => made.client.prompt({ text: "look", images: [picture, picture] })).toThrow(
    expect.objectContaining({ code: "unsupported" }),
  );
  await made.settle();
  expect(stream.count).toBe(before);
});
