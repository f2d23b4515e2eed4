// What a chapter of the relay tells: numbers, and the part of its history that belongs to a violation.
import { type Counts, NOTHING } from "../counts.ts";
import type { RelayReport } from "./chapter.ts";
import type { Violation } from "./judge.ts";
import { positionsOf, turnsOf } from "./turns.ts";

/** Events that are shown before and behind a place of the log, and lines of each kind. */
const AROUND = 12;
const LINES = 60;

export function countsOf({ history, links, cuts }: RelayReport): Counts {
  const turns = history.chats.flatMap(turnsOf);
  const count = (status: string): number => turns.filter((turn) => turn.status === status).length;
  const decisions = history.ops.filter(({ type }) => type === "decide" || type === "answer").length;
  const segments = history.viewers.flatMap((viewer) => viewer.segments);
  return {
    ...NOTHING,
    chapters: 1,
    turns: turns.length,
    completed: count("completed"),
    cancelled: count("cancelled"),
    failed: count("failed"),
    codes: tally(turns.flatMap(({ status, code }) => (status === "failed" ? [code ?? "none"] : []))),
    cuts,
    links,
    restarts: history.faults.filter(({ kind }) => kind === "kill" || kind === "close").length,
    decisions,
    faults: tally([
      ...history.faults.map(({ kind }) => kind),
      ...segments.flatMap(({ end }) => (end === "reset" || end === "snapshot" ? [`viewer-${end}`] : [])),
    ]),
  };
}

function tally(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** The lines of the history that a violation is about. */
export function evidence({ message }: Violation, { history, notes }: RelayReport): readonly string[] {
  const [, id = "", key = ""] = /^(\w+): (\S+)/.exec(message) ?? [];
  const chat = history.chats.find((each) => each.id === id);
  const ms = (at: number): string => `${Math.round(at)} ms`;
  const op = history.ops.find((each) => each.chat === id && each.key === key);
  const ops = history.ops.filter((each) => each === op || each.target === key);
  const at = chat && turnsOf(chat).find((turn) => turn.key === key)?.at;
  const named = /\b(?:at|position|positions) (\d+)/.exec(message)?.[1];
  const place = at ?? (named === undefined ? undefined : Number(named));
  const events = chat ? positionsOf(chat) : [];
  const epoch = (position: number) => chat?.batches.find(({ last }) => last >= position)?.epoch;
  return [
    ...history.faults.map(({ kind, from, to }) => `${ms(from)} to ${ms(to)}: ${kind}`).slice(-LINES),
    ...ops.map(({ type, key, asks, begun, answers, tries }) => {
      const answered = answers.map(({ at, status }) => `${status} at ${ms(at)}`).join(", ");
      return `${type} ${key} (${asks}): begun ${ms(begun)}, ${tries} tries; ${answered || "no answer"}`;
    }),
    ...history.runs
      .filter(({ asks }) => asks === op?.asks)
      .map((run) => `${ms(run.at)}: an agent of ${run.server} got it`),
    ...events
      .filter(([position]) => place !== undefined && Math.abs(position - place) <= AROUND)
      .map(([position, event]) => {
        const seen = ms(chat?.seenAt.get(position) ?? 0);
        return `log ${position}, epoch ${epoch(position)}, seen ${seen}: ${JSON.stringify(event).slice(0, 300)}`;
      }),
    ...noted(notes).slice(-LINES),
  ];
}

/** What the servers have logged, each once in a row. */
function noted(notes: string): readonly string[] {
  const words = notes
    .trimEnd()
    .split("\n")
    .map((line) => /^(\d+) (\S+) (.*)$/.exec(line) ?? []);
  const last = new Map<string, string>();
  return words.flatMap(([line, , server = "", message = ""]) => {
    if (line === undefined || last.get(server) === message) return [];
    last.set(server, message);
    return [line];
  });
}
