import { exampleSessionState, type MockCodebuffOptions, MockCodebuffServer } from "agentwire/testing";
import { RawClient } from "./mock-codebuff-raw-client.ts";

/** A mock that plays the original server. */
export const startOriginal = (options: MockCodebuffOptions = {}) =>
  MockCodebuffServer.start({ profile: "codebuff", ...options });

/** Its acks and what it is sent. */
export const ack = (txid: number) => `{"type":"ack","txid":${txid},"success":true}`;
export const ping = (txid: number) => ({ type: "ping", txid });
export const cancel = (txid: number, promptId: string) => ({
  type: "action",
  txid,
  data: { type: "cancel-user-input", authToken: "token", promptId },
});
export const init = (txid: number) => {
  const { fileContext } = exampleSessionState();
  return { type: "action", txid, data: { type: "init", fingerprintId: "fp", fileContext } };
};

/** All that comes for one prompt with txid 7 up to the ack of a ping that follows its terminal message. */
export async function answerTo(options: MockCodebuffOptions, fields: object = {}): Promise<string[]> {
  await using server = await startOriginal(options);
  using client = await RawClient.connect(server.url);
  client.agentPrompt(7, "p-1", fields);
  const frames = await client.untilTerminal("p-1");
  client.send(ping(99));
  for (;;) {
    const frame = await client.next();
    if (/"txid": ?99,/.test(frame)) return frames;
    frames.push(frame);
  }
}

/** The kinds of the frames of a normal answer: the one word "hello". */
export const NORMAL = [
  "ack 7",
  "usage-response",
  "event start",
  '"hello"',
  "event text",
  "event finish",
  "prompt-response",
  "usage-response",
];
