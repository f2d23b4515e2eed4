import type { Chat } from "agentwire/chat";
// #region tui-theme
import { defaultTheme, renderChat, type Theme } from "agentwire/ink";

const theme: Theme = {
  styles: { ...defaultTheme.styles, user: { color: "yellow", bold: true } },
  symbols: { ...defaultTheme.symbols, prompt: "$" },
};
// #endregion

export const show = (chat: Chat) => renderChat(chat, { theme });
