// An immutable map whose changed copies share almost everything.
import { INSPECT } from "./list.ts";

/**
 * An immutable map from strings. A changed copy shares all but a few nodes. The iterator gives the values in the code
 * unit order of their keys. A crit-bit tree: a branch names the one bit that differs between the keys of its two sides.
 * There is no hash, so no keys are bad. A path has at most one branch per bit of a key, and for `n` keys about log2 of
 * `n`.
 */
export interface Dictionary<T> extends Iterable<T> {
  readonly size: number;
  get(key: string): T | undefined;
  /** A copy in which `key` has this value. Returns the same dictionary if nothing changes. */
  with(key: string, value: T): Dictionary<T>;
  /** A copy without `key`. Returns the same dictionary if nothing changes. */
  without(key: string): Dictionary<T>;
  /** The values, in an array that is made once. */
  toArray(): readonly T[];
  /** The values, for `JSON.stringify`. */
  toJSON(): readonly T[];
}

/** The empty dictionary, always the same object. */
export function emptyDictionary<T>(): Dictionary<T> {
  return EMPTY;
}

type Node<T> = Leaf<T> | Branch<T>;

interface Leaf<T> {
  readonly place: null;
  readonly key: string;
  readonly value: T;
}

/** The keys below differ first at bit `mask` of code unit `place`. Deeper nodes test later bits. */
interface Branch<T> {
  readonly place: number;
  readonly mask: number;
  /** `off`: the keys without the bit. `on`: the keys with the bit. */
  readonly off: Node<T>;
  readonly on: Node<T>;
}

/** Plain fields, because tests count the entries that a change copies. */
class Tree<T> implements Dictionary<T> {
  /** A cache, not part of the value. */
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

/** Set in each code unit, so that the end of a key differs from all units, even from a zero unit. */
const PRESENT = 1 << 16;

function unitAt(key: string, place: number): number {
  return place < key.length ? key.charCodeAt(place) | PRESENT : 0;
}

function childOf<T>(branch: Branch<T>, key: string): Node<T> {
  return unitAt(key, branch.place) & branch.mask ? branch.on : branch.off;
}

/** The leaf at the end of the key's path. No other leaf can hold the key. */
function nearest<T>(root: Node<T> | null, key: string): Leaf<T> | null {
  let node = root;
  while (node && node.place !== null) node = childOf(node, key);
  return node;
}

/** The first differing bit of two different keys. */
function firstDifference(one: string, other: string): { readonly place: number; readonly mask: number } {
  let place = 0;
  while (unitAt(one, place) === unitAt(other, place)) place++;
  const difference = unitAt(one, place) ^ unitAt(other, place);
  return { place, mask: 1 << (31 - Math.clz32(difference)) };
}

/**
 * A copy that replaces the first node on the key's path whose bit is this bit or a later one. A loop, because paths of
 * hostile keys are too long for recursion.
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
