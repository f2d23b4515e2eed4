// A frame of the server as a test writes it out.

/** A frame of the server, as a test spells it out. A timestamp is added to those that have one. */
export interface CassServerFrame {
  readonly type: string;
  readonly [field: string]: unknown;
}
