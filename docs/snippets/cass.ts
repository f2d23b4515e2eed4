// What docs/cass.md shows. Each function holds one region and gives it what it takes for granted.
import {
  type CassAudio,
  CassClient,
  type CassConversation,
  type CassTokens,
  clean,
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

export async function recovery(url: string, token: string, refreshToken: string): Promise<CassClient> {
  // #region cass-recover
  const client = new CassClient({ url, token, refreshToken, recover: true });
  client.on("recovering", (turn) => console.log(`looking for the answer to ${turn.id}`));
  const { text, recovered } = await client.prompt("Tell me a long story.").result;
  console.log(recovered ? "found again" : "as it came", text);
  // #endregion
  return client;
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
