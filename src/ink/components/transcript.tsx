// `<Transcript>`: the messages of a chat, finished rows in the scrollback.
import { Box, Static, useWindowSize } from "ink";
import { type ReactElement, type ReactNode, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import type { ChatSnapshot } from "../../chat/snapshot.ts";
import { systemClock } from "../../core/clock.ts";
import type { Highlighter } from "../../screens/highlight.ts";
import { Rows } from "../rows/rows.tsx";
import { sharesOf } from "../screen/layout.ts";
import { type TranscriptInput, TranscriptScreen } from "../screen/transcript-screen.ts";
import { type Look, SpaceProvider, useLook } from "./hooks.ts";

export interface TranscriptProps
  extends Look,
    Pick<ChatSnapshot, "messages" | "busy" | "queue" | "connection"> {
  /** The agent's plan. It is printed whenever it changes. @default none */
  readonly plan?: ChatSnapshot["plan"];
  /** Colours code blocks. @default code has one colour */
  readonly highlight?: Highlighter;
  /** Whether reasoning is folded to one row. @default true */
  readonly foldsReasoning?: boolean;
  /** Whether the app has the command `/retry`, which rows then mention. @default false */
  readonly hasCommands?: boolean;
  /** Maximum rows of the open answer and the waiting prompts. @default a third of the terminal */
  readonly maxRows?: number;
  /** Shown below: a dialog, the status line, the composer. */
  readonly children?: ReactNode;
}

/**
 * The messages of a chat: `<Transcript {...snapshot}>`. Finished rows go to the scrollback, each once; a streaming
 * answer goes there line by line. Below are the open end of the answer, the waiting prompts, and the children. Dialogs
 * and the composer among the children take the remaining rows. A dialog prints its text above itself if the text is too
 * tall.
 *
 * A tree has one `<Transcript>` and no other `<Static>`. To show another chat, change the `key`.
 */
export function Transcript(props: TranscriptProps): ReactElement {
  const { messages, busy, queue, connection, foldsReasoning = true, hasCommands = false, children } = props;
  const { plan = null, highlight } = props;
  const { columns, theme } = useLook(props);
  const size = useWindowSize();
  const shares = sharesOf(size);
  const maxRows = props.maxRows ?? shares.tail;
  const input = useMemo<TranscriptInput>(
    () => ({
      ...{ messages, plan, busy, queue, connection },
      ...{ columns, theme, highlight, foldsReasoning, hasCommands, maxRows },
    }),
    [
      messages,
      plan,
      busy,
      queue,
      connection,
      columns,
      theme,
      highlight,
      foldsReasoning,
      hasCommands,
      maxRows,
    ],
  );
  const [screen] = useState(() => new TranscriptScreen(systemClock, input));
  const { printed, rows, isDrained } = useFrame(screen, input);
  const space = useMemo(
    () => ({ rows: shares.below, isDrained, print: screen.print }),
    [shares.below, isDrained, screen],
  );
  return (
    <Box flexDirection="column">
      <Static key={printed.epoch} items={[...printed.blocks]}>
        {(block) => <Rows key={block.id} rows={block.rows} theme={theme} />}
      </Static>
      <Rows rows={rows} theme={theme} />
      <SpaceProvider value={space}>{children}</SpaceProvider>
    </Box>
  );
}

function useFrame(screen: TranscriptScreen, input: TranscriptInput) {
  const frame = useSyncExternalStore(screen.subscribe, screen.getFrame);
  useEffect(() => screen.start(), [screen]);
  useEffect(() => screen.follow(input), [screen, input]);
  useEffect(() => screen.shown(frame), [screen, frame]);
  return frame;
}
