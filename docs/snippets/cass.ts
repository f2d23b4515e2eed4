// What docs/cass.md shows. Each function holds one region and gives it what it takes for granted.
import {
  type CassAudio,
  CassClient,
  type CassConversation,
  type CassRest,
  type CassResult,
  type CassTokens,
  clean,
  isAgentwireError,
  parseTags,
} from "agentwire/cass";
import { MockCassServer } from "agentwire/testing";

/** Where an app keeps the tokens of its user. */
export interface TokenStore extends CassTokens {
  readonly refreshToken: string;
  save(tokens: CassTokens): void;
}

export function keepTokens(url: string, stored: TokenStore): CassClient {
  // #region cass-tokens
  const client = new CassClient({
    url,
    token: stored.accessToken,
    refreshToken: stored.refreshToken, // with it the client gets new access tokens itself
    onTokens: (tokens) => stored.save(tokens),
  });
  client.on("authenticated", ({ userId, verified }) => console.log(userId, verified));
  // #endregion
  return client;
}

/** Where an app gets tokens that somebody else gives out. */
export type Session = (options: { readonly renew: boolean }) => Promise<string>;

export function tokenFunction(url: string, getToken: Session): CassClient {
  // #region cass-token-function
  const client = new CassClient({
    url,
    token: ({ fresh }) => getToken({ renew: fresh }), // fresh: the last one was refused, or expires within a minute
    auth: "message",
  });
  // #endregion
  return client;
}

export function anonymous(url: string): CassClient {
  // #region cass-anonymous
  const client = new CassClient({ url, allowAnonymous: true }); // no token: whoever the server says
  client.on("authenticated", ({ userId }) => console.log(userId)); // null for nobody
  // #endregion
  return client;
}

/** Where an app shows how far a turn is. */
export interface Spinner {
  say(text: string): void;
}

export async function progress(client: CassClient, spinner: Spinner): Promise<CassResult> {
  // #region cass-progress
  const turn = client.prompt("What did I write in my journal?");
  for await (const event of turn) {
    if (event.type !== "thinking") continue;
    const { progress, memories } = event;
    if (progress.kind === "tools") spinner.say(`uses ${progress.tools.join(", ")}`);
    else if (progress.kind === "generating") spinner.say(`${progress.by} writes`);
    else if (memories) spinner.say(`remembers ${memories["details_count"]} things`);
    else spinner.say(event.status); // worded freely by servers: there may be any
  }
  const { text, reasoning, conversationId, model } = await turn.result;
  // #endregion
  console.log(text, reasoning, conversationId, model);
  return turn.result;
}

export async function conversations(client: CassClient): Promise<CassConversation> {
  // #region cass-conversation
  const { id } = await client.rest.newConversation({ title: "Plans" });
  const chat = client.conversation({ id });
  await chat.prompt("Let us plan my week.").result;

  const saved = JSON.stringify(chat.state); // says which conversation it is; what was said is with the server
  const resumed = client.conversation({ from: JSON.parse(saved) });

  client.on("title", ({ conversationId, title }) => console.log(conversationId, title));
  console.log(client.titleOf(id)); // the last title that was told, also before anybody knew the id
  // #endregion
  return resumed;
}

export async function image(client: CassClient, file: Blob): Promise<string> {
  // #region cass-image
  const { text } = await client.prompt({
    message: "What is this?",
    image: { data: file }, // a File or Blob, bytes, base64 or a data: URL; JPEG, PNG, GIF or WebP
  }).result;
  // #endregion
  return text;
}

/** Something with a face. */
export interface Avatar {
  play(type: "gesture" | "emote", name: string, intensity: number): void;
  say(text: string): Promise<void>;
}

export async function gestures(client: CassClient, avatar: Avatar): Promise<void> {
  // #region cass-gestures
  const { text, animations } = await client.prompt("Say hello to everybody.").result;
  let said = 0;
  for (const { type, name, intensity, offset = said } of animations) {
    await avatar.say(text.slice(said, offset)); // up to where the tag stood
    avatar.play(type, name, intensity);
    said = offset;
  }
  await avatar.say(text.slice(said));
  // #endregion
}

export function tags(): void {
  // #region cass-tags
  console.log(clean("Hello! <gesture:wave> there")); // Hello! there

  const { text, reasoning, animations } = parseTags("<think>hm</think> Yes. <emote:happy>");
  // #endregion
  console.log(text, reasoning, animations);
}

export async function audio(
  client: CassClient,
  play: (sound: Uint8Array, mediaType: string) => Promise<void>,
): Promise<void> {
  // #region cass-audio
  const speak = async (audio: CassAudio) => play(await audio.bytes(), audio.mediaType);
  client.on("audio", speak); // from servers that send it behind the response
  const { audio } = await client.prompt("Read me the news.").result;
  if (audio) await speak(audio); // from servers that send it along
  // #endregion
}

export async function onboarding(client: CassClient): Promise<void> {
  // #region cass-onboarding
  const { user_id: userId } = await client.rest.me();
  const { id: conversationId } = await client.rest.newConversation();
  const intro = client.onboardingIntro({ userId, conversationId });
  console.log((await intro.result).text);

  const demo = client.onboardingDemo({
    userId,
    profile: { relationship: "researcher", values: ["honesty"] },
  });
  console.log((await demo.result).text);
  const next = client.onboardingDemo({ userId, message: "Tell me more." }); // goes on with it
  // #endregion
  console.log((await next.result).text);
}

export async function recovery(url: string, token: string, refreshToken: string): Promise<CassClient> {
  // #region cass-recover
  const client = new CassClient({ url, token, refreshToken, recover: true });
  client.on("recovering", (turn) => console.log(`looking for the answer to ${turn.id}`));
  const { text, recovered } = await client.prompt("Tell me a long story.").result;
  console.log(recovered ? "found again" : "as it came", text);
  // #endregion
  return client;
}

export async function cancelling(client: CassClient): Promise<string> {
  // #region cass-cancel
  const turn = client.prompt("Write a novel.");
  await turn.cancel(); // at once: nobody gets its answer
  const next = client.prompt("Write a haiku."); // sent when that answer has come, and was dropped
  // #endregion
  return (await next.result).text;
}

export async function errors(client: CassClient, logIn: () => void): Promise<void> {
  // #region cass-errors
  try {
    await client.prompt("Hello").result;
  } catch (error) {
    if (isAgentwireError(error, "handshake-refused")) {
      console.log(error.reason, error.expected, error.got); // anonymous user-1 null
      if (!error.retryable) logIn();
    } else if (isAgentwireError(error, "turn-failed")) {
      console.log(error.kind, error.serverMessage); // the connection lives on
    } else if (isAgentwireError(error, "connection-lost") && error.delivery === "unknown") {
      console.log("Ask your user: it may have been answered."); // or set `recover`
    } else throw error;
  }
  // #endregion
}

export async function rest(rest: CassRest): Promise<void> {
  // #region cass-rest
  const { conversations } = await rest.listConversations({ limit: 20 });
  for (const { id, title } of conversations) console.log(id, title);
  const { messages } = await rest.getMessages(conversations[0]?.id ?? "", { limit: 50 });
  for (const { role, content } of messages) console.log(role, content);
  // #endregion
}

export async function testing(): Promise<void> {
  // #region cass-testing
  const server = await MockCassServer.start({
    answer: ({ message }) => [`You said ${message}. <gesture:nod>`],
  });
  const { accessToken, refreshToken } = server.addUser();
  const client = new CassClient({ url: server.url, token: accessToken, refreshToken, recover: true });

  server.set({ death: { at: "stored", by: "drop" } }); // the answer is kept, and the link cut before it is sent
  const turn = client.prompt("hello");
  await server.nextTurn();
  server.set({ death: "off" });
  console.log((await turn.result).text, server.violations); // You said hello. []
  // #endregion
  await client.close();
  await server.stop();
}
