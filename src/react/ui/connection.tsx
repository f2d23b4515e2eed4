// How the connection is, and when the next attempt starts.
import type { ReactElement } from "react";
import type { ChatConnection } from "../../chat/connection.ts";
import { useConnection, useSeconds } from "../index.ts";
import { useWords } from "./root.tsx";

/** How the connection is. */
export function ConnectionState(): ReactElement {
  const { status } = useConnection();
  const words = useWords();
  return (
    <p className="aw-pill" data-state={status}>
      {words.connection[status]}
    </p>
  );
}

/** When the next attempt to connect starts, in words that change with the seconds. */
export function Countdown({ connection }: { readonly connection: ChatConnection }): ReactElement {
  const words = useWords();
  const left = -useSeconds(connection.retryAt);
  return <span className="aw-countdown">{words.attempt(connection.attempt, left)}</span>;
}
