import type { CodebuffClient, CodebuffEvent, CodebuffResult } from "agentwire/codebuff";
import { exampleSessionState, type MockCodebuffServer, type MockConnection } from "agentwire/testing";
import { once, sentTo, status } from "../../helpers/codebuff.ts";

type Turn = ReturnType<CodebuffClient["prompt"]>;
type Fields = Readonly<Record<string, unknown>>;

/** An init that both servers take. */
export const INIT = { fileContext: exampleSessionState().fileContext };

/** An action of the server, as a frame. */
export function action(data: Fields): string {
  return JSON.stringify({ type: "action", data });
}

/** A refusal, as a frame; without `txid` it names nothing. */
export function nack(error: string, txid?: number): string {
  return JSON.stringify({ type: "ack", ...(txid === undefined ? {} : { txid }), success: false, error });
}

/** The newest connection of the server. */
export function link(server: MockCodebuffServer): MockConnection {
  const connection = server.connections.at(-1);
  if (!connection) throw new Error("Nobody has connected yet");
  return connection;
}

/** The data of what the client sent as actions of one type, in order. */
export function actionsTo(server: MockCodebuffServer, type: string): readonly Fields[] {
  return sentTo(server, "action")
    .map(({ data }) => data as Fields)
    .filter((data) => data["type"] === type);
}

/** What the client sent on one connection: the types of its messages, and of the actions among them. */
export function sentOn(server: MockCodebuffServer, connection: number): readonly string[] {
  return server.frames
    .filter((frame) => frame.direction === "c2s" && frame.connection.id === connection)
    .map(({ raw }): { type: string; data?: { type: string } } => JSON.parse(raw))
    .map(({ type, data }) => data?.type ?? type);
}

/** Resolves with the next frame that the client receives and that contains `part`. */
export async function heard(client: CodebuffClient, part: string): Promise<string> {
  const { text } = await once(
    client,
    "frame",
    ({ direction, text }) => direction === "in" && text.includes(part),
  );
  return text;
}

/** Resolves once the turn has shown `text`. */
export async function shown(turn: Turn, text: string): Promise<void> {
  if (turn.text === text) return;
  await new Promise<void>((resolve) => {
    const off = turn.on("event", () => {
      if (turn.text !== text) return;
      off();
      resolve();
    });
  });
}

/** The events of a turn, as they come. */
export function eventsOf(turn: Turn): readonly CodebuffEvent[] {
  const events: CodebuffEvent[] = [];
  turn.on("event", (event) => events.push(event));
  return events;
}

/** What a turn failed with. */
export async function failureOf(turn: { readonly outcome: Turn["outcome"] }): Promise<unknown> {
  const outcome = await turn.outcome;
  return outcome.status === "failed" ? outcome.error : outcome;
}

/** What a promise rejects with; its value would be a mistake of the test. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const settled = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ("error" in settled) return settled.error;
  throw new Error(`Nothing was rejected: ${JSON.stringify(settled.value)}`);
}

/** Ends the connection in some way, and waits until the client is back; resolves with why it went. */
export async function lose(client: CodebuffClient, end: () => void): Promise<unknown> {
  const gone = once(client, "disconnected");
  end();
  const error = await gone;
  await status(client, "ready");
  return error;
}

/** A whole prompt, to be sure that the connection works; resolves with its text. */
export async function works(client: CodebuffClient): Promise<string> {
  const { text }: CodebuffResult = await client.prompt("are you there?").result;
  return text;
}
