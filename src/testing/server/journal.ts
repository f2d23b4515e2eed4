// Everything that happened on a mock server, and waits for it.
import { Notes } from "../notes.ts";
import type { ConnectionFrame, ServedConnection, ViolationRecord } from "./record.ts";

/** What happened on a server, whatever its protocol, and whoever waits for something to happen. */
export class Journal<
  Connection extends ServedConnection,
  Kind extends string,
  Frame extends ConnectionFrame<Connection> = ConnectionFrame<Connection>,
  /** What a mistake was made on: nothing, where it can be made without a connection. */
  Where extends Connection | undefined = Connection,
> extends Notes {
  readonly connections: Connection[] = [];
  readonly frames: Frame[] = [];
  readonly violations: ViolationRecord<Where, Kind>[] = [];

  /** How many of each list were asked for by {@link next}. */
  readonly #asked = new Map<readonly unknown[], number>();

  /** The first of a list on the first call for that list, the second on the second, whether it is there already or not. */
  next<T>(list: readonly T[]): Promise<T> {
    const index = this.#asked.get(list) ?? 0;
    this.#asked.set(list, index + 1);
    return this.until(() => list[index]);
  }
}
