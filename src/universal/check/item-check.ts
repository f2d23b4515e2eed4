// Checks the items of one session.
import type { ContentPart, ItemDeltaData, UniversalItem } from "../events.ts";
import { type Open, type Place, quoted, type Report, type Scope } from "./open.ts";

interface OpenItem extends Open {
  readonly kind: UniversalItem["kind"];
  readonly role: UniversalItem["role"];
  readonly parent: string | null;
  readonly scope: Scope;
  readonly inTurn: boolean;
  /** Whether the start named a call that has no item. */
  readonly isOrphan: boolean;
  /** The joined deltas. Empty if they are compared with nothing. */
  text: string;
}

/** Checks the items of one session: I5, I6, I7, I10, I11, and items outside of turns. Of a finished item, only ids are kept. */
export class ItemCheck {
  readonly #open = new Map<string, OpenItem>();
  readonly #started = new Set<string>();
  readonly #calls = new Set<string>();
  /** The item that the last event started outside of a turn. */
  #loose: { readonly id: string; readonly item: OpenItem } | undefined;

  /** Called before each event. `completed` is the id of the item that the event completes, if it completes one. */
  next(completed: string | undefined, report: Report): void {
    const loose = this.#loose;
    this.#loose = undefined;
    if (loose !== undefined && loose.id !== completed)
      reportLoose(loose.item, report, "started outside of a turn: the next event must complete it");
  }

  /** @param outside the scope of items that start while `turn` is undefined */
  start(item: UniversalItem, place: Place, report: Report, turn: Scope | undefined, outside: Scope): void {
    const { item_id: id, kind, role, parent_id: parent } = item;
    const name = `item ${quoted(id)}`;
    if (this.#started.has(id)) {
      report("I5", `The ${name} has started before.`);
      return;
    }
    if (parent !== null && !this.#started.has(parent)) reportParent(parent, report);
    const isOrphan = this.#isOrphan(item);
    if (isOrphan) reportOrphan(report);
    this.#started.add(id);
    const invariant = turn ? "I8" : "I5";
    const scope = turn ?? outside;
    const inTurn = turn !== undefined;
    const opened = { name, invariant, place, kind, role, parent, scope, inTurn, isOrphan } as const;
    const open: OpenItem = { ...opened, reported: false, text: "" };
    this.#open.set(id, open);
    scope.add(open);
    if (inTurn) return;
    if (mayBeLoose(item)) this.#loose = { id, item: open };
    else reportLoose(open, report, "started outside of a turn");
  }

  delta({ item_id: id, delta }: ItemDeltaData, report: Report): void {
    const open = this.#open.get(id);
    if (!open)
      report(
        "I6",
        `A delta for the item ${quoted(id)}, which ${this.#started.has(id) ? "is completed" : "has not started"}.`,
      );
    else if (isCompared(open)) open.text += delta;
  }

  complete(item: UniversalItem, report: Report): void {
    const { item_id: id, parent_id: parent } = item;
    const open = this.#open.get(id);
    const isOrphan = this.#isOrphan(item);
    if (isOrphan && !open?.isOrphan) reportOrphan(report);
    if (!open) {
      const problem = this.#started.has(id) ? "has been completed before" : "has not started";
      report("I5", `The item ${quoted(id)} ${problem}.`);
      this.#started.add(id);
      return;
    }
    this.#open.delete(id);
    open.scope.delete(open);
    const isKnown = parent === null || (parent !== id && this.#started.has(parent));
    if (!isKnown && parent !== open.parent) reportParent(parent, report);
    if (item.kind !== open.kind || item.role !== open.role)
      report("shape", `The ${open.name} has another kind or role than at its start.`);
    else if (isCompared(open) && textOf(item.content) !== open.text)
      report("I7", `The joined deltas of the ${open.name} differ from its text.`);
    if (!open.inTurn && item.kind === "message" && !isLateAudio(item))
      reportLoose(open, report, "is a message outside of a turn");
  }

  /** Whether a result belongs to no call. Remembers the calls. */
  #isOrphan({ kind, content }: UniversalItem): boolean {
    const [part] = content;
    if (kind === "tool_call" && part?.type === "tool_call") this.#calls.add(part.call_id);
    return kind === "tool_result" && part?.type === "tool_result" && !this.#calls.has(part.call_id);
  }
}

/** Items that may stand between turns. A message may be late audio: its end shows that. */
function mayBeLoose({ kind, role }: UniversalItem): boolean {
  return (
    kind === "status" || kind === "system" || kind === "unknown" || (kind === "message" && role !== "user")
  );
}

const isLateAudio = ({ content }: UniversalItem): boolean =>
  content.length > 0 && content.every((part) => part.type === "file_ref");

function isCompared({ kind, role }: OpenItem): boolean {
  return kind === "message" && role !== "user";
}

function textOf(content: readonly ContentPart[]): string {
  let text = "";
  for (const part of content) if (part.type === "text" || part.type === "reasoning") text += part.text;
  return text;
}

function reportLoose(open: OpenItem, report: Report, problem: string): void {
  if (!open.reported) report("grammar", `The ${open.name} ${problem}.`);
  open.reported = true;
}

function reportParent(parent: string, report: Report): void {
  report("I10", `The parent ${quoted(parent)} is no item that has started before.`);
}

function reportOrphan(report: Report): void {
  report("I11", "The tool result belongs to no tool call before it.");
}
