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

  /** How many entries of each list {@link next} has returned. */
  readonly #asked = new Map<readonly unknown[], number>();

  /** Resolves with the list's next entry. The n-th call for a list gets its n-th entry, past or future. */
  next<T>(list: readonly T[]): Promise<T> {
    const index = this.#asked.get(list) ?? 0;
    this.#asked.set(list, index + 1);
    return this.until(() => list[index]);
  }
}
