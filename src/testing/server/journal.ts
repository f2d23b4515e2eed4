// The records of a mock server, and waits for new entries.
import { Notes } from "../notes.ts";
import type { ConnectionFrame, ServedConnection, ViolationRecord } from "./record.ts";

export class Journal<
  Connection extends ServedConnection,
  Kind extends string,
  Frame extends ConnectionFrame<Connection> = ConnectionFrame<Connection>,
  /** The connection of a mistake. Undefined for mistakes without a connection. */
  Where extends Connection | undefined = Connection,
> extends Notes {
  readonly connections: Connection[] = [];
  readonly frames: Frame[] = [];
  readonly violations: ViolationRecord<Where, Kind>[] = [];
}
