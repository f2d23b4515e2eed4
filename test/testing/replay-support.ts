import { Replayer, type ReplayerOptions } from "agentwire/testing";

export interface Line {
  readonly dir?: "c2s" | "s2c";
  readonly ev?: "open" | "close";
  readonly [field: string]: unknown;
}

export const open: Line = { ev: "open" };
export const c2s = (raw: string, fields: object = {}): Line => ({ dir: "c2s", raw, ...fields });
export const s2c = (raw: string, fields: object = {}): Line => ({ dir: "s2c", raw, ...fields });
export const close = (code: number, fields: object = {}): Line => ({
  ev: "close",
  code,
  reason: "",
  ...fields,
});

/** Plays connections of the given lines; a line is of ms 0 unless it says more. */
export function replayOf(
  connections: readonly (readonly Line[])[],
  options: ReplayerOptions = {},
): Promise<Replayer> {
  const lines = connections.flatMap((of, index) =>
    of.map((line) => JSON.stringify({ ms: 0, conn: index + 1, ...line })),
  );
  return Replayer.start({ lines }, options);
}
