// Keeps consecutive deltas of one text as one object. An object for each would keep the garbage collector busy.
import { eventId } from "../engine/items.ts";
import type { ItemDelta, UniversalEvent } from "../events.ts";

/** Deltas that differ only in their numbers and texts: one item, one millisecond. */
export class DeltaRun {
  readonly #first: ItemDelta;
  /** The index of the first delta. */
  readonly #start: number;
  /** All deltas, joined. */
  readonly #text: string;
  /** The end of each delta in the text. */
  readonly #ends: readonly number[];

  constructor(first: ItemDelta, start: number, deltas: readonly string[]) {
    this.#first = first;
    this.#start = start;
    this.#text = deltas.join("");
    let end = 0;
    this.#ends = deltas.map((delta) => {
      end += delta.length;
      return end;
    });
  }

  /** Makes the event with the index `at` again. */
  get(at: number): ItemDelta {
    const first = this.#first;
    const place = at - this.#start;
    const sequence = first.sequence + place;
    const delta = this.#text.slice(this.#ends[place - 1] ?? 0, this.#ends[place]);
    return { ...first, event_id: eventId(sequence), sequence, data: { ...first.data, delta } };
  }
}

/** Replaces deltas by runs. Most events of a stream are deltas. */
export function pack(events: (UniversalEvent | DeltaRun)[]): void {
  let at = 0;
  while (at < events.length) {
    const start = at;
    const first = events[at++];
    if (!isDelta(first)) continue;
    const deltas = [first.data.delta];
    for (let next = events[at]; isDelta(next) && isLike(first, next); next = events[++at])
      deltas.push(next.data.delta);
    if (deltas.length > 1) events.fill(new DeltaRun(first, start, deltas), start, at);
  }
}

function isDelta(event: UniversalEvent | DeltaRun | undefined): event is ItemDelta {
  return event !== undefined && !(event instanceof DeltaRun) && event.type === "item.delta" && event.raw === null;
}

function isLike(one: ItemDelta, other: ItemDelta): boolean {
  return (
    one.time === other.time &&
    one.session_id === other.session_id &&
    one.native_session_id === other.native_session_id &&
    one.source === other.source &&
    one.synthetic === other.synthetic &&
    one.data.item_id === other.data.item_id &&
    one.data.part === other.data.part
  );
}
