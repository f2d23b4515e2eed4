// The agent's plan, as a list that ticks.
import type { PlanEntry } from "../../universal/transcript/transcript.ts";
import { clippedRow, inLine, type Row, type Surface } from "../rows/row.ts";
import { type Symbols, screenWords, type Tone } from "../theme.ts";

/** Visible steps of a plan. Steps that are done are omitted first. */
const MAX_STEPS = 12;

/** A head with the number of done steps, and one row for each step. */
export function planRows(plan: readonly PlanEntry[], { columns, theme }: Surface): readonly Row[] {
  const words = screenWords(theme);
  const done = plan.filter(({ status }) => status === "completed").length;
  const first = firstShown(plan);
  const shown = plan.slice(first, first + MAX_STEPS);
  const after = plan.length - first - shown.length;
  const rows: readonly Row[] = [
    [
      { text: words.planTitle, tone: "strong" },
      { text: ` ${words.planDone(done, plan.length)}`, tone: "dim" },
    ],
    ...(first > 0 ? [moreRow(words.planBefore(first))] : []),
    ...shown.map((entry): Row => {
      const [symbol, tone] = LOOKS[entry.status];
      const text: Tone =
        entry.status === "in_progress" ? "strong" : entry.status === "completed" ? "dim" : "plain";
      return [
        { text: `  ${theme.symbols[symbol]} `, tone },
        { text: inLine(entry.content), tone: text },
      ];
    }),
    ...(after > 0 ? [moreRow(words.planAfter(after))] : []),
  ];
  return rows.map((row) => clippedRow(row, columns));
}

const LOOKS: Readonly<Record<PlanEntry["status"], readonly [keyof Symbols, Tone]>> = {
  pending: ["unchosen", "dim"],
  in_progress: ["running", "accent"],
  completed: ["done", "ok"],
};

/** The first visible step: one before the first that is not done, if the plan is long. */
function firstShown(plan: readonly PlanEntry[]): number {
  if (plan.length <= MAX_STEPS) return 0;
  const next = plan.findIndex(({ status }) => status !== "completed");
  const last = plan.length - MAX_STEPS;
  return next < 0 ? last : Math.max(0, Math.min(last, next - 1));
}

function moreRow(says: string): Row {
  return [{ text: `  ... ${says}`, tone: "dim" }];
}

/** Whether two plans have the same steps in the same states. */
export function isSamePlan(plan: readonly PlanEntry[], other: readonly PlanEntry[]): boolean {
  return (
    plan.length === other.length &&
    plan.every(({ content, status }, at) => other[at]?.content === content && other[at]?.status === status)
  );
}
