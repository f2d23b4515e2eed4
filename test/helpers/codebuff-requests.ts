import type { CodebuffClient, CodebuffClientOptions, ToolOutput, ToolRule } from "agentwire/codebuff";
import type { ReceivedPrompt, Step } from "agentwire/testing";
import { expect } from "vitest";
import { type Pair, readyPair } from "./codebuff.ts";

/** The token of the clients of `original`. */
export const TOKEN = "token-1234";

export const json = (value: unknown): readonly ToolOutput[] => [{ type: "json", value }];

/** A client of the original server, with handlers, and a script that gets the answers. No pings: their pongs need real time. */
export function original(
  client: Partial<CodebuffClientOptions>,
  answer: (prompt: ReceivedPrompt) => Iterable<Step> | AsyncIterable<Step>,
) {
  return readyPair({
    mock: { profile: "codebuff", answer },
    client: { authToken: TOKEN, keepalive: false, ...client },
  });
}

/** What was answered, in order, as the server took it. */
export const answers = ({ server }: Pair) =>
  server.answers.map(({ data, outcome }) => ({ ...data, outcome }));

export const errorOutput = (text: string | RegExp) => [
  { type: "json", value: { errorMessage: expect.stringMatching(text) } },
];

/** Whatever the server asks for needs an approval. */
export const ASK: readonly ToolRule[] = [{ tool: /.*/, then: "ask" }];

/** The states that the calls of a turn go through from now on. */
export function statesOf(turn: ReturnType<CodebuffClient["prompt"]>): readonly string[] {
  const states: string[] = [];
  turn.on("toolCall", ({ state }) => states.push(state));
  return states;
}
