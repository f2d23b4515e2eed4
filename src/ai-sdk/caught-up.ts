// Waits for a chat whose source first replays old events.
import type { Chat } from "../chat/chat.ts";

/** Resolves once the chat shows the present, or `signal` aborts. */
export async function caughtUp(
  { subscribe, getSnapshot }: Chat,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (!getSnapshot().loading) return;
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (getSnapshot().loading && !signal?.aborted) return;
      off();
      signal?.removeEventListener("abort", look);
      resolve();
    };
    const off = subscribe(look);
    signal?.addEventListener("abort", look);
    if (signal?.aborted) look();
  });
}
