import { type Mutant, mutantsOf } from "./mutant.ts";

/** What the program writes: lines, events, reports. */
export const CLI_READING: readonly Mutant[] = [
  ...mutantsOf(
    "codebuff-cli/lines.ts",
    ["codebuff-cli/lines.test.ts"],
    [
      {
        name: "cli-lines-return",
        breaks: "the return at the end of a line stays",
        find: "line.at(-1) === RETURN ? line.subarray(0, -1) : line",
        replace: "line",
      },
      {
        name: "cli-lines-return-within",
        breaks: "the return at the end of a line in the middle of a piece stays",
        find: 'line.endsWith("\\r") ? line.slice(0, -1) : line',
        replace: "line",
      },
      {
        name: "cli-lines-limit-within",
        breaks: "a line in the middle of a piece may be of any length",
        find: "last >= start && last - start <= this.#maxLineBytes",
        replace: "last >= start",
      },
      {
        name: "cli-lines-mark",
        breaks: "a byte-order mark is no JSON",
        find: "isFirst && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text",
        replace: "text",
      },
      {
        name: "cli-lines-mark-anywhere",
        breaks: "a mark is taken out of every line",
        find: "isFirst && text.startsWith",
        replace: "(isFirst || !isFirst) && text.startsWith",
      },
      {
        name: "cli-lines-limit",
        breaks: "a line may be of any length",
        find: "    if (bytes > this.#maxLineBytes) return { skipped: bytes };",
        replace: "",
      },
      {
        name: "cli-lines-limit-off",
        breaks: "a line that is just as long as it may be is skipped",
        find: "    if (bytes > this.#maxLineBytes) return",
        replace: "    if (bytes >= this.#maxLineBytes) return",
      },
      {
        name: "cli-lines-rest",
        breaks: "the rest of a piece is lost",
        find: "    this.#keep(piece.subarray(start));",
        replace: "",
      },
      {
        name: "cli-lines-last",
        breaks: "a last line without a newline is lost",
        find: "this.#bytes === 0 ? undefined : this.#take()",
        replace: "this.#bytes === 0 ? undefined : undefined",
      },
      {
        name: "cli-lines-count",
        breaks: "bytes of the line before count for the next",
        find: "    this.#bytes = 0;",
        replace: "",
      },
    ],
  ),
  ...mutantsOf(
    "codebuff-cli/events.ts",
    ["codebuff-cli/events.test.ts"],
    [
      {
        name: "cli-events-blank",
        breaks: "a blank line is garbage",
        find: '  if (line.trim() === "") return IGNORED;',
        replace: "",
        tests: ["codebuff-cli/events.test.ts", "codebuff-cli/lines.test.ts"],
      },
      {
        name: "cli-events-infinity",
        breaks: "a number that JSON does not have is one",
        find: 'parseFrame(line, "null")',
        replace: "parseFrame(line)",
      },
      {
        name: "cli-events-chunk",
        breaks: "a string is garbage",
        find: '  if (typeof value === "string") return { kind',
        replace: '  if (value === "") return { kind',
      },
      {
        name: "cli-events-untyped",
        breaks: "an object without a type is garbage",
        find: "  if (type === undefined) return IGNORED;",
        replace: "",
      },
      {
        name: "cli-events-type",
        breaks: "a type may be anything",
        find: '  if (typeof type !== "string") return unparsed("an event whose `type` is no text");',
        replace: '  if (typeof type !== "string") return IGNORED;',
      },
      {
        name: "cli-events-known",
        breaks: "a known event with a wrong field is passed on",
        find: "  if (KNOWN.has(type)) return unparsed",
        replace: '  if (type === "x") return unparsed',
      },
      {
        name: "cli-events-finish-strict",
        breaks: "a finish without a cost is garbage",
        find: '  if (type === "finish") return {',
        replace: '  if (type === "finish" && isPrintModeEvent(value)) return {',
      },
      {
        name: "cli-events-cost-negative",
        breaks: "a cost may be negative",
        find: 'typeof totalCost === "number" && totalCost >= 0 &&',
        replace: 'typeof totalCost === "number" &&',
      },
      {
        name: "cli-events-cost-zero",
        breaks: "a cost of 0 is none",
        find: "totalCost >= 0 &&",
        replace: "totalCost > 0 &&",
      },
      {
        name: "cli-events-cost-infinite",
        breaks: "a cost may be without end",
        find: " && Number.isFinite(totalCost);",
        replace: ";",
      },
      {
        name: "cli-events-finish-more",
        breaks: "what else a finish says is lost",
        find: "    ...others,\n    type",
        replace: "    ...(others && {}),\n    type",
      },
    ],
  ),
  ...mutantsOf(
    "codebuff-cli/report.ts",
    ["codebuff-cli/report.test.ts"],
    [
      {
        name: "cli-report-banner",
        breaks: "words before the report make it unreadable",
        find: "parsed(rest) ?? (start < 0 ? undefined : parsed(rest.slice(start)))",
        replace: "parsed(rest)",
      },
      {
        name: "cli-report-success",
        breaks: "a report may be without `success`",
        find: '  if (!isObject(value) || typeof value["success"] !== "boolean") return',
        replace: "  if (!isObject(value)) return",
      },
      {
        name: "cli-report-empty",
        breaks: "no output is an event of no text",
        find: 'typeof text === "string" && text !== ""',
        replace: 'typeof text === "string"',
      },
      {
        name: "cli-report-failure",
        breaks: "a failure counts as success",
        find: "  if (success) return",
        replace: "  if (success || made) return",
      },
      {
        name: "cli-report-words",
        breaks: "a failure has no words",
        find: 'typeof error === "string" ? error : "the run has failed"',
        replace: 'typeof error === "string" ? "the run has failed" : "the run has failed"',
      },
      {
        name: "cli-report-downloads",
        breaks: "what the launcher printed is lost",
        find: "    events.push({ event: line.event, raw: line.raw });",
        replace: "",
      },
      {
        name: "cli-report-cut",
        breaks: "what the launcher printed is read again",
        find: "  return { events, rest: output.slice(start) };",
        replace: "  return { events, rest: output };",
      },
      { name: "cli-report-ids", breaks: "calls have one id", find: "++calls.made", replace: "calls.made" },
      {
        name: "cli-report-pairs",
        breaks: "a result is that of another call",
        find: "++calls.answered",
        replace: "calls.made",
      },
      {
        name: "cli-report-untold",
        breaks: "a result of a call that was not told is taken for that of the next",
        find: "      if (calls.answered === calls.made) calls.made++; // of a call that was not told",
        replace: "",
      },
      {
        name: "cli-report-nested",
        breaks: "of two sub-agents of a type the first ends first",
        find: "open.findLastIndex(",
        replace: "open.findIndex(",
      },
      {
        name: "cli-report-ended",
        breaks: "a sub-agent ends twice",
        find: "at < 0 ? [] : open.splice(at, 1)",
        replace: "at < 0 ? [] : open.slice(at, at + 1)",
      },
    ],
  ),
];
