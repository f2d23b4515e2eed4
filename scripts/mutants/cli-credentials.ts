import { type Mutant, mutantsOf } from "./mutant.ts";

/** Where a key comes from, what a program can do, and what it has kept. */
export const CLI_CREDENTIALS: readonly Mutant[] = [
  ...mutantsOf(
    "codebuff-cli/probe.ts",
    ["codebuff-cli/probe.test.ts"],
    [
      {
        name: "cli-probe-prefix",
        breaks: "a flag that begins like another is that",
        find: '(?![\\\\w-])`, "m")',
        replace: '`, "m")',
      },
      {
        name: "cli-probe-order",
        breaks: "one object is taken before lines",
        find: '    : has("--print")\n      ? "print"',
        replace: '    : has("--print") && !has("--json")\n      ? "print"',
      },
      {
        name: "cli-probe-trim",
        breaks: "a version ends with a newline",
        find: 'return lines.join("\\n").trim();',
        replace: 'return lines.join("\\n");',
      },
      {
        name: "cli-probe-late",
        breaks: "an answer that did not come in time is kept for good",
        find: "      inTime = false;",
        replace: "",
        tests: ["codebuff-cli/probe.test.ts"],
      },
      {
        name: "cli-probe-events",
        breaks: "what a launcher tells is taken for the version",
        find: '.filter((line) => !line.startsWith("{"))',
        replace: "",
        tests: ["codebuff-cli/probe.test.ts"],
      },
      {
        name: "cli-probe-clean",
        breaks: "a failure shows the user's folder",
        find: "answer.reject(notStarted(command, cause, clean, found));",
        replace: "answer.reject(notStarted(command, cause, (words) => words, found));",
      },
      {
        name: "cli-probe-ui",
        breaks: "a user interface is left running",
        find: "          if (bytes === 0 && piece[0] === ESCAPE) asked.kill(); // it has opened its user interface",
        replace: "",
      },
      {
        name: "cli-probe-code",
        breaks: "what a program says that failed is believed",
        find: 'code === 0 ? Buffer.concat(pieces).toString("utf8") : undefined',
        replace: 'code === 1 || code === 0 ? Buffer.concat(pieces).toString("utf8") : undefined',
      },
      {
        name: "cli-probe-limit",
        breaks: "a program that does not answer is waited for",
        find: "      inTime = false;\n      kill();",
        replace: "      inTime = false;\n",
      },
      {
        name: "cli-probe-timer",
        breaks: "a timer stays behind each question",
        find: "      cancel();\n      signal",
        replace: "\n      signal",
      },
      {
        name: "cli-probe-aborted",
        breaks: "a client that is closed leaves the probe",
        find: '    signal.addEventListener("abort", kill, { once: true });',
        replace: "",
      },
    ],
  ),
  ...mutantsOf(
    "codebuff-cli/chats.ts",
    ["codebuff-cli/chats.test.ts"],
    [
      {
        name: "cli-chats-files",
        breaks: "files are chats",
        find: "entry.isDirectory() ? [entry.name] : []",
        replace: "[entry.name]",
      },
      {
        name: "cli-chats-order",
        breaks: "the oldest chat is the first",
        find: "    .reverse()\n",
        replace: "\n",
      },
      {
        name: "cli-chats-homeless",
        breaks: "a user without a home has no list",
        find: "  if (homeDir === undefined) return [];",
        replace: '  if (homeDir === undefined) throw new Error("no home");',
        tests: ["codebuff-cli/poor-system.test.ts"],
      },
    ],
  ),
  ...mutantsOf(
    "codebuff-cli/credentials.ts",
    ["codebuff-cli/credentials.test.ts"],
    [
      {
        name: "cli-credentials-order",
        breaks: "the environment goes before the option",
        find: '    { place: "option apiKey" as const, path: undefined, held: heldText(apiKey) },\n',
        replace: "\n",
      },
      {
        name: "cli-credentials-cli-order",
        breaks: "the program's own order is not kept",
        find: '    ...(credentialOrder === "cli" ? [own] : []),',
        replace: "",
      },
      {
        name: "cli-credentials-field",
        breaks: "the last field counts",
        find: "  for (const field of FIELDS) {",
        replace: "  for (const field of [...FIELDS].reverse()) {",
      },
      {
        name: "cli-credentials-empty",
        breaks: "an empty key is one",
        find: '  return isArgument(value) && value !== "";',
        replace: "  return isArgument(value);",
      },
      {
        name: "cli-credentials-nul",
        breaks: "a key may have a NUL",
        find: '  return isArgument(value) && value !== "";',
        replace: '  return typeof value === "string" && value !== "" && isArgument("");',
      },
      {
        name: "cli-credentials-size",
        breaks: "a file of any size is read",
        find: '    if (stat.size > MAX_FILE_BYTES) return { status: "too-large" };',
        replace: "",
      },
      {
        name: "cli-credentials-mark",
        breaks: "a byte-order mark makes a file unreadable",
        find: 'JSON.parse(text.replace(/^\\ufeff/, ""))',
        replace: "JSON.parse(text)",
      },
      {
        name: "cli-credentials-exposed",
        breaks: "a file that others can read is not told",
        find: "(stat.mode & 0o077) !== 0",
        replace: "(stat.mode & 0o077) === 0o777",
      },
      {
        name: "cli-credentials-conflict",
        breaks: "another key of the program's own is not told",
        find: '    own?.status === "other"\n',
        replace: '    own?.status === "same"\n',
      },
      {
        name: "cli-credentials-same",
        breaks: "the same key is another one",
        find: 'held.key === used ? "same" : "other"',
        replace: 'held.key === used ? "other" : "other"',
      },
      {
        name: "cli-credentials-inspect",
        breaks: "a key is shown by who prints it",
        find: "{ value: () => this.toString() }",
        replace: "{ value: () => this.#apiKey }",
      },
      {
        name: "cli-credentials-string",
        breaks: "a key is shown in a text",
        find: "    return `[API key from",
        replace: "    return this.#apiKey + `[API key from",
      },
      {
        name: "cli-credentials-json",
        breaks: "a key is shown in JSON",
        find: 'apiKey: "[redacted]" }',
        replace: "apiKey: this.#apiKey }",
      },
      {
        name: "cli-credentials-missing",
        breaks: "a file that is not there cannot be read",
        find: 'isMissing ? "missing" : "unreadable"',
        replace: 'isMissing ? "unreadable" : "unreadable"',
      },
      {
        name: "cli-credentials-seen",
        breaks: "keys that were not taken are shown",
        find: '"key" in held ? [held.key] : []',
        replace: '"key" in held && held.key === used ? [held.key] : []',
        tests: ["codebuff-cli/keys.test.ts"],
      },
      {
        name: "cli-credentials-profile",
        breaks: "the program's own key is looked for elsewhere",
        find: 'isObject(profile) ? profile["authToken"] : undefined',
        replace: 'isObject(profile) ? profile["token"] : undefined',
      },
    ],
  ),
];
