// `<Chat>`: the whole screen of a chat.
import { Box, Static, useCursor, useInput, usePaste, useWindowSize } from "ink";
import { type ReactElement, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { Chat as AgentChat } from "../../chat/chat.ts";
import { systemClock } from "../../core/clock.ts";
import { useChat } from "../../react/index.ts";
import { pressesOf } from "../press.ts";
import { Rows } from "../rows/rows.tsx";
import { ChatScreen } from "../screen/chat-screen.ts";
import type { ExitReason } from "../screen/keyboard.ts";
import type { RunCommand } from "../screen/local-run.ts";
import type { Theme } from "../theme.ts";
import { useReflow } from "./reflow.ts";
import { NO_KEYS, useCanType } from "./use-keys.ts";
import { shownTheme, terminalTheme } from "./use-look.ts";

export interface ChatProps {
  /** Shown as long as the component lives: for another chat, give the component another `key`. @default the chat of the nearest `<ChatProvider>` */
  readonly chat?: AgentChat;
  /** @default the theme for this terminal: plain with `NO_COLOR` */
  readonly theme?: Theme;
  /** What stands in an empty composer. @default "Write to the agent; /help" */
  readonly placeholder?: string;
  /** Runs a `!command` on this machine. @default such commands are not offered */
  readonly runCommand?: RunCommand;
  /** The user leaves: with `/quit` or Ctrl-D, or with Ctrl-C. Unmount then, and close the chat. */
  readonly onExit?: (how: ExitReason) => void;
}

/**
 * The whole screen of a chat: the transcript in the scrollback, and below it what is open of the answer, an approval or a question, the
 * status line and the composer. It never takes more rows than the terminal has. Where the input is no terminal, it takes no keys, and says so.
 *
 * @throws InvalidInputError outside a provider, if no chat is given.
 */
export function Chat(props: ChatProps): ReactElement {
  const { placeholder = "Write to the agent; /help" } = props;
  const theme = shownTheme(props.theme ?? terminalTheme);
  const chat = useChat(props.chat);
  const size = useWindowSize();
  const latest = useRef(props);
  latest.current = props;
  const [screen] = useState(() => {
    const canRun = props.runCommand !== undefined;
    const runCommand: RunCommand = (command, onOutput) =>
      (latest.current.runCommand ?? noCommands)(command, onOutput);
    const onExit = (how: ExitReason): void => latest.current.onExit?.(how);
    return new ChatScreen({
      chat,
      theme,
      clock: systemClock,
      size,
      placeholder,
      onExit,
      ...(canRun ? { runCommand } : {}),
    });
  });
  const frame = useSyncExternalStore(screen.subscribe, screen.getFrame);
  const { setCursorPosition } = useCursor();
  useReflow(frame);
  useEffect(() => screen.start(), [screen]);
  useEffect(() => screen.resize(size), [screen, size]);
  useEffect(() => screen.restyle(theme), [screen, theme]);
  useEffect(() => screen.shown(frame), [screen, frame]);
  const isActive = useCanType();
  useInput(
    (input, key) => {
      for (const press of pressesOf(input, key)) screen.press(press);
    },
    { isActive },
  );
  usePaste((text) => screen.paste(text), { isActive });
  setCursorPosition(frame.cursor);
  return (
    <Box flexDirection="column">
      <Static key={frame.printed.epoch} items={[...frame.printed.blocks]}>
        {(block) => <Rows key={block.id} rows={block.rows} theme={theme} />}
      </Static>
      <Rows rows={isActive ? frame.rows : [[{ text: NO_KEYS, tone: "warn" }]]} theme={theme} isCut />
    </Box>
  );
}

/** The app has taken `runCommand` away. */
const noCommands: RunCommand = () => ({
  stop: () => {},
  ended: Promise.resolve({ type: "failed", reason: "commands of this machine are not offered any more" }),
});
