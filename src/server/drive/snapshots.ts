// The snapshots of a driven chat: made now and then, with old events dropped behind them.
import type { RelaySettings } from "../options.ts";
import { readHistory, snapshotOf } from "./history.ts";

export interface SnapshotsHost {
  readonly settings: Pick<RelaySettings, "log" | "retention">;
  readonly channel: { readonly id: string };
  readonly epoch: number;
  /** The name of the source. */
  readonly source: string;
  readonly prompts: { readonly taken: string | undefined };
}

/** Events between two snapshots, at least. A snapshot costs as much as the chat is long. */
const SNAPSHOT_EVERY = 500;

export class Snapshots {
  readonly #host: SnapshotsHost;
  /** The position of the last one. */
  #position = 0;

  constructor(host: SnapshotsHost) {
    this.#host = host;
  }

  /** The log has one at this position. */
  found(position: number): void {
    this.#position = position;
  }

  /** Makes one if the log has grown enough. @throws what the log throws */
  async keep(head: number): Promise<void> {
    const { settings, channel, epoch, source, prompts } = this.#host;
    const { log, retention } = settings;
    const { id } = channel;
    if (head - this.#position < Math.min(retention, Math.max(SNAPSHOT_EVERY, head / 10))) return;
    const snapshot = snapshotOf(await readHistory(log, id), source, prompts.taken);
    if (!snapshot || !(await log.put(id, epoch, "snapshot", snapshot))) return;
    this.#position = snapshot.position;
    if (head > retention) await log.trim(id, Math.min(snapshot.position + 1, head - retention + 1));
  }
}
