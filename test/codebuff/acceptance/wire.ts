import type { CodebuffClient, CodebuffResult } from "agentwire/codebuff";
import { exampleSessionState, type MockCodebuffServer, type MockConnection } from "agentwire/testing";
import { once, sentTo, status } from "../../helpers/codebuff.ts";

export { eventsOf, failureOf, heard, rejection, shown } from "../../helpers/turns.ts";

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
