import { Console } from "node:console";
import { expect, test } from "vitest";
import { createChat } from "../../src/chat/create-chat.ts";
import { renderChat } from "../../src/ink/components/exports.ts";
import { MockAgent } from "../../src/testing/index.ts";
import { TestTerminal } from "./terminal.ts";

Object.assign(console, { Console }); // what Ink needs of a console, and the one of the test runner lacks

test.each([
  ["\u0004", "quit"],
  ["\u0003\u0003", "interrupted"],
] as const)("`renderChat` ends on the key %j with %s, and restores the terminal", async (key, end) => {
  const terminal = new TestTerminal();
  const { stdin, stdout } = terminal;
  const chat = createChat(new MockAgent());
  const shown = renderChat(chat, { stdin, stdout });
  await terminal.sees(/Write to the agent/);
  terminal.type(key);
  expect(await shown).toBe(end);
  expect(terminal.isRaw).toBe(false);
  await chat.close();
});

test("`renderChat` ends when its signal aborts", async () => {
  const terminal = new TestTerminal();
  const { stdin, stdout } = terminal;
  const closing = new AbortController();
  const chat = createChat(new MockAgent());
  const shown = renderChat(chat, { stdin, stdout, signal: closing.signal });
  await terminal.sees(/Write to the agent/);
  closing.abort();
  expect(await shown).toBe("closed");
  await chat.close();
});

test("`renderChat` without a terminal rejects with `unsupported`", async () => {
  const { stdin, stdout } = new TestTerminal();
  const chat = createChat(new MockAgent());
  Object.assign(stdin, { isTTY: false });
  await expect(renderChat(chat, { stdin, stdout })).rejects.toMatchObject({ code: "unsupported" });
  await chat.close();
});
