// `<Transcript>`: the messages of a chat, finished rows in the scrollback.
import { Box, Static, useWindowSize } from "ink";
import { type ReactElement, type ReactNode, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import type { ChatSnapshot } from "../../chat/snapshot.ts";
import { systemClock } from "../../core/clock.ts";
import { Rows } from "../rows/rows.tsx";
import { sharesOf } from "../screen/layout.ts";
import { type TranscriptInput, TranscriptScreen } from "../screen/transcript-screen.ts";
import { RoomProvider } from "./space.ts";
import { type Look, useLook } from "./use-look.ts";

export interface TranscriptProps
  extends Look,
    Pick<ChatSnapshot, "messages" | "busy" | "queue" | "connection"> {
  /** Whether reasoning is folded to one row. @default true */
  readonly foldsReasoning?: boolean;
  /** Whether the app has a command `/retry`, which the rows name. @default false */
  readonly hasCommands?: boolean;
  /** Rows of what is open of the answer, and of the prompts that wait, at most. @default a third of the terminal */
  readonly maxRows?: number;
  /** What stands below: a dialog, the status line, the composer. */
  readonly children?: ReactNode;
}

/**
 * The messages of a chat: `<Transcript {...snapshot}>`. What is finished goes to the scrollback, each row once, and an answer line by line while
 * it streams. Below it stand the open rest of the answer and the prompts that wait, and then the children. The dialogs and the composer among
 * them take what is left of the terminal, and a dialog prints above itself what is too tall for it.
 *
 * A tree has one `<Transcript>` and no other `<Static>`. It shows one chat: for another chat, give it another `key`.
 */
export function Transcript(props: TranscriptProps): ReactElement {
  const { messages, busy, queue, connection, foldsReasoning = true, hasCommands = false, children } = props;
  const { columns, theme } = useLook(props);
  const size = useWindowSize();
  const shares = sharesOf(size);
  const maxRows = props.maxRows ?? shares.tail;
  const input = useMemo<TranscriptInput>(
    () => ({ messages, busy, queue, connection, columns, theme, foldsReasoning, hasCommands, maxRows }),
    [messages, busy, queue, connection, columns, theme, foldsReasoning, hasCommands, maxRows],
  );
  const [screen] = useState(() => new TranscriptScreen(systemClock, input));
  const { printed, rows, isDrained } = useFrame(screen, input);
  const room = useMemo(
    () => ({ rows: shares.below, isDrained, print: screen.print }),
    [shares.below, isDrained, screen],
  );
  return (
    <Box flexDirection="column">
      <Static key={printed.epoch} items={[...printed.blocks]}>
        {(block) => <Rows key={block.id} rows={block.rows} theme={theme} />}
      </Static>
      <Rows rows={rows} theme={theme} />
      <RoomProvider value={room}>{children}</RoomProvider>
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
