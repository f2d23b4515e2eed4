// A folded sub-agent: its head, and what it does now.
import type { TerminalWords } from "../../screens/words-terminal.ts";
import type { ChatPart, ChatSubagentPart } from "../../universal/transcript/message.ts";
import { clippedRow, displayed, endOf, inLine, type Row, type Surface } from "../rows/row.ts";
import { screenWords, type Theme } from "../theme.ts";
import { withoutPrivate } from "./reasoning-rows.ts";
import { callWords } from "./tool-rows.ts";

export function subagentHead({ name, agentType, state, parts }: ChatSubagentPart, theme: Theme): Row {
  const { symbols } = theme;
  const words = screenWords(theme);
  const [symbol, tone, says] =
    state === "running"
      ? ([symbols.running, "accent", words.agentWorks] as const)
      : state === "done"
        ? ([symbols.done, "ok", words.agentDone] as const)
        : ([symbols.failed, "error", words.agentFailed] as const);
  const steps = parts.length === 0 ? "" : ` (${words.agentSteps(parts.length)})`;
  return [
    { text: `${symbol} `, tone },
    { text: inLine(name) || inLine(agentType) || words.agentNameless, tone: "strong" },
    { text: ` ${says}${steps}`, tone: "dim" },
  ];
}

/** Characters at the end of a text in which the last line is searched. */
const MAX_LAST_LINE = 1_000;

/** One row: what a running sub-agent does, or the last words of a failed one. */
export function activityRow({ parts, state }: ChatSubagentPart, { columns, theme }: Surface): readonly Row[] {
  const last = parts.at(-1);
  const says = last && state !== "done" ? activityOf(last, screenWords(theme)) : "";
  if (says === "") return [];
  const front = `  ${theme.symbols.bar} `;
  const text = endOf(says, Math.max(1, columns - front.length));
  return [
    clippedRow(
      [
        { text: front, tone: "dim" },
        { text, tone: state === "failed" ? "error" : "dim" },
      ],
      columns,
    ),
  ];
}

function activityOf(part: ChatPart, words: TerminalWords): string {
  switch (part.type) {
    case "text":
      return lastLine(part.text);
    case "reasoning":
      return lastLine(withoutPrivate(part).text) || words.thinking(undefined);
    case "tool":
      return callWords(part, words);
    case "question":
      return inLine(part.questions[0]?.question ?? "");
    case "subagent": {
      const last = part.parts.at(-1);
      const name = inLine(part.name) || inLine(part.agentType);
      return last && part.state === "running" ? `${name}: ${activityOf(last, words)}` : name;
    }
    case "file":
      return inLine(
        `${part.action ? words.fileDone(part.action) : words.fileShows} ${part.path.slice(0, MAX_LAST_LINE)}`,
      );
    case "status":
      return inLine(part.detail ?? part.label);
    case "data":
      return "";
    case "error":
      return lastLine(part.message);
  }
}

function lastLine(text: string): string {
  return inLine(displayed(text.slice(-MAX_LAST_LINE)).trimEnd().split("\n").at(-1) ?? "");
}
