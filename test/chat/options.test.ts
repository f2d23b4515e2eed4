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
