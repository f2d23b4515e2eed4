import { PassThrough } from "node:stream";
import { createChat } from "agentwire/chat";
import { agentStep, MockAgent } from "agentwire/testing";
import { expect, test } from "vitest";
import { talkInLines } from "../../src/program/lines/talk.ts";

/** A chat in plain lines in this process, and a user who presses Ctrl-C. */
function talk(agent: MockAgent) {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  let text = "";
  let look = (): void => {};
  stdout.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
    look();
  });
  const before = process.listeners("SIGINT");
  const exitCode = talkInLines(createChat(agent), stdin, stdout);
  const [interrupted] = process.listeners("SIGINT").filter((listener) => !before.includes(listener));
  return {
    exitCode,
    type: (line: string) => stdin.write(`${line}\n`),
    interrupt: () => interrupted?.("SIGINT"),
    until: async (words: string) => {
      while (!text.includes(words))
        await new Promise<void>((resolve) => {
          look = resolve;
        });
    },
  };
}

test("plain mode: a second Ctrl-C exits, even if the turn does not stop", async () => {
  const agent = new MockAgent({ script: [["I begin. ", agentStep.hang()]], cancelDelay: 3_600_000 });
  const { exitCode, type, interrupt, until } = talk(agent);
  type("go");
  await until("I begin.");
  interrupt();
  interrupt();
  expect(await exitCode).toBe(130);
});

test("plain mode after a lost context: Ctrl-C exits with 130, and /quit with 0", async () => {
  for (const [how, code] of [
    ["interrupt", 130],
    ["leave", 0],
  ] as const) {
    const { exitCode, type, interrupt, until } = talk(
      new MockAgent({ script: [["One. ", agentStep.forget()]] }),
    );
    type("go");
    await until("Send the transcript along");
    if (how === "interrupt") interrupt();
    else type("n\n/quit");
    expect(await exitCode).toBe(code);
  }
});
