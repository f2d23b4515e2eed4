import { Console } from "node:console";
import { expect, test } from "vitest";
import { cass } from "../../src/cass/universal.ts";
import { createChat } from "../../src/chat/create-chat.ts";
import { renderChat } from "../../src/ink/components/exports.ts";
import { partRows } from "../../src/ink/parts/part-rows.ts";
import { plainTheme } from "../../src/ink/theme.ts";
import { MockCassServer } from "../../src/testing/index.ts";
import { TestTerminal } from "./terminal.ts";

Object.assign(console, { Console }); // what Ink needs of a console, and the one of the test runner lacks

test("gestures are a short note on the screen, and complete in the snapshot", async () => {
  await using server = await MockCassServer.start({
    answer: () => ["Hello! <gesture:wave> <emote:happy:0.8>"],
  });
  const terminal = new TestTerminal();
  const { stdin, stdout } = terminal;
  const chat = createChat(cass({ url: server.url, allowAnonymous: true }));
  const shown = renderChat(chat, { stdin, stdout });
  await terminal.sees(/Write to/);
  chat.send("hi");

  await terminal.sees(/\(with animations\)/);
  await terminal.sees(/Hello!/);
  expect(terminal.everything).not.toMatch(/intensity|"gesture"|\{/);
  const data = chat
    .getSnapshot()
    .messages.at(-1)
    ?.parts.toArray()
    .find(({ type }) => type === "data");
  expect(data).toMatchObject({ json: { animations: [{ name: "wave" }, { name: "happy" }] } });
  terminal.type("\u0004");
  await shown;
  await chat.close();
});

const textOf = (json: unknown, extra?: true): string => {
  const part = { type: "data", id: "itm_1", json, ...(extra ? { extra } : {}) } as const;
  const { rows } = partRows(part, { columns: 40, theme: plainTheme, foldsReasoning: true });
  return rows.map((row) => row.map(({ text }) => text).join("")).join("\n");
};

test.each([
  ["an object", { animations: [1], self_observations: [2] }, "(with animations, self observations)"],
  ["a list", [1, 2], "(with data)"],
  ["an object without fields", {}, "(with data)"],
  ["a name that would draw", { "\u001b[31m\nred": 1 }, expect.not.stringContaining("\u001b")],
  [
    "many names",
    Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`name-${at}`, at])),
    expect.stringMatching(/^\(with name-0.{0,32}$/),
  ],
])("%s as extra data of an answer takes one row", (_, json, expected) => {
  expect(textOf(json, true)).toEqual(expected);
  expect(textOf(json, true)).not.toContain("\n");
});

test("data that is the answer itself is shown in full", () => {
  expect(textOf({ degrees: 7 })).toContain("degrees: 7");
});
