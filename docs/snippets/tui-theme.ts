// #region tui-theme
import { defaultTheme, renderChat, type Theme } from "agentwire/ink";

const theme: Theme = {
  styles: { ...defaultTheme.styles, user: { color: "yellow", bold: true } },
  symbols: { ...defaultTheme.symbols, prompt: "$" },
};
// #endregion

export const show = (chat: Parameters<typeof renderChat>[0]) => renderChat(chat, { theme });
