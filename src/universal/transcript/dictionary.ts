// An immutable map whose changed copies share almost everything.
import { INSPECT } from "./list.ts";

/**
 * A map from strings that never changes: `with` and `without` give a changed copy, which shares all but a few nodes. Its iterator gives the
 * values, in the order of the code units of their keys.
 *
 * A crit-bit tree: a branch names the one bit in which the keys of its two sides differ. There is no hash, so no choice of keys is bad: a path
 * has at most as many branches as a key has bits, and for `n` keys about log2 of `n`.
 */
export interface Dictionary<T> extends Iterable<T> {
  readonly size: number;
  get(key: string): T | undefined;
  /** A copy in which `key` has this value; the same dictionary if it has. */
  with(key: string, value: T): Dictionary<T>;
  /** A copy without `key`; the same dictionary if it has none. */
  without(key: string): Dictionary<T>;
  /** The values. Made at the first call, and the same array at each further call. */
  toArray(): readonly T[];
  /** The values, for `JSON.stringify`. */
  toJSON(): readonly T[];
}

/** The dictionary without keys: always the same object. */
export function emptyDictionary<T>(): Dictionary<T> {
  return EMPTY;
}

type Node<T> = Leaf<T> | Branch<T>;

interface Leaf<T> {
  readonly place: null;
  readonly key: string;
  readonly value: T;
}

/** The keys below are equal up to one bit: that of `mask`, in the code unit at `place`. From the root on, the bits go from left to right. */
interface Branch<T> {
  readonly place: number;
  readonly mask: number;
  /** The keys without the bit, and those with it. */
  readonly off: Node<T>;
  readonly on: Node<T>;
}

/** The fields are plain ones: tests count the entries that a change copies. */
class Tree<T> implements Dictionary<T> {
  /** A cache, and no part of the value. */
  #array: readonly T[] | undefined;
  readonly size: number;
  private readonly root: Node<T> | null;

  constructor(size: number, root: Node<T> | null) {
    this.size = size;
    this.root = root;
  }

  get(key: string): T | undefined {
    const leaf = nearest(this.root, key);
    return leaf?.key === key ? leaf.value : undefined;
  }

  with(key: string, value: T): Dictionary<T> {
    const { root, size } = this;
    const added: Leaf<T> = { place: null, key, value };
    const leaf = nearest(root, key);
    if (!root || !leaf) return new Tree(1, added);
    const put = (): Node<T> => added;
    if (leaf.key === key)
      return Object.is(leaf.value, value) ? this : new Tree(size, changed(root, key, put));
    const { place, mask } = firstDifference(key, leaf.key);
    const isOn = (unitAt(key, place) & mask) !== 0;
    const branch = (other: Node<T>): Branch<T> =>
      isOn ? { place, mask, off: other, on: added } : { place, mask, off: added, on: other };
    return new Tree(size + 1, changed(root, key, branch, place, mask));
  }

  without(key: string): Dictionary<T> {
    const { root, size } = this;
    if (!root || nearest(root, key)?.key !== key) return this;
    if (root.place === null) return EMPTY;
    let branch = root;
    for (;;) {
      const next = childOf(branch, key);
      if (next.place === null) break;
      branch = next;
    }
    const { place, mask, off, on } = branch;
    const keep = (): Node<T> => (childOf(branch, key) === on ? off : on);
    return new Tree(size - 1, changed(root, key, keep, place, mask));
  }

  toArray(): readonly T[] {
    this.#array ??= [...this];
    return this.#array;
  }

  toJSON(): readonly T[] {
    return this.toArray();
  }

  [INSPECT](): readonly T[] {
    return this.toArray();
  }

  *[Symbol.iterator](): Generator<T, undefined> {
    const rest: Node<T>[] = this.root ? [this.root] : [];
    for (let node = rest.pop(); node; node = rest.pop()) {
      if (node.place === null) yield node.value;
      else rest.push(node.on, node.off);
    }
    return undefined;
  }
}

const EMPTY = new Tree<never>(0, null);

/** Set for each code unit, so that the place behind the end of a key differs from all units: no key looks like the start of another. */
const PRESENT = 1 << 16;

function unitAt(key: string, place: number): number {
  return place < key.length ? key.charCodeAt(place) | PRESENT : 0;
}

function childOf<T>(branch: Branch<T>, key: string): Node<T> {
  return unitAt(key, branch.place) & branch.mask ? branch.on : branch.off;
}

/** The leaf at the end of the key's path. Only this one can hold the key. */
function nearest<T>(root: Node<T> | null, key: string): Leaf<T> | null {
  let node = root;
  while (node && node.place !== null) node = childOf(node, key);
  return node;
}

/** The first bit in which two keys differ. The keys must differ. */
function firstDifference(one: string, other: string): { readonly place: number; readonly mask: number } {
  let place = 0;
  while (unitAt(one, place) === unitAt(other, place)) place++;
  const difference = unitAt(one, place) ^ unitAt(other, place);
  return { place, mask: 1 << (31 - Math.clz32(difference)) };
}

/**
 * A copy in which the first node on the key's path that looks at this bit or at a later one is another. A loop: a path of hostile keys is too
 * long for recursion.
 *
 * @param place default: the leaf
 */
function changed<T>(
  root: Node<T>,
  key: string,
  change: (old: Node<T>) => Node<T>,
  place = Number.POSITIVE_INFINITY,
  mask = 0,
): Node<T> {
  const path: Branch<T>[] = [];
  let old = root;
  while (old.place !== null && (old.place < place || (old.place === place && old.mask > mask))) {
    path.push(old);
    old = childOf(old, key);
  }
  let node = change(old);
  for (let branch = path.pop(); branch; branch = path.pop()) {
    const { place, mask, off, on } = branch;
    node = on === old ? { place, mask, off, on: node } : { place, mask, off: node, on };
    old = branch;
  }
  return node;
}
