// biome-ignore-all lint/suspicious/noTemplateCurlyInString: code is quoted as written
/** Why a regular expression may stay that recheck does not call linear, or cannot judge. */
export interface Excuse {
  readonly file: string;
  /** The literal or the call as written, in one line. A changed expression is judged anew. */
  readonly code: string;
  /** What bounds its time. */
  readonly reason: string;
}

const SCRIPTED = "a mock reads an answer that the script of a test wrote, with names from this file";

export const EXCUSES: readonly Excuse[] = [
  {
    file: "src/program/tool-rules.ts",
    code: "new RegExp(`^${pattern}$`)",
    reason: "the user's own pattern, escaped between its stars, for the names of tools",
  },
  {
    file: "src/universal/words/error-description.ts",
    code: 'new RegExp( String.raw`(?:${ESC}\\[|\\x9b)[0-?]*[ -/]*[@-~]|(?:${ESC}[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])[^\\x07\\x9c${ESC}]*(?:\\x07|\\x9c|${ESC}\\\\)|${ESC}[ -/]*[0-~]`, "g", )',
    reason: "the message is cut to 2,000 characters before (10 * MAX_QUOTE)",
  },
  {
    file: "src/codebuff-run/calls/tool-schema.ts",
    code: 'new RegExp(each, "u")',
    reason: "only compiled; the patterns of foreign schemas are dropped before they would run (dropPatterns)",
  },
  {
    file: "src/codebuff-run/tools/search/matching/pattern-class.ts",
    code: 'new RegExp(`:(\\\\^?)(${Object.keys(POSIX).join("|")}):\\\\]`, "y")',
    reason: "a choice of the words of a table, without repetition",
  },
  {
    file: "src/codebuff-run/tools/search/matching/pattern-reader.ts",
    code: 'new RegExp(property, "v")',
    reason: "only compiled, to learn whether there is such a property",
  },
  {
    file: "src/codebuff-run/tools/search/matching/worker.ts",
    code: "new RegExp(source, setup.multiline ? `${flags}g` : flags)",
    reason: "a model's pattern runs in a thread that the time limit of the search ends",
  },
  {
    file: "src/core/gate/rules.ts",
    code: 'new RegExp(tool.source, tool.flags.replace(/[gy]/g, ""))',
    reason: "a rule of the caller's own code, on the name of a tool",
  },
  {
    file: "src/testing/cass/noticed.ts",
    code: "new RegExp(`${name}=[\"']?([^\"'>\\\\s]+)`)",
    reason: SCRIPTED,
  },
  { file: "src/testing/cass/noticed.ts", code: "new RegExp(`${name}=[\"']?([^\"']+)`)", reason: SCRIPTED },
  {
    file: "src/testing/cass/noticed.ts",
    code: 'new RegExp(`${name}=["\']?(true|false)`, "i")',
    reason: SCRIPTED,
  },
  {
    file: "src/testing/cass/noticed.ts",
    code: 'new RegExp(`<${name}((?:\\\\s[^>]*)?)>([\\\\s\\\\S]*?)</${closer}>`, "g")',
    reason: SCRIPTED,
  },
  {
    file: "src/testing/cass/rest.ts",
    code: "new RegExp(`^${pattern}$`)",
    reason: "a route of this file: fixed text with one `[^/]+`",
  },
  {
    file: "src/testing/cass/tags.ts",
    code: "/<mark:milestone(?:\\s[^<>]*)?>[\\s\\S]*?<\\/mark(?::milestone)?>/g",
    reason: SCRIPTED,
  },
  {
    file: "src/testing/cass/tags.ts",
    code: 'new RegExp(`<(${names.join("|")})(?:\\\\s[^<>]*)?(?:/>|>[\\\\s\\\\S]*?</\\\\1>)`, "g")',
    reason: SCRIPTED,
  },
  {
    file: "src/testing/record/client-ids.ts",
    code: "/(?<=Session ID ).{1,1000}?(?= is already in use)/",
    reason: "1,000 characters behind each `Session ID `",
  },
];
