import { cass } from "agentwire/cass";
import { codebuff } from "agentwire/codebuff";
import { codebuffCli } from "agentwire/codebuff-cli";
import { codebuffRun } from "agentwire/codebuff-run";
import { codey } from "agentwire/codey";
import { MockAgent } from "agentwire/testing";
import { expect, test } from "vitest";
import { createChat } from "../../src/chat/create-chat.ts";
import { memoryStore } from "../../src/chat/store/store.ts";

const agent = new MockAgent();
const { load, append, list } = memoryStore();
const STORE = "It must be an object with the functions load, append and list.";

test.each<readonly [says: string, make: () => unknown]>([
  ["the source is undefined, which makes no clients.", () => createChat(undefined as never)],
  ["the source is an object, which makes no clients.", () => createChat({} as never)],
  [`option \`store\` is an object. ${STORE}`, () => createChat(agent, { store: {} as never, id: "a" })],
  [
    `option \`store\` is an object. ${STORE}`,
    () => createChat(agent, { store: { load, append } as never, id: "a" }),
  ],
  [
    `option \`store\` is an object. ${STORE}`,
    () => createChat(agent, { store: { load, list } as never, id: "a" }),
  ],
  ["`store` is given without `id`.", () => createChat(agent, { store: memoryStore() })],
  ["`id` is given without `store`.", () => createChat(agent, { id: "a" })],
])("createChat refuses at once: %s", (says, make) => {
  expect(make).toThrow(
    expect.objectContaining({ code: "invalid-input", message: expect.stringContaining(says) }),
  );
});

const url = "ws://127.0.0.1:9";

test.each([
  ["codey", "url", () => codey({ ulr: url } as never)],
  ["codey", "url", () => codey({ URL: url } as never)],
  ["codebuff", "url", () => codebuff({ Url: url } as never)],
  ["cass", "token", () => cass({ url, tokne: "t" } as never)],
  ["codebuffCli", "cwd", () => codebuffCli({ cdw: "." } as never)],
  ["codebuffRun", "logger", () => codebuffRun({ loggre: console } as never)],
])(
  "`createChat` refuses wrong options of %s and suggests `%s`, with and without a store",
  (_, meant, source) => {
    const says = expect.objectContaining({ code: "invalid-input", hint: `Did you mean \`${meant}\`?` });
    expect(() => createChat(source())).toThrow(says);
    expect(() => createChat(source(), { store: memoryStore(), id: "a" })).toThrow(says);
  },
);
