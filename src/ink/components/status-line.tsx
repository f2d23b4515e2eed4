// `<StatusLine>`: the turn, the connection, waiting prompts and usage in one row.
import { useWindowSize } from "ink";
import type { ReactElement } from "react";
import { defined } from "../../core/checks.ts";
import { useSeconds } from "../../react/index.ts";
import { type StatusFacts, statusRows } from "../parts/status-rows.ts";
import { openSince, progressOf } from "../parts/waiting-rows.ts";
import { Rows } from "../rows/rows.tsx";
import { statusLimit } from "../screen/layout.ts";
import { type Look, useLook } from "./hooks.ts";

export interface StatusLineProps extends Look, Omit<StatusFacts, "seconds"> {
  /** When the turn began, in ms since the epoch. @default the open answer's start, otherwise no time */
  readonly since?: number;
}

/**
 * One row: the turn with its time (the user's own decisions and answers included), the connection, waiting prompts and usage. A banner of up to three rows above it
 * shows a reconnect, a recovery or a problem. `<StatusLine {...chat.getSnapshot()} />` works.
 */
export function StatusLine({ since: given, columns, theme, words, ...facts }: StatusLineProps): ReactElement {
  const look = useLook(defined({ columns, theme, words }));
  const size = useWindowSize();
  const since = given ?? (facts.messages && openSince(facts.messages));
  const { isWorking } = progressOf(facts);
  const seconds = useSeconds(isWorking ? since : undefined);
  useSeconds(facts.connection.retryAt);
  const options = { ...look, now: Date.now(), maxRows: statusLimit(size) };
  const shown = since === undefined ? facts : { ...facts, seconds };
  return <Rows rows={statusRows(shown, options)} theme={look.theme} />;
}
