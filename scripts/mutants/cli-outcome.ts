import { type Mutant, mutantsOf } from "./mutant.ts";

/** Error output, and what the end of a program means. */
export const CLI_OUTCOME: readonly Mutant[] = [
  ...mutantsOf(
    "codebuff-cli/stderr.ts",
    ["codebuff-cli/stderr.test.ts"],
    [
      {
        name: "cli-stderr-escapes",
        breaks: "escape sequences stay",
        find: "this.#redact(stripVTControlCharacters(line))",
        replace: "this.#redact(line)",
      },
      {
        name: "cli-stderr-redact",
        breaks: "credentials stay",
        find: "this.#redact(stripVTControlCharacters(line))",
        replace: "stripVTControlCharacters(line)",
      },
      {
        name: "cli-stderr-head",
        breaks: "the beginning is longer",
        find: "    if (this.#head.length < HEAD)",
        replace: "    if (this.#head.length <= HEAD)",
      },
      {
        name: "cli-stderr-ring",
        breaks: "the end is not in order",
        find: "this.#tail[(first + at) % TAIL]",
        replace: "this.#tail[at]",
      },
      {
        name: "cli-stderr-uncut",
        breaks: "what is left out between them is not told",
        find: "truncated: this.#isCut || first > 0",
        replace: "truncated: this.#isCut",
      },
      {
        name: "cli-stderr-cut",
        breaks: "a line that is cut is not told",
        find: "text.length > LINE) this.#isCut = true",
        replace: "text.length < 0) this.#isCut = true",
      },
      {
        name: "cli-stderr-line",
        breaks: "a line is kept as a whole",
        find: "    const short = text.slice(0, LINE);",
        replace: "    const short = text;",
      },
      {
        name: "cli-stderr-total",
        breaks: "lines are not counted",
        find: "    this.#total++;",
        replace: "    this.#total += 0;",
      },
      {
        name: "cli-stderr-last",
        breaks: "a last line without a newline is lost",
        find: "line === undefined ? [] : [this.#add(line)]",
        replace: "line === undefined ? [] : []",
      },
    ],
  ),
  ...mutantsOf(
    "codebuff-cli/outcome.ts",
    ["codebuff-cli/outcome.test.ts"],
    [
      {
        name: "cli-outcome-ui",
        breaks: "a user interface is a failure like any",
        find: '  if (interactive) return failed("interactive_cli", "the program has opened its user interface");',
        replace: "  void interactive;",
      },
      {
        name: "cli-outcome-overstayed",
        breaks: "a program that was helped to its end has failed",
        find: '  if (overstayed) return { status: "completed", missingFinish: false };',
        replace: "  void overstayed;",
      },
      {
        name: "cli-outcome-code",
        breaks: "a code other than 0 is well",
        find: "  if (exit.code !== 0) return exitFailure(ended);",
        replace: "  if (exit.code === -1) return exitFailure(ended);",
      },
      {
        name: "cli-outcome-report",
        breaks: "a report of failure is believed only with a code",
        find: '  if (report?.status === "failure") return failed(',
        replace: '  if (report?.status === "failure" && exit.code !== 0) return failed(',
      },
      {
        name: "cli-outcome-unreadable",
        breaks: "a report that cannot be read is well",
        find: '  if (report?.status === "unreadable") return failed(',
        replace: '  if (report?.status === "unreadable" && exit.code !== 0) return failed(',
      },
      {
        name: "cli-outcome-garbage",
        breaks: "a run of nothing but garbage is well",
        find: "  if (!hasEvents && hasGarbage)",
        replace: "  if (!hasEvents && hasGarbage && requireFinish)",
      },
      {
        name: "cli-outcome-garbage-all",
        breaks: "a run with any garbage has failed",
        find: "  if (!hasEvents && hasGarbage)",
        replace: "  if ((hasEvents || !hasEvents) && hasGarbage)",
        tests: ["codebuff-cli/client.test.ts"],
      },
      {
        name: "cli-outcome-require",
        breaks: "a finish that is required may be missing",
        find: "  if (requireFinish) return failed(",
        replace: "  if (requireFinish && hasGarbage) return failed(",
      },
      {
        name: "cli-outcome-missing",
        breaks: "that the finish is missing is not told",
        find: '  return { status: "completed", missingFinish: true };',
        replace: '  return { status: "completed", missingFinish: false };',
      },
      {
        name: "cli-outcome-order",
        breaks: "the error output goes before the report",
        find: "of [reported, lastError, printed]",
        replace: "of [printed, lastError, reported]",
      },
      {
        name: "cli-outcome-last-line",
        breaks: "error output without known words is not told",
        find: "[reported, printed, lastError, lastLine(lines)]",
        replace: "[reported, printed, lastError, lines[-1]]",
      },
      {
        name: "cli-outcome-no-words",
        breaks: "words that are none hide others",
        find: '.find((said) => said !== "")',
        replace: ".at(0)",
      },
      {
        name: "cli-outcome-signal",
        breaks: "the signal is not named",
        find: "exit.signal === null ? `with",
        replace: "exit.signal !== undefined ? `with",
      },
      {
        name: "cli-outcome-stack",
        breaks: "an error has a stack trace",
        find: "words: withoutStack(words) }",
        replace: "words }",
      },
    ],
  ),
  ...mutantsOf(
    "codebuff-cli/failures.ts",
    ["codebuff-cli/failures.test.ts"],
    [
      {
        name: "cli-failures-anywhere",
        breaks: "known words count wherever they stand",
        find: '  [/^(?:Agent run error: )?Payment Required/, "payment_required"],',
        replace: '  [/(?:Agent run error: )?Payment Required/, "payment_required"],',
      },
      {
        name: "cli-failures-prefix",
        breaks: "what the program puts before its words hides them",
        find: 'words.trim().replace(/^(?:Error running prompt|Error|error): /, "")',
        replace: "words.trim()",
      },
      {
        name: "cli-failures-trim",
        breaks: "blank lines hide known words",
        find: "words.trim().replace(/^(?:Error",
        replace: "words.replace(/^(?:Error",
      },
      {
        name: "cli-failures-attempts",
        breaks: "being asked to wait counts as a server that failed",
        find: "(?:Failed after \\d+ attempts\\. Last error: )?Too Many Requests/",
        replace: "Too Many Requests/",
      },
      {
        name: "cli-failures-first",
        breaks: "the first words that introduce themselves count",
        find: "  return lines.findLast((line) =>\n",
        replace: "  return lines.find((line) =>\n",
      },
      {
        name: "cli-failures-stack",
        breaks: "a stack trace without a blank line stays",
        find: "/\\n\\s*\\n|\\n\\s+at /",
        replace: "/\\n\\s*\\n/",
      },
      {
        name: "cli-failures-blank",
        breaks: "words behind a blank line are none",
        find: "words.trim().split(",
        replace: "words.split(",
      },
      {
        name: "cli-failures-last-line",
        breaks: "the last line is one of a stack",
        find: "NO_WORDS = /^(?:\\s+at .*|",
        replace: "NO_WORDS = /^(?:",
      },
      {
        name: "cli-failures-free",
        breaks: "a free mode of another name is taken for another profile",
        find: "return isFree ?",
        replace: 'return isFree && words === "" ?',
      },
      {
        name: "cli-failures-e2big",
        breaks: "a prompt that is too long is not named",
        find: '    case "E2BIG":',
        replace: '    case "E2":',
      },
    ],
  ),
];
