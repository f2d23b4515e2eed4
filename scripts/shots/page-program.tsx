// The page of `npm run shots`: `<Chat>` over the agent of a state, which `showScene` names.
import { createChat } from "agentwire/chat";
import { Chat, highlightWith } from "agentwire/react/ui";
import { MockAgent } from "agentwire/testing/agent";
import { common, createLowlight } from "lowlight";
import { createRoot } from "react-dom/client";
import { AGENT, EARLIER_CHATS, sceneOf } from "./scenes.ts";

function showScene(name: string): void {
  const place = document.querySelector("#root");
  if (!place) throw new TypeError("the page has no #root");
  const chats = { chats: EARLIER_CHATS, current: "cache", onChoice: () => {}, onNew: () => {} };
  createRoot(place).render(
    <Chat
      chat={createChat(new MockAgent({ ...AGENT, ...sceneOf(name).agent }))}
      title="Why does the cache grow?"
      agent="the agent"
      suggestions={["Why does the cache grow?", "Run the tests"]}
      highlight={highlightWith(createLowlight(common))}
      {...(name === "chats" ? { chats } : {})}
    />,
  );
}

Object.assign(globalThis, { showScene });
