// The rows of one part of a message.
import { readable } from "../../screens/tool/readable.ts";
import type {
  ChatPart,
  ChatQuestionPart,
  ChatStatusPart,
  ChatSubagentPart,
} from "../../universal/transcript/message.ts";
import { markdownRows } from "../markdown/markdown-rows.ts";
import {
  clippedRow,
  displayed,
  INDENT,
  inLine,
  marked,
  type Row,
  rowsOf,
  type Span,
  type Surface,
} from "../rows/row.ts";
import { screenWords, type Tone } from "../theme.ts";
import { type Folded, foldedRows, foldedText } from "./folded.ts";
import { stackedRows } from "./gaps.ts";
import { reasoningRows } from "./reasoning-rows.ts";
import { activityRow, subagentHead } from "./subagent-rows.ts";
import { foldedDiff, type PartRows, type ToolRowsOptions, toolRows } from "./tool-rows.ts";

/** Visible rows of structured data, of an error. The rest is folded. */
const EXTRA_ROWS = 12;

export interface PartRowsOptions extends Surface, Pick<ToolRowsOptions, "inputsAbove"> {
  readonly foldsReasoning: boolean;
  /** Whether a sub-agent is its head and its current activity. @default false */
  readonly foldsSubagents?: boolean;
  /** Seconds of a reasoning part, by its id. @default unknown */
  readonly secondsOf?: (id: string) => number | undefined;
  /** Omits calls and questions that wait for the user, because dialogs show them. @default false */
  readonly omitsPending?: boolean;
}

export function isPending(part: ChatPart): boolean {
  return (
    (part.type === "question" && part.status === "requested") ||
    (part.type === "tool" && part.state === "awaiting")
  );
}

export function partRows(part: ChatPart, options: PartRowsOptions): PartRows {
  const { columns, theme, omitsPending = false } = options;
  const words = screenWords(theme);
  const hang: Span = { text: `  ${theme.symbols.bar} `, tone: "dim" };
  if (omitsPending && isPending(part)) return plain([]);
  switch (part.type) {
    case "text":
      return plain(markdownRows(part.text, options));
    case "reasoning": {
      const seconds = options.secondsOf?.(part.id);
      return plain(reasoningRows(part, { columns, theme, folded: options.foldsReasoning, seconds }));
    }
    case "tool":
      return toolRows(part, options);
    case "question":
      return plain(answerRows(part, options));
    case "subagent":
      return subagentRows(part, options);
    case "file": {
      const path = /^data:([^;,]*)/.exec(part.path)?.[1] ?? part.path;
      const head = clippedRow(
        [
          {
            text: `${part.action ? words.fileDone(part.action) : words.fileShows} ${inLine(path)}`,
            tone: "dim",
          },
        ],
        columns,
      );
      if (part.diff === undefined) return plain([head]);
      const { rows, folded } = foldedDiff(words.foldedDiff(inLine(path)), path, part.diff, hang, options);
      return { rows: [head, ...rows], folded };
    }
    case "status": {
      // a label with a dot belongs to one backend
      const text = inLine(part.detail ?? (part.label.includes(".") ? "" : part.label));
      return plain(text === "" ? [] : rowsOf(text, toneOf(part), { columns }));
    }
    case "data":
      if (part.extra)
        return plain([
          clippedRow(
            [{ text: words.dataWith(namesOf(part.json) || words.dataNameless), tone: "dim" }],
            columns,
          ),
        ]);
      return folding(words.foldedData, readable(part.json), { columns, tone: "dim", hang, words });
    case "error":
      return folding(words.foldedError, part.message, {
        columns,
        words,
        tone: "error",
        lead: { text: `${theme.symbols.failed} `, tone: "error" },
        hang: INDENT,
      });
  }
}

function toneOf({ failed, severity }: ChatStatusPart): Tone {
  if (failed || severity === "error") return "error";
  return severity === "warning" ? "warn" : "dim";
}

function subagentRows(part: ChatSubagentPart, options: PartRowsOptions): PartRows {
  const head = clippedRow(subagentHead(part, options.theme), options.columns);
  if (options.foldsSubagents) {
    const folded = [{ title: screenWords(options.theme).foldedAgent(inLine(part.name)), rows: all }];
    return { rows: [head, ...activityRow(part, options)], folded: part.parts.length > 0 ? folded : [] };
  }
  const inner = { ...options, columns: Math.max(1, options.columns - INDENT.text.length) };
  const folded: Folded[] = [];
  const rows = stackedRows(part.parts, (nested) => {
    const made = partRows(nested, inner);
    folded.push(...made.folded);
    return made.rows.map((row): Row => [INDENT, ...row]);
  });
  return { rows: [head, ...rows], folded };

  function all(surface: Surface): readonly Row[] {
    return partRows(part, { ...surface, foldsReasoning: false }).rows;
  }
}

function answerRows({ questions, answers, status }: ChatQuestionPart, surface: Surface): readonly Row[] {
  const { questionWaits, questionUnanswered } = screenWords(surface.theme);
  return questions.flatMap(({ question }, index) => {
    const answer = answers.find(({ question_index }) => question_index === index);
    const given = [...(answer?.selected ?? []), ...(answer?.other_text ? [answer.other_text] : [])];
    const said = given.map(inLine);
    const says =
      status === "requested" ? questionWaits : said.length > 0 ? said.join(", ") : questionUnanswered;
    return [
      ...rowsOf(displayed(question).trimEnd(), "plain", marked(surface, "waiting", "warn")),
      ...rowsOf(says, "dim", { columns: surface.columns, hang: INDENT }),
    ];
  });
}

const MAX_NAMES = 8;

function namesOf(json: unknown): string {
  const names = typeof json === "object" && json !== null && !Array.isArray(json) ? Object.keys(json) : [];
  return inLine(names.slice(0, MAX_NAMES).join(", ").replaceAll("_", " "));
}

function plain(rows: readonly Row[]): PartRows {
  return { rows, folded: [] };
}

function folding(
  title: string,
  text: string,
  options: Pick<Parameters<typeof foldedRows>[1], "columns" | "tone" | "lead" | "hang" | "words">,
): PartRows {
  const { rows, isFolded } = foldedRows(text, { ...options, maxRows: EXTRA_ROWS });
  return { rows, folded: isFolded ? [foldedText(title, text)] : [] };
}
