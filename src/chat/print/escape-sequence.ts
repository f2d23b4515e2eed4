// A state machine for escape sequences of terminals.

/**
 * A state machine for terminal escape sequences, over UTF-16 code units, after ECMA-48 and the VT500 parser.
 *
 * - `escape`: after ESC. `intermediate`: after ESC and a byte such as `(` or `#`.
 * - `csi`: ESC [, colours and cursor moves.
 * - `osc`: ESC ], titles, hyperlinks, the clipboard. Ends with BEL or ST.
 * - `string`: DCS, SOS, PM and APC. Ends with ST.
 */
export type SequenceState = "escape" | "intermediate" | "csi" | "osc" | "string";

/** `ended`: the unit was the last of its sequence. `outside`: the unit belongs to no sequence. */
export type SequenceStep = SequenceState | "ended" | "outside";

const BEL = 0x07;
const CANCEL = 0x18;
const SUBSTITUTE = 0x1a;
const ESCAPE = 0x1b;
const DELETE = 0x7f;

/** The second character of a sequence that has more than two. */
const OPENERS: ReadonlyMap<number, SequenceState> = new Map([
  [0x5b, "csi"], // [
  [0x5d, "osc"], // ]
  [0x50, "string"], // P: DCS
  [0x58, "string"], // X: SOS
  [0x5e, "string"], // ^: PM
  [0x5f, "string"], // _: APC
]);

/** @param state `undefined`: no sequence is open */
export function sequenceStep(state: SequenceState | undefined, unit: number): SequenceStep {
  if (unit === ESCAPE) return "escape";
  if (unit >= 0x80 && unit <= 0x9f) return OPENERS.get(unit - 0x40) ?? "ended"; // C1: one unit for ESC and a letter
  if (state === undefined) return "outside";
  if (unit === CANCEL || unit === SUBSTITUTE) return "ended";
  switch (state) {
    case "osc":
      return unit === BEL ? "ended" : state;
    case "string":
      return state;
    case "csi":
    case "escape":
    case "intermediate": {
      const [next, last] = state === "csi" ? (["csi", 0x3f] as const) : (["intermediate", 0x2f] as const);
      if (unit < 0x20 || unit === DELETE) return state;
      if (unit <= last) return next;
      if (unit > 0x7e) return "outside";
      return state === "escape" ? (OPENERS.get(unit) ?? "ended") : "ended";
    }
  }
}

/** Whether a terminal executes this control character inside a sequence, and continues the sequence. */
export function isObeyedInside(state: SequenceState, unit: number): boolean {
  return unit < 0x20 && state !== "osc" && state !== "string";
}
