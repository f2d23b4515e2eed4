// What docs/tui.md shows besides its first program.

import type { Chat as AgentChat } from "agentwire/chat";
import { Chat, Composer, defaultTheme, Message, StatusLine, type Theme } from "agentwire/ink";
import { ChatProvider, useAgentChat, useChat } from "agentwire/react";
import { Box } from "ink";

// #region tui-theme
const theme: Theme = {
  styles: { ...defaultTheme.styles, user: { color: "yellow", bold: true } },
  symbols: { ...defaultTheme.symbols, prompt: "$" },
};
// #endregion

// #region tui-parts
function Own() {
  const { send } = useChat();
  const snapshot = useAgentChat();
  const last = snapshot.messages.at(-1);
  return (
    <Box flexDirection="column">
      {last && <Message message={last} theme={theme} foldsReasoning />}
      <StatusLine {...snapshot} theme={theme} />
      <Composer onSubmit={(text) => send(text).ok} placeholder="Ask" theme={theme} />
    </Box>
  );
}
// #endregion

export const Program = ({ chat }: { readonly chat: AgentChat }) => (
  <ChatProvider chat={chat}>
    <Own />
    <Chat theme={theme} />
  </ChatProvider>
);
