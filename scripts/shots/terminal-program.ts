// The program of `npm run shots` in the terminal: the screen of `agentwire/ink` over the agent of the state that is its argument.
import { createChat } from "agentwire/chat";
import { renderChat } from "agentwire/ink";
import { MockAgent } from "agentwire/testing/agent";
import { highlight } from "../../src/program/tui/highlight.ts";
import { runInShell } from "../../src/program/tui/shell.ts";
import { AGENT, EARLIER_CHATS, sceneOf } from "./scenes.ts";

const PATHS = ["src/cache.ts", "src/cache.test.ts", "src/server.ts", "src/notes/"];

const files = {
  root: "~/shop",
  listFiles: async (prefix: string) => ({
    paths: PATHS.filter((path) => path.startsWith(prefix)),
    more: false,
  }),
  promptFiles: async () => [],
};
const agent = new MockAgent({ ...AGENT, files, ...sceneOf(process.argv[2]).agent });
await using chat = createChat(agent);
await renderChat(chat, {
  header: { backend: "scripted", folder: files.root },
  highlight,
  chats: async () => EARLIER_CHATS,
  runCommand: runInShell,
  writeFile: async () => "written",
});
