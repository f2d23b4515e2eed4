// `<StatusLine>`: the turn, the connection, waiting prompts and usage in one row.
import { useWindowSize } from "ink";
import type { ReactElement } from "react";
import { useSeconds } from "../../react/index.ts";
import { type StatusFacts, statusRows } from "../parts/status-rows.ts";
import { openSince, progressOf } from "../parts/waiting-rows.ts";
import { Rows } from "../rows/rows.tsx";
import { statusLimit } from "../screen/layout.ts";
import { type Look, useLook } from "./use-look.ts";

export interface StatusLineProps extends Look, Omit<StatusFacts, "seconds"> {
  /**
   * When the turn that runs began, in ms since the epoch. @default the begin of the open answer in `messages`; where there is none,
   * `working` without a time
   */
  readonly since?: number;
}

/**
 * One row: whether a turn runs and for how long, the connection, prompts that wait, and what the chat has taken. Above it a banner of up to three rows while
 * the connection is being repaired, an answer is being recovered, or something went wrong. `<StatusLine {...chat.getSnapshot()} />` works.
 */
export function StatusLine({ since: given, columns, theme, ...facts }: StatusLineProps): ReactElement {
  const look = useLook({ ...(columns === undefined ? {} : { columns }), ...(theme ? { theme } : {}) });
  const size = useWindowSize();
  const since = given ?? (facts.messages && openSince(facts.messages));
  const { isWorking } = progressOf(facts);
  const seconds = useSeconds(isWorking ? since : undefined);
  useSeconds(facts.connection.retryAt);
  const options = { ...look, now: Date.now(), maxRows: statusLimit(size) };
  const shown = since === undefined ? facts : { ...facts, seconds };
  return <Rows rows={statusRows(shown, options)} theme={look.theme} />;
}
