// Waits for a chat that loads its store, or whose source first replays old events.
import type { Chat } from "./chat.ts";
import type { ChatSnapshot } from "./snapshot.ts";

/** Resolves with the snapshot once the chat shows the present, or `signal` aborts. */
export async function caughtUp(
  { subscribe, getSnapshot }: Chat,
  signal: AbortSignal | undefined,
): Promise<ChatSnapshot> {
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (getSnapshot().loading && !signal?.aborted) return;
      off();
      signal?.removeEventListener("abort", look);
      resolve();
    };
    const off = subscribe(look);
    signal?.addEventListener("abort", look);
    look();
  });
  return getSnapshot();
}
