// An immutable list whose changed copies share almost everything.
import { InvalidInputError } from "../../core/errors.ts";

/** The method that Node's `console.log` calls. Needs no import of Node. */
export const INSPECT: unique symbol = /* @__PURE__ */ Symbol.for("nodejs.util.inspect.custom");

/** An immutable list. Changed copies share most entries, so changes of long lists are cheap. */
export interface List<T> extends Iterable<T> {
  readonly length: number;
  /** A negative index counts from the end. */
  at(index: number): T | undefined;
  map<U>(change: (value: T, index: number) => U): U[];
  /** All entries, in an array that is made once. */
  toArray(): readonly T[];
  /** The entries, for `JSON.stringify`. */
  toJSON(): readonly T[];
}

/** The empty list, always the same object. */
export function emptyList<T>(): List<T> {
  return EMPTY;
}

export function listOf<T>(values: Iterable<T>): List<T> {
  return vectorOf(values);
}

/** Appends an entry. Copies at most {@link WIDTH} entries, and in one call of 32 a path of the tree. */
export function append<T>(list: List<T>, value: T): List<T> {
  return vectorOf(list).append(value);
}

/** Appends these entries one by one. */
export function appendAll<T>(list: List<T>, values: Iterable<T>): List<T> {
  let longer = list;
  for (const value of values) longer = append(longer, value);
  return longer;
}

/**
 * Replaces the entry at `index`. Returns the same list if nothing changes. Copies at most {@link WIDTH} entries per
 * level of the tree.
 * @param index negative: from the end
 * @throws InvalidInputError if there is no such entry
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

/** Removes the last entry, if any. Copies as little as `append`. */
export function removeLast<T>(list: List<T>): List<T> {
  return list.length === 0 ? list : vectorOf(list).removeLast();
}

/**
 * The indexes in both lists at which the entries differ, ascending. What two lists share is skipped: for a changed copy,
 * each changed entry costs {@link WIDTH} comparisons per level of the tree.
 */
export function differences<T>(one: List<T>, other: List<T>): readonly number[] {
  return Object.is(one, other) ? [] : vectorOf(one).differences(vectorOf(other));
}

const BITS = 5;
/** Entries per node. With 32, a path is short (four levels hold a million entries) and a node is small. */
const WIDTH = 1 << BITS;
const MASK = WIDTH - 1;

/** A leaf holds {@link WIDTH} values, a branch at most as many nodes. All leaves have the same depth. */
type Node<T> =
  | { readonly values: readonly T[]; readonly nodes: null }
  | { readonly values: null; readonly nodes: readonly Node<T>[] };

/** The full leaves of a list. `height`: branches above each leaf. */
interface Tree<T> {
  readonly root: Node<T> | null;
  readonly height: number;
}

/**
 * A tree of full leaves, and the last 1 to 32 entries beside it: most changes at the end copy only these. Plain fields,
 * because tests count the entries that a change copies.
 */
class Vector<T> implements List<T> {
  /** A cache, not part of the value. */
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

  differences(other: Vector<T>): readonly number[] {
    const found: number[] = [];
    const inTrees = Math.min(this.length - this.tail.length, other.length - other.tail.length);
    const height = Math.min(this.tree.height, other.tree.height);
    compareNodes(lowered(this.tree, height), lowered(other.tree, height), height, 0, inTrees, found);
    const length = Math.min(this.length, other.length);
    // At most one chunk: a tail in one list may be a leaf in the other.
    if (inTrees < length) compare(this.chunkAt(inTrees), other.chunkAt(inTrees), inTrees, length, found);
    return found;
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

  /** The leaf or the tail that contains this entry. */
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

function slotOf(index: number, level: number): number {
  return (index >> (BITS * level)) & MASK;
}

function withEntry<T>(entries: readonly T[], index: number, entry: T): readonly T[] {
  const copy = [...entries];
  copy[index] = entry;
  return copy;
}

/** The node, or a new one, with a replaced leaf at `index`. */
function put<T>(node: Node<T> | undefined, level: number, index: number, values: readonly T[]): Node<T> {
  if (level === 0) return { values, nodes: null };
  const slot = slotOf(index, level);
  const nodes = node?.nodes ?? [];
  return { values: null, nodes: withEntry(nodes, slot, put(nodes[slot], level - 1, index, values)) };
}

/** The first node at this height: it holds all that a tree of this height could. */
function lowered<T>({ root, height }: Tree<T>, to: number): Node<T> | null {
  let node = root;
  for (let level = height; level > to; level--) node = node?.nodes?.[0] ?? null;
  return node;
}

/** Finds the differences from index `start` to `end` (exclusive). `start`: the first index of both nodes. */
function compareNodes<T>(
  one: Node<T> | null | undefined,
  other: Node<T> | null | undefined,
  level: number,
  start: number,
  end: number,
  found: number[],
): void {
  if (start >= end || Object.is(one, other)) return;
  if (one?.values && other?.values) compare(one.values, other.values, start, end, found);
  else
    for (let slot = 0; slot < WIDTH; slot++)
      compareNodes(
        one?.nodes?.[slot],
        other?.nodes?.[slot],
        level - 1,
        start + (slot << (BITS * level)),
        end,
        found,
      );
}

function compare<T>(
  one: readonly T[],
  other: readonly T[],
  start: number,
  end: number,
  found: number[],
): void {
  if (Object.is(one, other)) return;
  const count = Math.min(WIDTH, end - start);
  for (let slot = 0; slot < count; slot++) if (!Object.is(one[slot], other[slot])) found.push(start + slot);
}

/** Adds a leaf to a tree of `count` entries. A full tree gets a new root. */
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

/** Null if the node becomes empty. */
function dropLeaf<T>(node: Node<T>): Node<T> | null {
  if (node.values) return null;
  const last = node.nodes.at(-1);
  if (!last) return null;
  const rest = dropLeaf(last);
  const others = node.nodes.slice(0, -1);
  if (rest) return { values: null, nodes: [...others, rest] };
  return others.length === 0 ? null : { values: null, nodes: others };
}
