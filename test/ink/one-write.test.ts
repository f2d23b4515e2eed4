import { Console } from "node:console";
import { expect, test } from "vitest";
import { createChat } from "../../src/chat/create-chat.ts";
import { renderChat } from "../../src/ink/components/exports.ts";
import { agentStep, MockAgent } from "../../src/testing/index.ts";
import { clears, TestTerminal } from "./terminal.ts";

Object.assign(console, { Console }); // what Ink needs of a console, and the one of the test runner lacks

const BEGIN = "\u001b[?2026h";
const END = "\u001b[?2026l";

test("each frame is one write, also a frame that prints to the scrollback", async () => {
  const terminal = new TestTerminal(80, 24);
  const { stdin, stdout } = terminal;
  const writes: string[] = [];
  const write = stdout.write.bind(stdout) as (...passed: unknown[]) => boolean;
  stdout.write = ((...passed: unknown[]) => {
    if (passed[0] !== "") writes.push(String(passed[0]));
    return write(...passed);
  }) as typeof stdout.write;
  const lines = Array.from({ length: 40 }, (_, at) => `line ${at}\n\n`);
  const chat = createChat(new MockAgent({ script: [[...lines, agentStep.wait("never")]] }));
  const closing = new AbortController();
  const shown = renderChat(chat, { stdin, stdout, signal: closing.signal });
  await terminal.sees(/Write to the agent/);
  terminal.type("go\r");
  await terminal.sees(/line 39/);
  closing.abort();
  await shown;
  const frames = writes.filter((text) => text.includes(BEGIN) || text.includes(END));
  expect(frames.length).toBeGreaterThan(2);
  for (const frame of frames) {
    expect(frame.startsWith(BEGIN) && frame.endsWith(END)).toBe(true);
    expect(frame.split(BEGIN)).toHaveLength(2);
  }
  expect(writes.join("")).toContain("line 0");
  expect(clears(terminal.written)).toBe(0);
  await chat.close();
});

test("/copy goes to the clipboard of the terminal by OSC 52, and nothing of it is shown", async () => {
  const terminal = new TestTerminal();
  const { stdin, stdout } = terminal;
  const chat = createChat(new MockAgent({ script: [["The answer, \u001b[31mred."]] }));
  const shown = renderChat(chat, { stdin, stdout });
  await terminal.sees(/Write to the agent/);
  terminal.type("go\r");
  await terminal.sees(/The answer/);
  terminal.type("/copy\r");
  await terminal.sees(/copied 16 characters/);
  const base64 = Buffer.from("The answer, red.").toString("base64");
  expect(terminal.written).toContain(`\u001b]52;c;${base64}\u0007`);
  expect(terminal.everything).not.toContain(base64);
  terminal.type("\u0004");
  await shown;
  await chat.close();
});
