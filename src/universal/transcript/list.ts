// An immutable list whose changed copies share almost everything.
import { InvalidInputError } from "../../core/errors.ts";

/** The method by which Node's `console.log` shows an object. A name of Node, and no import of it. */
export const INSPECT: unique symbol = /* @__PURE__ */ Symbol.for("nodejs.util.inspect.custom");

/** A list that never changes. A changed copy shares all but a few entries, so a change of a long list costs as little as of a short one. */
export interface List<T> extends Iterable<T> {
  readonly length: number;
  /** Negative: from the end. */
  at(index: number): T | undefined;
  map<U>(change: (value: T, index: number) => U): U[];
  /** All entries. Made at the first call, and the same array at each further call. */
  toArray(): readonly T[];
  /** The entries, for `JSON.stringify`. */
  toJSON(): readonly T[];
}

/** The list without entries: always the same object. */
export function emptyList<T>(): List<T> {
  return EMPTY;
}

/** A list of these values. */
export function listOf<T>(values: Iterable<T>): List<T> {
  return vectorOf(values);
}

/** The list with one more entry at its end. Copies at most {@link WIDTH} entries, and for one call in 32 a path of the tree. */
export function append<T>(list: List<T>, value: T): List<T> {
  return vectorOf(list).append(value);
}

/** The list with these entries at its end, one by one. */
export function appendAll<T>(list: List<T>, values: Iterable<T>): List<T> {
  let longer = list;
  for (const value of values) longer = append(longer, value);
  return longer;
}

/**
 * The list with another value at `index`; the same list if the value is already there. Copies at most {@link WIDTH} entries for each level
 * of the tree.
 *
 * @param index negative: from the end
 * @throws InvalidInputError if the list has no such entry.
 */
export function replace<T>(list: List<T>, index: number, value: T): List<T> {
  const at = index < 0 ? list.length + index : index;
  if (!Number.isInteger(at) || at < 0 || at >= list.length) {
    throw new InvalidInputError(
      `there is no entry ${index} in a list of ${list.length}.`,
      "Use `append` to add one.",
    );
  }
  const vector = vectorOf(list);
  return Object.is(vector.at(at), value) ? list : vector.replace(at, value);
}

/** The list without its last entry. The empty list stays as it is. Copies as little as `append`. */
export function removeLast<T>(list: List<T>): List<T> {
  return list.length === 0 ? list : vectorOf(list).removeLast();
}

const BITS = 5;
/** Entries of a node. 32: a path is short (four levels hold a million entries), and one copied node is small. */
const WIDTH = 1 << BITS;
const MASK = WIDTH - 1;

/** A leaf holds {@link WIDTH} values, a branch at most as many nodes. All leaves are equally deep. */
type Node<T> =
  | { readonly values: readonly T[]; readonly nodes: null }
  | { readonly values: null; readonly nodes: readonly Node<T>[] };

/** The full leaves of a list. `height`: the number of branches above each leaf. */
interface Tree<T> {
  readonly root: Node<T> | null;
  readonly height: number;
}

/**
 * A tree of full leaves, and the last 1 to 32 entries beside it, so that most changes at the end copy only these. The fields are plain
 * ones: tests count the entries that a change copies.
 */
class Vector<T> implements List<T> {
  /** A cache, and no part of the value. */
  #array: readonly T[] | undefined;
  readonly length: number;
  private readonly tree: Tree<T>;
  private readonly tail: readonly T[];

  constructor(length: number, tree: Tree<T>, tail: readonly T[]) {
    this.length = length;
    this.tree = tree;
    this.tail = tail;
  }

  static from<T>(values: Iterable<T>): Vector<T> {
    let tree: Tree<T> = NO_TREE;
    let count = 0;
    let tail: T[] = [];
    for (const value of values) {
      if (tail.length === WIDTH) {
        tree = withLeaf(tree, count, tail);
        count += WIDTH;
        tail = [];
      }
      tail.push(value);
    }
    return tail.length === 0 ? EMPTY : new Vector(count + tail.length, tree, tail);
  }

  at(index: number): T | undefined {
    const at = index < 0 ? this.length + index : index;
    return at >= 0 && at < this.length ? this.chunkAt(at)[at & MASK] : undefined;
  }

  append(value: T): Vector<T> {
    const { length, tree, tail } = this;
    if (tail.length < WIDTH) return new Vector(length + 1, tree, [...tail, value]);
    return new Vector(length + 1, withLeaf(tree, length - WIDTH, tail), [value]);
  }

  replace(index: number, value: T): Vector<T> {
    const { length, tree, tail } = this;
    const inTree = length - tail.length;
    if (index >= inTree) return new Vector(length, tree, withEntry(tail, index - inTree, value));
    const leaf = withEntry(this.chunkAt(index), index & MASK, value);
    const root = put(tree.root ?? undefined, tree.height, index, leaf);
    return new Vector(length, { root, height: tree.height }, tail);
  }

  removeLast(): Vector<T> {
    const { length, tree, tail } = this;
    if (length === 1) return EMPTY;
    if (tail.length > 1) return new Vector(length - 1, tree, tail.slice(0, -1));
    return new Vector(length - 1, withoutLastLeaf(tree), this.chunkAt(length - 2));
  }

  map<U>(change: (value: T, index: number) => U): U[] {
    const changed: U[] = [];
    for (const value of this) changed.push(change(value, changed.length));
    return changed;
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
    for (let start = 0; start < this.length; start += WIDTH) yield* this.chunkAt(start);
    return undefined;
  }

  /** The leaf or the tail that holds this entry. */
  private chunkAt(index: number): readonly T[] {
    if (index >= this.length - this.tail.length) return this.tail;
    let node = this.tree.root;
    for (let level = this.tree.height; node; level--) {
      if (node.values) return node.values;
      node = node.nodes[slotOf(index, level)] ?? null;
    }
    return [];
  }
}

const NO_TREE: Tree<never> = { root: null, height: 0 };
const EMPTY = new Vector<never>(0, NO_TREE, []);

function vectorOf<T>(values: Iterable<T>): Vector<T> {
  return values instanceof Vector ? values : Vector.from(values);
}

/** Which node of a branch leads to this entry. */
function slotOf(index: number, level: number): number {
  return (index >> (BITS * level)) & MASK;
}

function withEntry<T>(entries: readonly T[], index: number, entry: T): readonly T[] {
  const copy = [...entries];
  copy[index] = entry;
  return copy;
}

/** The node, or a new one, with another leaf at `index`. */
function put<T>(node: Node<T> | undefined, level: number, index: number, values: readonly T[]): Node<T> {
  if (level === 0) return { values, nodes: null };
  const slot = slotOf(index, level);
  const nodes = node?.nodes ?? [];
  return { values: null, nodes: withEntry(nodes, slot, put(nodes[slot], level - 1, index, values)) };
}

/** The tree of `count` entries, with one more leaf. A full tree gets a new root. */
function withLeaf<T>({ root, height }: Tree<T>, count: number, values: readonly T[]): Tree<T> {
  if (!root) return { root: put<T>(undefined, 0, 0, values), height: 0 };
  if (count < WIDTH << (BITS * height)) return { root: put(root, height, count, values), height };
  return { root: put({ values: null, nodes: [root] }, height + 1, count, values), height: height + 1 };
}

function withoutLastLeaf<T>({ root, height }: Tree<T>): Tree<T> {
  let rest = root && dropLeaf(root);
  let level = height;
  while (rest?.nodes?.length === 1 && rest.nodes[0]) {
    rest = rest.nodes[0];
    level--;
  }
  return rest ? { root: rest, height: level } : NO_TREE;
}

/** Null: nothing is left of the node. */
function dropLeaf<T>(node: Node<T>): Node<T> | null {
  if (node.values) return null;
  const last = node.nodes.at(-1);
  if (!last) return null;
  const rest = dropLeaf(last);
  const others = node.nodes.slice(0, -1);
  if (rest) return { values: null, nodes: [...others, rest] };
  return others.length === 0 ? null : { values: null, nodes: others };
}
