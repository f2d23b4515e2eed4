// Branches of a transcript: other answers and edited prompts, hidden and shown.
import type { Dictionary } from "./dictionary.ts";
import { appendAll, type List, listOf, removeLast, replace } from "./list.ts";
import type { ChatMessage } from "./message.ts";

/** Branches in one place, at most: each knows all of them, so the cost of the next one grows with their number. Nobody asks a thousand times. */
export const MAX_BRANCHES = 1_000;

/** The messages that are shown, and beside them the other branches. */
export interface Branching {
  readonly messages: List<ChatMessage>;
  /** The branches that are not shown, by the id of their first message. */
  readonly branches: Dictionary<List<ChatMessage>>;
}

/** One change of what is shown: the ids of the first messages of both branches. */
export interface Swap {
  readonly hidden: string;
  readonly shown: string;
}

/** The index of a message, searched from the end: calls are about recent messages. -1: the message is not shown. */
export function indexOf(messages: List<ChatMessage>, id: string): number {
  let at = messages.length - 1;
  while (at >= 0 && messages.at(at)?.id !== id) at--;
  return at;
}

/** Hides the messages from `index` on. The next message takes their place: see {@link joined}. */
export function cutAt<Of extends Branching>(of: Of, index: number): Of {
  const first = of.messages.at(index);
  if (!first) return of;
  const tail = listOf(of.messages.toArray().slice(index));
  return { ...of, messages: upTo(of.messages, index), branches: of.branches.with(first.id, tail) };
}

/** The first messages of a list. */
export function upTo<T>(list: List<T>, length: number): List<T> {
  let left = list;
  while (left.length > length) left = removeLast(left);
  return left;
}

/** The message at `index` is a branch beside the one that begins with the message `id`. */
export function joined<Of extends Branching>(of: Of, index: number, id: string): Of {
  const message = of.messages.at(index);
  const before = of.branches.get(id)?.at(0);
  if (!message || !before || message.id === id) return of;
  return grouped(of, [...(before.branches?.ids ?? [id]), message.id]);
}

/** Takes the message at `index` and all behind it away, and shows the branch that begins with the message `id` again. */
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

/** Tells these messages that they are branches of each other. */
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

/** The index of the prompt that the message at `index` answers; of the message itself, if the user has written it. -1: of none. */
export function promptIndex({ messages, branches }: Branching, index: number): number {
  const message = messages.at(index);
  if (index < 0 || !message || message.role === "user") return index;
  // An answer that was asked for anew is of another turn than its prompt. The first answer beside it is of the prompt's turn.
  const ids = message.branches?.ids ?? [];
  const turns = new Set([message.turnId, ...ids.map((id) => branches.get(id)?.at(0)?.turnId)]);
  turns.delete(undefined);
  if (turns.size === 0) return -1;
  // A prompt that was not sent can stand between a prompt and its answer. It has no turn.
  let at = index;
  while (--at >= 0) {
    const { role, turnId } = messages.at(at) ?? {};
    if (role === "user" && turnId !== undefined && turns.has(turnId)) return at;
  }
  return -1;
}

/** What has to change so that a message is shown, outermost first. Undefined: there is no such message. */
export function swapsTo(of: Branching, id: string): readonly Swap[] | undefined {
  const swaps: Swap[] = [];
  let sought = id;
  // Each step goes one branch further out. There are no more steps than branches, whatever a saved chat says.
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

/** Shows the other branch. */
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

/** The id of the branch beside this one that is shown, or is inside of a branch that is not shown. */
function siblingOf(of: Branching, { id, branches }: ChatMessage): string | undefined {
  const ids = branches?.ids ?? [];
  return (
    ids.find((sibling) => sibling !== id && indexOf(of.messages, sibling) >= 0) ??
    ids.find((sibling) => sibling !== id && !of.branches.get(sibling) && branchWith(of, sibling))
  );
}
