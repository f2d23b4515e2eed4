// Branches of a transcript: retried answers and edited prompts, hidden or shown.
import type { Dictionary } from "./dictionary.ts";
import { appendAll, type List, listOf, removeLast, replace } from "./list.ts";
import type { ChatMessage } from "./message.ts";

/** Maximum branches in one place. Each branch stores the ids of all, so more branches cost more. */
export const MAX_BRANCHES = 1_000;

/** The shown messages, and the hidden branches. */
export interface Branching {
  readonly messages: List<ChatMessage>;
  /** The hidden branches, by the id of their first message. */
  readonly branches: Dictionary<List<ChatMessage>>;
}

/** Swaps two branches. The ids are those of their first messages. */
export interface Swap {
  readonly hidden: string;
  readonly shown: string;
}

/** The index of a shown message, or -1. Searches from the end: most calls are about recent messages. */
export function indexOf(messages: List<ChatMessage>, id: string): number {
  let at = messages.length - 1;
  while (at >= 0 && messages.at(at)?.id !== id) at--;
  return at;
}

/** Hides the messages from `index` on. The next message replaces them: see {@link joinedBranch}. */
export function cutAt<Of extends Branching>(of: Of, index: number): Of {
  const first = of.messages.at(index);
  if (!first) return of;
  const tail = listOf(of.messages.toArray().slice(index));
  return { ...of, messages: upTo(of.messages, index), branches: of.branches.with(first.id, tail) };
}

export function upTo<T>(list: List<T>, length: number): List<T> {
  let left = list;
  while (left.length > length) left = removeLast(left);
  return left;
}

/** Makes the message at `index` a branch beside the branch that begins with the message `id`. */
export function joinedBranch<Of extends Branching>(of: Of, index: number, id: string): Of {
  const message = of.messages.at(index);
  const before = of.branches.get(id)?.at(0);
  if (!message || !before || message.id === id) return of;
  return grouped(of, [...(before.branches?.ids ?? [id]), message.id]);
}

/** Removes the messages from `index` on, and shows the branch that begins with the message `id` again. */
export function restored<Of extends Branching>(of: Of, index: number, id: string): Of {
  const branch = of.branches.get(id);
  if (!branch) return of;
  const gone = of.messages.at(index)?.id;
  const messages = appendAll(upTo(of.messages, index), branch);
  const ids = branch.at(0)?.branches?.ids ?? [];
  const shown = { ...of, messages, branches: of.branches.without(id) };
  return gone !== undefined && ids.includes(gone)
    ? grouped(
        shown,
        ids.filter((each) => each !== gone),
      )
    : shown;
}

/** Marks these messages as branches of each other. */
function grouped<Of extends Branching>(of: Of, ids: readonly string[]): Of {
  let { messages, branches } = of;
  for (const [at, id] of ids.entries()) {
    const told = (message: ChatMessage): ChatMessage => {
      const { branches: _, ...alone } = message;
      return ids.length === 1 ? alone : { ...alone, branches: { at: at + 1, of: ids.length, ids } };
    };
    const hidden = branches.get(id);
    const first = hidden?.at(0);
    const index = hidden ? -1 : indexOf(messages, id);
    const shown = messages.at(index);
    if (hidden && first) branches = branches.with(id, replace(hidden, 0, told(first)));
    else if (index >= 0 && shown) messages = replace(messages, index, told(shown));
  }
  return { ...of, messages, branches };
}

/** The index of the prompt that the message at `index` answers; `index` for a prompt; -1 if there is none. */
export function promptIndex({ messages, branches }: Branching, index: number): number {
  const message = messages.at(index);
  if (index < 0 || !message || message.role === "user") return index;
  // A retried answer has another turn than its prompt. The first answer beside it has the prompt's turn.
  const ids = message.branches?.ids ?? [];
  const turns = new Set([message.turnId, ...ids.map((id) => branches.get(id)?.at(0)?.turnId)]);
  turns.delete(undefined);
  if (turns.size === 0) return -1;
  // An unsent prompt, which has no turn, may be between a prompt and its answer.
  let at = index;
  while (--at >= 0) {
    const { role, turnId } = messages.at(at) ?? {};
    if (role === "user" && turnId !== undefined && turns.has(turnId)) return at;
  }
  return -1;
}

/** The swaps that show a message, outermost first. Undefined if there is no such message. */
export function swapsTo(of: Branching, id: string): readonly Swap[] | undefined {
  const swaps: Swap[] = [];
  let sought = id;
  // Each step goes one branch further out. Even a malformed chat has no more steps than branches.
  for (let left = of.branches.size; left >= 0; left--) {
    if (indexOf(of.messages, sought) >= 0) return swaps;
    const branch = of.branches.get(sought) ?? branchWith(of, sought);
    const first = branch?.at(0);
    if (!first) return undefined;
    const sibling = siblingOf(of, first);
    if (sibling === undefined) return undefined;
    swaps.unshift({ hidden: sibling, shown: first.id });
    sought = sibling;
  }
  return undefined;
}

export function swapped<Of extends Branching>(of: Of, { hidden, shown }: Swap): Of {
  const branch = of.branches.get(shown);
  const at = indexOf(of.messages, hidden);
  if (!branch || at < 0) return of;
  const cut = cutAt(of, at);
  return { ...cut, messages: appendAll(cut.messages, branch), branches: cut.branches.without(shown) };
}

function branchWith({ branches }: Branching, id: string): List<ChatMessage> | undefined {
  for (const branch of branches) if (indexOf(branch, id) >= 0) return branch;
  return undefined;
}

/** The id of a branch beside this one that is shown, or is inside a hidden branch. */
function siblingOf(of: Branching, { id, branches }: ChatMessage): string | undefined {
  const ids = branches?.ids ?? [];
  return (
    ids.find((sibling) => sibling !== id && indexOf(of.messages, sibling) >= 0) ??
    ids.find((sibling) => sibling !== id && !of.branches.get(sibling) && branchWith(of, sibling))
  );
}
