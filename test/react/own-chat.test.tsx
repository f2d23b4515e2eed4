import { type Chat, createChat } from "agentwire/chat";
import { useOwnChat } from "agentwire/react";
import { MockAgent } from "agentwire/testing";
import { Text } from "ink";
import { Activity, StrictMode } from "react";
import { expect, test } from "vitest";
import { mount, settled, until } from "./support/mount.ts";

/** A component with a chat of its own, and the chats that it has made. */
function owner() {
  const agent = new MockAgent();
  const made: Chat[] = [];
  const used: Chat[] = [];
  const Owner = () => {
    const chat = useOwnChat(() => {
      const each = createChat(agent);
      made.push(each);
      return each;
    });
    used.push(chat);
    return <Text>{chat.getSnapshot().connection.status}</Text>;
  };
  return { Owner, made, used };
}

const isClosed = (chat: Chat | undefined): boolean => chat?.send("x").ok === false;
const macrotask = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

test("a component's own chat is made once, and closed after the unmount", async () => {
  const { Owner, made } = owner();
  const screen = mount(<Owner />);
  await settled();
  screen.rerender(<Owner />);
  await settled();
  expect(made).toHaveLength(1);
  expect(isClosed(made[0])).toBe(false);
  screen.unmount();
  await settled();
  await macrotask();
  await until(() => isClosed(made[0]));
});

test("StrictMode, which renders and mounts twice, makes one chat and keeps it open", async () => {
  const { Owner, made, used } = owner();
  using _screen = mount(
    <StrictMode>
      <Owner />
    </StrictMode>,
  );
  await settled();
  await macrotask();
  await settled();
  expect(made).toHaveLength(1);
  expect(isClosed(used.at(-1))).toBe(false);
  await used.at(-1)?.close();
});

test("a component that is shown again after its chat was closed gets a new chat", async () => {
  const { Owner, used } = owner();
  const shell = (mode: "visible" | "hidden") => (
    <Activity mode={mode}>
      <Owner />
    </Activity>
  );
  using screen = mount(shell("visible"));
  await settled();
  const first = used.at(-1);
  screen.rerender(shell("hidden"));
  await settled();
  await macrotask();
  await until(() => isClosed(first));
  screen.rerender(shell("visible"));
  await until(() => used.at(-1) !== first);
  expect(isClosed(used.at(-1))).toBe(false);
  await used.at(-1)?.close();
});
