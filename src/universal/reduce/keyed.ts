import { type Dictionary, emptyDictionary } from "./dictionary.ts";
import { INSPECT } from "./inspect.ts";

/** Values with a key each, in the order in which they came. Never changes. */
export interface Keyed<T> extends Iterable<T> {
  readonly size: number;
  get(key: string): T | undefined;
  /** A copy in which `key` has this value. A key that was there keeps its place. Costs as much as a change of a `Dictionary`. */
  with(key: string, value: T): Keyed<T>;
  /** A copy without this key; the same values if there is none. */
  without(key: string): Keyed<T>;
  /** The values, oldest first. Made at the first call, and the same array at each further call. */
  toArray(): readonly T[];
  /** The values, for `JSON.stringify`. */
  toJSON(): readonly T[];
}

/** Without values: always the same object. */
export function noneKeyed<T>(): Keyed<T> {
  return NONE;
}

/** A value, and the keys of its neighbours. */
interface Link<T> {
  readonly value: T;
  readonly before: string | null;
  readonly after: string | null;
}

/** A linked list in a dictionary, so that a value goes from any place without a copy of the others. */
class Chain<T> implements Keyed<T> {
  /** A cache, and no part of the value. */
  #array: readonly T[] | undefined;
  private readonly links: Dictionary<Link<T>>;
  private readonly first: string | null;
  private readonly last: string | null;

  constructor(links: Dictionary<Link<T>>, first: string | null, last: string | null) {
    this.links = links;
    this.first = first;
    this.last = last;
  }

  get size(): number {
    return this.links.size;
  }

  get(key: string): T | undefined {
    return this.links.get(key)?.value;
  }

  with(key: string, value: T): Keyed<T> {
    const { links, first, last } = this;
    const old = links.get(key);
    if (old && Object.is(old.value, value)) return this;
    if (old) return new Chain(links.with(key, { ...old, value }), first, last);
    const linked = changed(links, last, { after: key }).with(key, { value, before: last, after: null });
    return new Chain(linked, first ?? key, key);
  }

  without(key: string): Keyed<T> {
    const link = this.links.get(key);
    if (!link) return this;
    if (this.links.size === 1) return NONE;
    const { before, after } = link;
    const links = changed(changed(this.links.without(key), before, { after }), after, { before });
    return new Chain(links, before === null ? after : this.first, after === null ? before : this.last);
  }

  toArray(): readonly T[] {
    this.#array ??= [...this];
    return this.#array;
  }

  toJSON(): readonly T[] {
    return this.toArray();
  }

  /** What Node's `console.log` shows. */
  [INSPECT](): readonly T[] {
    return this.toArray();
  }

  *[Symbol.iterator](): Generator<T, undefined> {
    for (let key = this.first; key !== null; ) {
      const link = this.links.get(key);
      if (!link) return undefined;
      yield link.value;
      key = link.after;
    }
    return undefined;
  }
}

const NONE = new Chain<never>(emptyDictionary(), null, null);

function changed<T>(
  links: Dictionary<Link<T>>,
  key: string | null,
  change: { readonly before: string | null } | { readonly after: string | null },
): Dictionary<Link<T>> {
  const link = key === null ? undefined : links.get(key);
  return key === null || !link ? links : links.with(key, { ...link, ...change });
}
