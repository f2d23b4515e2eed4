import { type Mutant, mutantsOf } from "./mutant.ts";

/** What the core has for programs: turns that hold up what they come from, and events of Codebuff's agents. */
export const CLI_CORE: readonly Mutant[] = [
  ...mutantsOf(
    "core/live-turn.ts",
    ["core/live-turn-flow.test.ts", "core/live-turn-stop.test.ts"],
    [
      {
        name: "flow-unread",
        breaks: "a turn that nobody reads is held up",
        find: "this.open && this.#consumer && isHigh",
        replace: "this.open && isHigh",
      },
      {
        name: "flow-late-reader",
        breaks: "a reader who begins late overflows",
        find: "    this.#checkFlow(); // one that begins late may find more than it can keep up with",
        replace: "",
      },
      {
        name: "flow-bytes",
        breaks: "a few large events are no reason to hold up anything",
        find: "size >= flow.high || bytes > maxBufferedBytes / 2",
        replace: "size >= flow.high",
      },
      {
        name: "flow-bytes-goes-on",
        breaks: "what was held up goes on before its bytes were read",
        find: " && bytes <= maxBufferedBytes / 4) {",
        replace: ") {",
      },
      {
        name: "flow-high",
        breaks: "one event more than asked for may wait",
        find: "size >= flow.high ||",
        replace: "size > flow.high ||",
      },
      {
        name: "flow-low",
        breaks: "what was held up goes on only when all was read",
        find: "size <= flow.high / 2",
        replace: "size <= 0",
      },
      {
        name: "flow-goes-on",
        breaks: "what was held up never goes on",
        find: "    this.#setup.flow?.resume();",
        replace: "",
      },
      {
        name: "flow-hold",
        breaks: "silence counts while the reader is slow",
        find: "      this.#released = this.hold();",
        replace: "      this.#released = () => {};",
      },
      {
        name: "flow-released",
        breaks: "silence does not count any more once the reader goes on",
        find: "    released();",
        replace: "",
      },
      {
        name: "flow-ended",
        breaks: "a turn that ends leaves what it was held up by",
        find: "    this.#unpause(); // what it was paused for comes to its end",
        replace: "",
      },
      {
        name: "insist",
        breaks: "a second cancel says nothing",
        find: '    if (this.#status === "cancelling") this.#setup.insist();',
        replace: "",
        tests: ["codebuff-cli/stopping.test.ts"],
      },
      {
        name: "insist-always",
        breaks: "the first cancel is as firm as the second",
        find: '    if (this.#status === "cancelling") this.#setup.insist();',
        replace: "    this.#setup.insist();",
        tests: ["codebuff-cli/stopping.test.ts"],
      },
    ],
  ),
  ...mutantsOf(
    "core/voice.ts",
    ["codebuff-cli/stream.test.ts"],
    [
      {
        name: "voice-debug-off",
        breaks: "debug lines are written although nobody asked",
        find: "    if (!debug) return;\n    if (logger)",
        replace: "    void debug;\n    if (logger)",
      },
      {
        name: "voice-debug-console",
        breaks: "debug lines go past the logger",
        find: '    if (logger) this.log("debug", line);\n    else console.debug(line);',
        replace: '    if (!logger) this.log("debug", line);\n    else console.debug(line);',
      },
    ],
  ),
  ...mutantsOf(
    "core/frames.ts",
    ["codebuff-cli/events.test.ts"],
    [
      {
        name: "frames-infinity-null",
        breaks: "Infinity is kept where there is none",
        find: '(infinity === "kept" ? token.json : "null")',
        replace: "token.json",
      },
      {
        name: "frames-infinity-kept",
        breaks: "Infinity is null where it is kept",
        find: '(infinity === "kept" ? token.json : "null")',
        replace: '"null"',
        tests: ["core/frames.test.ts"],
      },
    ],
  ),
  ...mutantsOf(
    "core/print-mode.ts",
    ["codebuff/print-mode.test.ts", "codebuff-cli/events.test.ts"],
    [
      {
        name: "print-mode-required",
        breaks: "a field that must be there may be missing",
        find: "if (!(isOptional && value === undefined) && !isOf(kind, value)) return false;",
        replace: "if (value !== undefined && !isOf(kind, value)) return false;",
      },
      {
        name: "print-mode-optional",
        breaks: "a field that may be there may be anything",
        find: "if (!(isOptional && value === undefined) && !isOf(kind, value)) return false;",
        replace: "if (!isOptional && !isOf(kind, value)) return false;",
      },
      {
        name: "print-mode-null",
        breaks: "null is a field that may be there",
        find: "!(isOptional && value === undefined)",
        replace: "!(isOptional && value == null)",
      },
      {
        name: "print-mode-untyped",
        breaks: "a type that is no text is one",
        find: 'typeof type === "string" ? FIELDS.get(type) : undefined',
        replace: "FIELDS.get(String(type))",
      },
      {
        name: "print-mode-object",
        breaks: "a list is an object",
        find: '  if (kind === "object") return isObject(value);',
        replace: '  if (kind === "object") return typeof value === "object";',
      },
      {
        name: "print-mode-strings",
        breaks: "a list of anything is one of texts",
        find: 'value.every((item) => typeof item === "string")',
        replace: "value.length >= 0",
      },
      {
        name: "print-mode-outputs",
        breaks: "a result may be anything",
        find: "Array.isArray(value) && value.every(isToolOutput)",
        replace: "Array.isArray(value)",
      },
      {
        name: "print-mode-output-value",
        breaks: "a result of JSON may be without one",
        find: 'if (value["type"] === "json") return value["value"] !== undefined;',
        replace: 'if (value["type"] === "json") return true;',
      },
      {
        name: "print-mode-media",
        breaks: "a medium may be without its type",
        find: ' && typeof value["mediaType"] === "string"',
        replace: "",
      },
    ],
  ),
];
