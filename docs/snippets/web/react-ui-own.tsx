// Parts of the page, for docs/react.md.
// #region react-ui-own
// side-panel.tsx
import type { Chat as AgentChat } from "agentwire/chat";
import {
  ChatRoot,
  type ChatSlots,
  Composer,
  type PartSlotProps,
  RequestPanel,
  Transcript,
} from "agentwire/react/ui";

/** Calls of `shell` in one line; all other calls as they are. */
function ToolLine({ part, children }: PartSlotProps<"tool">) {
  return part.name === "shell" ? <p>A command {part.state}</p> : children;
}

const slots: ChatSlots = { parts: { tool: ToolLine } };
const words = { send: "Senden", message: "Nachricht" };

export function SidePanel({ chat }: { readonly chat: AgentChat }) {
  return (
    <ChatRoot chat={chat} slots={slots} words={words} theme="dark">
      <Transcript />
      <RequestPanel />
      <Composer />
    </ChatRoot>
  );
}
// #endregion
