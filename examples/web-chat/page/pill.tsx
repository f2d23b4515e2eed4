import type { ChatConnection } from "agentwire/chat";
import { useConnection, useSeconds } from "agentwire/react";
import type { ReactElement } from "react";

const WORDS = {
  idle: "Not connected yet",
  connecting: "Connecting…",
  handshaking: "Connecting…",
  ready: "Connected",
  reconnecting: "Reconnecting…",
  draining: "Disconnecting…",
  closed: "Disconnected",
} as const satisfies Record<ChatConnection["status"], string>;

/** How the connection is. */
export function Pill(): ReactElement {
  const { status } = useConnection();
  return (
    <p className="pill" data-state={status}>
      {WORDS[status]}
    </p>
  );
}

/** When the next attempt to connect starts, in words that change with the seconds. */
export function Countdown({ connection }: { readonly connection: ChatConnection }): ReactElement {
  const { attempt, retryAt } = connection;
  const left = -useSeconds(retryAt);
  const tries = `Attempt ${attempt}`;
  return (
    <span className="countdown">
      {retryAt !== undefined && left > 0 ? `${tries} in ${left} s.` : `${tries} is under way.`}
    </span>
  );
}
