// `<Chat>`: the whole screen of a chat.
import { Box, Static, useCursor, useInput, usePaste, useStdout, useWindowSize } from "ink";
import { type ReactElement, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { Chat as AgentChat } from "../../chat/chat.ts";
import { systemClock } from "../../core/clock.ts";
import { useChat } from "../../react/index.ts";
import type { Highlighter } from "../../screens/highlight.ts";
import type { Words } from "../../screens/words.ts";
import { terminalWords } from "../../screens/words-terminal.ts";
import { pressesOf } from "../press.ts";
import { Rows } from "../rows/rows.tsx";
import { ChatScreen } from "../screen/chat-screen.ts";
import type { CommandOptions, ExitReason } from "../screen/desk.ts";
import type { ChatHeader } from "../screen/header.ts";
import type { RunCommand } from "../screen/local-commands.ts";
import type { Theme } from "../theme.ts";
import { copyTo } from "./clipboard.ts";
import { shownTheme, terminalTheme, useCanType } from "./hooks.ts";
import { useReflow } from "./reflow.ts";

export interface ChatProps extends CommandOptions {
  /** Fixed while mounted; a new chat needs a new `key`. @default the chat of the nearest `<ChatProvider>` */
  readonly chat?: AgentChat;
  /** @default the theme for this terminal: plain with `NO_COLOR` */
  readonly theme?: Theme;
  /** Colours code blocks, such as `highlightWith(lowlight)`. Fixed while mounted. @default code has one colour */
  readonly highlight?: Highlighter;
  /** Shown in an empty composer. @default `words.emptyComposer` */
  readonly placeholder?: string;
  /** Printed once at the start. @default nothing is printed */
  readonly header?: ChatHeader;
  /** Words in place of the screen's own. Fixed while mounted. @default English */
  readonly words?: Partial<Words>;
  /** Runs a `!command` on this machine. @default such commands are not offered */
  readonly runCommand?: RunCommand;
  /** The user leaves, perhaps for another chat. Unmount the component and close the chat. */
  readonly onExit?: (how: ExitReason) => void;
}

/**
 * The whole screen of a chat. The transcript goes into the scrollback. Below it are the open end of the answer, an
 * approval or a question, the status line and the composer. Never exceeds the terminal's rows. Takes no keys, and says
 * so, if the input is not a terminal.
 * @throws InvalidInputError outside a provider, if `chat` is missing
 */
export function Chat(props: ChatProps): ReactElement {
  const theme = shownTheme(props.theme ?? terminalTheme);
  const chat = useChat(props.chat);
  const size = useWindowSize();
  const latest = useRef(props);
  latest.current = props;
  const { stdout } = useStdout();
  const [words] = useState(() => ({ ...terminalWords, ...props.words }));
  const [screen] = useState(() => {
    const { placeholder = words.emptyComposer, header, copy, writeFile, undo, chats, history } = props;
    const canRun = props.runCommand !== undefined;
    const runCommand: RunCommand = (command, onOutput) =>
      latest.current.runCommand?.(command, onOutput) ?? noCommands(words.localNotOffered);
    const onExit = (how: ExitReason): void => latest.current.onExit?.(how);
    return new ChatScreen({
      chat,
      theme,
      highlight: props.highlight,
      clock: systemClock,
      size,
      placeholder,
      words,
      onExit,
      clipboard: copyTo(stdout),
      commands: {
        ...(copy ? { copy } : {}),
        ...(writeFile ? { writeFile } : {}),
        ...(undo ? { undo } : {}),
        ...(chats ? { chats } : {}),
        ...(history ? { history } : {}),
      },
      ...(header ? { header } : {}),
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
      <Rows rows={isActive ? frame.rows : [[{ text: words.noKeys, tone: "warn" }]]} theme={theme} isCut />
    </Box>
  );
}

/** Used after the app has removed `runCommand`. */
const noCommands = (reason: string): ReturnType<RunCommand> => ({
  stop: () => {},
  ended: Promise.resolve({ type: "failed", reason }),
});
