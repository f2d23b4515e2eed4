export { Chat, type ChatProps } from "./chat.tsx";
export type { ExitReason } from "./screen/chat-screen.ts";
export type { CommandEnd, RunCommand, RunningCommand } from "./screen/local-run.ts";
export type { Style, Symbols, Theme, Tone } from "./theme.ts";
export { defaultTheme, plainTheme, themeFor } from "./theme.ts";
