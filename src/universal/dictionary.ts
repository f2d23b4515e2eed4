/**
 * A map from strings that never changes: `with` and `without` give a changed copy, which shares all but a few nodes.
 *
 * A crit-bit tree: a branch names the one bit in which the keys of its two sides differ. There is no hash, so no choice of keys is bad: a path
 * has at most as many branches as a key has bits, and for `n` keys about log2 of `n`.
 */
export interface Dictionary<T> {
  readonly size: number;
  get(key: string): T | undefined;
  /** A copy in which `key` has this value; the same dictionary if it has. */
  with(key: string, value: T): Dictionary<T>;
  /** A copy without `key`; the same dictionary if it has none. */
  without(key: string): Dictionary<T>;
}

/** The dictionary without keys: always the same object. */
export function emptyDictionary<T>(): Dictionary<T> {
  return EMPTY;
}

type Node<T> = Leaf<T> | Branch<T>;

interface Leaf<T> {
  readonly bit: null;
  readonly key: string;
  readonly value: T;
}

interface Branch<T> {
  /** Grows from the root to the leaves. */
  readonly bit: number;
  /** The keys without the bit, and those with it. */
  readonly off: Node<T>;
  readonly on: Node<T>;
}

/** A branch of a path, and the side that the path takes. */
interface Step<T> {
  readonly branch: Branch<T>;
  readonly isOn: boolean;
}

/** The fields are plain ones: tests count the entries that a change copies. */
class Tree<T> implements Dictionary<T> {
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
    const added: Leaf<T> = { bit: null, key, value };
    const leaf = nearest(this.root, key);
    if (!leaf) return new Tree(1, added);
    const bit = firstDifference(key, leaf.key);
    if (bit === null) {
      if (Object.is(leaf.value, value)) return this;
      return new Tree(this.size, rebuild(pathTo(this.root, key, Number.POSITIVE_INFINITY).steps, added));
    }
    const { steps, end } = pathTo(this.root, key, bit);
    const isOn = hasBit(key, bit);
    const branch: Branch<T> = { bit, off: isOn ? (end ?? added) : added, on: isOn ? added : (end ?? added) };
    return new Tree(this.size + 1, rebuild(steps, branch));
  }

  without(key: string): Dictionary<T> {
    const { steps, end } = pathTo(this.root, key, Number.POSITIVE_INFINITY);
    if (end?.bit !== null || end.key !== key) return this;
    const last = steps.pop();
    if (!last) return EMPTY;
    return new Tree(this.size - 1, rebuild(steps, last.isOn ? last.branch.off : last.branch.on));
  }
}

const EMPTY = new Tree<never>(0, null);

/** Bits of one place of a key: 16 of the code unit, and one that the place behind the end lacks. */
const PLACE = 17;

function hasBit(key: string, bit: number): boolean {
  const place = Math.floor(bit / PLACE);
  return place < key.length && ((unitAt(key, place) >> (PLACE - 1 - (bit % PLACE))) & 1) === 1;
}

/** 0 behind the end, so that no key looks like the start of another key. */
function unitAt(key: string, place: number): number {
  return place < key.length ? key.charCodeAt(place) | (1 << (PLACE - 1)) : 0;
}

/** Null: the keys are equal. */
function firstDifference(one: string, other: string): number | null {
  const end = Math.max(one.length, other.length);
  for (let place = 0; place < end; place++) {
    const difference = unitAt(one, place) ^ unitAt(other, place);
    if (difference !== 0) return place * PLACE + (Math.clz32(difference) - (32 - PLACE));
  }
  return null;
}

/** The leaf at the end of the key's path. Only this one can hold the key. */
function nearest<T>(root: Node<T> | null, key: string): Leaf<T> | null {
  let node = root;
  while (node && node.bit !== null) node = hasBit(key, node.bit) ? node.on : node.off;
  return node;
}

/** The key's path up to the first node that is a leaf or looks at a bit behind `bit`. */
function pathTo<T>(
  root: Node<T> | null,
  key: string,
  bit: number,
): { steps: Step<T>[]; end: Node<T> | null } {
  const steps: Step<T>[] = [];
  let node = root;
  while (node && node.bit !== null && node.bit < bit) {
    const isOn = hasBit(key, node.bit);
    steps.push({ branch: node, isOn });
    node = isOn ? node.on : node.off;
  }
  return { steps, end: node };
}

/** The path with another end. A loop: a path of hostile keys is too long for recursion. */
function rebuild<T>(steps: readonly Step<T>[], end: Node<T>): Node<T> {
  let node = end;
  for (let index = steps.length - 1; index >= 0; index--) {
    const step = steps[index];
    if (!step) continue;
    const { bit, off, on } = step.branch;
    node = step.isOn ? { bit, off, on: node } : { bit, off: node, on };
  }
  return node;
}
