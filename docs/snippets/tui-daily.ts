// #region tui-daily
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createChat } from "agentwire/chat";
import { directoryStore } from "agentwire/chat/node";
import { type ChatEnd, highlightWith, renderChat } from "agentwire/ink";
import { MockAgent } from "agentwire/testing/agent";
import { common, createLowlight } from "lowlight";

const store = directoryStore("my-chats");
let end: ChatEnd = { open: null };
while (typeof end === "object") {
  const id = end.open ?? new Date().toISOString().replaceAll(":", "-");
  const chat = createChat(new MockAgent(), { store, id });
  end = await renderChat(chat, {
    header: { backend: "mock", folder: process.cwd() },
    highlight: highlightWith(createLowlight(common)), // colours code
    chats: async () => (await store.list()).toReversed().map((each) => ({ id: each, title: each })),
    writeFile: async (path, text, { replaces }) => {
      if (!replaces && existsSync(path)) return "exists";
      await writeFile(path, text);
      return "written";
    },
  });
  await chat.close();
}
// #endregion
