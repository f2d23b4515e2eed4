import type { ReactElement } from "react";
import { useSeconds } from "../react/index.ts";
import { type StatusFacts, statusRows } from "./parts/status-rows.ts";
import { Rows } from "./rows/rows.tsx";
import { BANNER_ROWS } from "./screen/layout.ts";
import { type Look, useLook } from "./use-look.ts";

export interface StatusLineProps extends Look, Omit<StatusFacts, "seconds"> {
  /** When the turn that runs began, in ms since the epoch. @default `working`, without a time */
  readonly since?: number;
}

/**
 * One row: whether a turn runs and for how long, the connection, prompts that wait, and what the chat has taken. Above it a banner of up to three rows while
 * the connection is being repaired, an answer is being recovered, or something went wrong. `<StatusLine {...chat.getSnapshot()} />` works.
 */
export function StatusLine({ since, columns, theme, ...facts }: StatusLineProps): ReactElement {
  const look = useLook({ ...(columns === undefined ? {} : { columns }), ...(theme ? { theme } : {}) });
  const seconds = useSeconds(facts.busy ? since : undefined);
  useSeconds(facts.connection.retryAt);
  const options = { ...look, now: Date.now(), maxRows: 1 + BANNER_ROWS };
  const shown = since === undefined ? facts : { ...facts, seconds };
  return <Rows rows={statusRows(shown, options)} theme={look.theme} />;
}
