// Everything that must not be in a chapter that is over. Names of promises are those of `relay.md`.
import { checkTranscript } from "agentwire/universal";
import type { RelayInvariant } from "../invariants.ts";
import {
  type ChatRecord,
  type Fault,
  type History,
  type Op,
  printOf,
  type Run,
  type ViewerRecord,
} from "./history.ts";
import { type LoggedTurn, positionsOf, turnsOf } from "./turns.ts";

export interface Violation {
  /** A stable word. */
  readonly kind: string;
  readonly message: string;
}

/** ms behind a fault in which its effects may still show: a takeover, and what waited for it. */
const AFTERMATH = 8_000;

/** How many prefixes of a log are checked as live transcripts. */
const PREFIXES = 30;

export function* judge(history: History): Iterable<Violation> {
  for (const chat of history.chats) {
    yield* judgeLog(chat);
    const turns = turnsOf(chat);
    yield* judgeTurns(chat, turns, history);
    yield* judgeOrder(chat, turns, history);
    yield* judgeRuns(chat, turns, history);
    const viewers = history.viewers.filter((viewer) => viewer.chat === chat.id);
    const prints = new Map(positionsOf(chat).map(([at, event]) => [at, printOf(event)]));
    for (const viewer of viewers) yield* judgeViewer(viewer, prints, history);
    yield* judgeMessages(viewers);
  }
}

/** R1, R3, R8. */
function* judgeLog({ id, batches }: ChatRecord): Iterable<Violation> {
  let [last, epoch] = [0, 0];
  for (const batch of batches) {
    const { first, events } = batch;
    if (first !== last + 1 || events.length !== batch.last - first + 1)
      yield fault("log-hole", `${id}: positions ${first} to ${batch.last} follow ${last}`);
    if (batch.epoch < epoch)
      yield fault("epoch-back", `${id}: position ${first} has epoch ${batch.epoch}, behind ${epoch}`);
    last = batch.last;
    epoch = Math.max(epoch, batch.epoch);
  }
  const events = batches.flatMap((batch) => batch.events);
  const ends = batches.map((batch) => batch.last);
  const step = Math.max(1, Math.floor(ends.length / PREFIXES));
  for (let at = 0; at < ends.length; at += step)
    for (const { index, message } of checkTranscript(events.slice(0, ends[at]), { live: true }).slice(0, 1))
      yield fault("transcript-live", `${id}: position ${index + 1} of ${ends[at]}: ${message}`);
  for (const { index, message } of checkTranscript(events).slice(0, 1))
    yield fault("transcript", `${id}: position ${index + 1}: ${message}`);
}

/** R5, R6, R7, R10, R11, R13. */
function* judgeTurns(chat: ChatRecord, turns: readonly LoggedTurn[], history: History): Iterable<Violation> {
  const { ops } = history;
  const prompts = ops.filter((op) => op.chat === chat.id && op.type === "prompt");
  const known = new Set(prompts.map(({ key }) => key));
  for (const { key, at } of turns)
    if (key === undefined || !known.has(key))
      yield fault("turn-unknown", `${chat.id}: the turn at ${at} is of prompt ${key}, which nobody sent`);
  for (const op of prompts) {
    const own = turns.filter(({ key }) => key === op.key);
    const [turn] = own;
    if (own.length > 1)
      yield fault("twice", `${nameOf(op)} has turns at ${own.map(({ at }) => at).join(", ")}`);
    const isAccepted = acceptedAt(op) !== undefined;
    if (isAccepted && !turn && !isLost(op, history)) yield fault("lost", `${nameOf(op)} has no turn`);
    if (isRefused(op) && turn) yield fault("refused-ran", `${nameOf(op)} was refused, and has a turn`);
    if (turn) yield* judgeEnd(chat, op, turn, history);
  }
}

function* judgeEnd(chat: ChatRecord, op: Op, turn: LoggedTurn, history: History): Iterable<Violation> {
  const { text, fails } = history.expected(op.asks);
  const { status, code } = turn;
  const name = `${nameOf(op)} at ${turn.at}`;
  if (status === undefined) yield fault("not-ended", `${name} has not ended`);
  if (status === "completed") {
    if (fails) yield fault("completed-failing", `${name} completed, and its agent fails`);
    if (turn.text !== text) yield fault("wrong-text", `${name}: ${difference(turn.text, text)}`);
    return;
  }
  if (!text.startsWith(turn.text)) yield fault("wrong-text", `${name}: ${difference(turn.text, text)}`);
  if (status === "failed" && code === undefined) yield fault("no-reason", `${name} failed without a reason`);
  const isPlanned = status === "failed" && fails && code?.startsWith("relay.") === false;
  const isAsked = status === "cancelled" && wasCancelled(turn, history.ops);
  if (status === undefined || isPlanned || isAsked || wasDisturbed(chat, turn, history.faults)) return;
  yield fault("unexplained-end", `${name} ended as ${status} by ${code}, and nothing was the reason`);
}

/** A cancel, or a withdrawal, that somebody sent. */
function wasCancelled(turn: LoggedTurn, ops: readonly Op[]): boolean {
  return ops.some(({ type, target }) => {
    if (type !== "cancel" && type !== "withdraw") return false;
    if (typeof target !== "object") return target !== undefined && target === turn.key;
    return target.session_id === turn.session && target.turn_id === turn.turn;
  });
}

/** Whether a fault that may end turns was near. */
function wasDisturbed({ seenAt }: ChatRecord, { at, end }: LoggedTurn, faults: readonly Fault[]): boolean {
  const from = seenAt.get(at) ?? 0;
  const to = seenAt.get(end ?? at) ?? Number.POSITIVE_INFINITY;
  return faults.some((each) => each.endsTurns && each.from <= to && each.to + AFTERMATH >= from);
}

/** R5: what was accepted before another one was sent runs before it. */
function* judgeOrder(chat: ChatRecord, turns: readonly LoggedTurn[], history: History): Iterable<Violation> {
  const withdrawn = new Set(history.ops.map(({ target }) => target));
  const ops = new Map(history.ops.filter((op) => op.type === "prompt").map((op) => [op.key, op]));
  /** The latest begin of the prompts that ran so far. */
  let latest: Op | undefined;
  for (const { key } of turns) {
    const op = ops.get(key ?? "");
    if (!op || op.chat !== chat.id || withdrawn.has(op.key) || isLost(op, history)) continue;
    const at = acceptedAt(op);
    if (latest && at !== undefined && at < latest.begun)
      yield fault("order", `${nameOf(op)} was accepted before ${nameOf(latest)} was sent, and ran behind it`);
    if (!latest || op.begun > latest.begun) latest = op;
  }
}

/** R5 at the backend: no prompt reaches an agent twice, and none that nobody sent. */
function* judgeRuns(chat: ChatRecord, turns: readonly LoggedTurn[], history: History): Iterable<Violation> {
  const ops = history.ops.filter((op) => op.chat === chat.id && op.type === "prompt");
  const runs = new Map<string, Run[]>();
  for (const run of history.runs)
    if (run.chat === chat.id) runs.set(run.asks, [...(runs.get(run.asks) ?? []), run]);
  for (const [asks, own] of runs) {
    const op = ops.find((each) => each.asks === asks);
    if (!op) yield fault("run-unknown", `${chat.id}: an agent got ${asks}, which nobody sent`);
    else if (own.length > 1 && !own.some(({ at }) => isLosing(at, history.faults)))
      yield fault("ran-twice", `${nameOf(op)} ran on ${own.map(({ server }) => server).join(" and ")}`);
  }
  for (const { key, status, code, at } of turns) {
    const op = ops.find((each) => each.key === key);
    const count = runs.get(op?.asks ?? "")?.length ?? 0;
    if (op && status === "completed" && count === 0)
      yield fault("completed-unrun", `${nameOf(op)} completed at ${at}, and no agent got it`);
    if (op && code === "relay.withdrawn" && count > 0)
      yield fault("withdrawn-ran", `${nameOf(op)} was withdrawn, and an agent got it`);
  }
}

/** R1, R2, R4, R15, R16. */
function* judgeViewer(
  { chat, name, segments }: ViewerRecord,
  prints: ReadonlyMap<number, string>,
  { faults, trims }: History,
): Iterable<Violation> {
  const who = `${chat}: ${name}`;
  for (const [index, { after, seen, end }] of segments.entries()) {
    if (after > 0 && segments[index - 1]?.end !== "snapshot")
      yield fault("begins-late", `${who} began behind ${after} without a snapshot`);
    const gap = seen.find(({ at }, place) => at !== after + place + 1);
    if (gap)
      yield fault("viewer-gap", `${who}: ${gap.at} comes where ${after + seen.indexOf(gap) + 1} should`);
    if (end === "snapshot" && !trims) yield fault("snapshot", `${who}: nothing was trimmed`);
    if (end === "reset") {
      if (!faults.some(({ rollsBack }) => rollsBack))
        yield fault("reset", `${who} was reset behind ${seen.at(-1)?.at}, and the log has lost nothing`);
      continue; // all that it has seen is void
    }
    const other = seen.find(({ at, print }) => prints.get(at) !== print);
    if (other)
      yield fault(
        "not-the-log",
        `${who}: at ${other.at} it saw ${other.print}, the log has ${prints.get(other.at)}`,
      );
    const head = Math.max(0, ...prints.keys());
    const at = seen.at(-1)?.at ?? after;
    if (end === "open" && at < head) yield fault("viewer-behind", `${who} ends at ${at}, the log at ${head}`);
  }
}

function* judgeMessages(viewers: readonly ViewerRecord[]): Iterable<Violation> {
  const shown = viewers.filter(({ messages }) => messages !== undefined);
  const [first, ...others] = shown;
  for (const { chat, name, messages } of others)
    if (first && messages !== first.messages)
      yield fault(
        "viewers-differ",
        `${chat}: ${name} and ${first.name}: ${difference(messages ?? "", first.messages ?? "")}`,
      );
}

function fault(kind: RelayInvariant, message: string): Violation {
  return { kind, message };
}

export function acceptedAt({ answers }: Op): number | undefined {
  return answers.find(({ status }) => status === 202)?.at;
}

/** Each answer refused it, and none is missing. */
function isRefused({ answers, tries }: Op): boolean {
  return answers.length === tries && answers.every(({ status }) => status >= 400 && status < 500);
}

/** The log may have lost it with what it had confirmed. */
function isLost(op: Op, { faults }: History): boolean {
  const at = acceptedAt(op);
  return at !== undefined && isLosing(at, faults);
}

function isLosing(at: number, faults: readonly Fault[]): boolean {
  return faults.some(({ losesWrites, from, to }) => losesWrites && from <= at && at <= to);
}

function nameOf({ chat, key, answers, tries }: Op): string {
  return `${chat}: ${key} (${tries} tries: ${answers.map(({ status }) => status).join(", ") || "no answer"})`;
}

/** Where two texts part. */
function difference(got: string, wanted: string): string {
  let at = 0;
  while (at < got.length && got[at] === wanted[at]) at++;
  const quote = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 60), at + 120));
  return `from character ${at} it is ${quote(got)}, and not ${quote(wanted)}`;
}
