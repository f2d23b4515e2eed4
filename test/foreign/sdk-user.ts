import { type MockCodebuffOptions, MockCodebuffServer, type RecordedFrame } from "agentwire/testing";
import { expect } from "vitest";
import type { Job } from "./codebuff-ws-sdk-run.ts";
import type { Said } from "./said.ts";
import { SdkChild } from "./sdk-child.ts";

/** A server like the one that the original client was made for. */
export const mock = (options: MockCodebuffOptions = {}) =>
  MockCodebuffServer.start({ profile: "codebuff", ...options });

/** A user of the original client. */
export const user = (server: MockCodebuffServer, job: Job) => SdkChild.start(new URL(server.url).host, job);

/** A user who asks once. */
export const asks = (server: MockCodebuffServer, more: Partial<Job & { program: "runs" }> = {}) =>
  user(server, { program: "runs", runs: [{ prompt: "Say hello" }], ...more });

// What a user hears.

export const chunk = (chunk: string): Said => ({ said: "chunk", chunk });
export const event = (type: string, fields: object = {}): Said => ({
  said: "event",
  event: { type, ...fields },
});
export const result = (output: unknown): Said => ({
  said: "result",
  output,
  sessionState: expect.anything(),
});
export const lastMessage = (value: string): Said => result({ type: "lastMessage", value });

export const START = event("start", { agentId: "tester", messageHistoryLength: 0 });
export const FINISH = event("finish", { agentId: "tester", totalCost: 1 });

// What the server has seen.

export type Message = Readonly<Record<string, unknown>>;

/** What went over the wire: the data of actions, and other messages as they are. */
export function messages(
  server: MockCodebuffServer,
  direction: RecordedFrame["direction"],
): readonly Message[] {
  return server.frames
    .filter((frame) => frame.direction === direction)
    .map(({ raw }): Message & { readonly data?: Message } => JSON.parse(raw))
    .map((message) => message.data ?? message);
}

export function types(server: MockCodebuffServer, direction: RecordedFrame["direction"]): readonly unknown[] {
  return messages(server, direction).map(({ type }) => type);
}

/** How each connection ended, once all have. */
export async function endings(server: MockCodebuffServer): Promise<readonly string[]> {
  const ended = await server.waitFor(({ connections }) => {
    const closed = connections.flatMap((connection) => connection.closed ?? []);
    return closed.length === connections.length && closed;
  });
  return ended.map(({ code, reason, by }) => `${code} ${reason} (${by})`);
}

/** What the client did wrong, its departures included: once all its connections have ended. */
export async function violations(server: MockCodebuffServer): Promise<readonly string[]> {
  await endings(server);
  return server.violations.map(({ kind }) => kind);
}

/** How the original client ends a connection when its run is over. */
export const CLOSED_BY_IT = "1000 Closed manually. (client)";
