import { type Mutant, mutantsOf } from "./mutant.ts";

/** What is read, and what is said: frames, credentials, events, errors. */
export const WORDS: readonly Mutant[] = [
  ...mutantsOf(
    "core/frames.ts",
    ["core/frames.test.ts"],
    [
      {
        name: "number-before-infinity",
        breaks: "`1Infinity` is read as something",
        find: 'standsAlone(text[at - 1], "[:,") && ',
        replace: "",
      },
      {
        name: "nan-is-infinity",
        breaks: "NaN is read as a number",
        find: 'json: "null"',
        replace: 'json: "1e999"',
      },
      {
        name: "surrogates-count-double",
        breaks: "an emoji counts as six bytes",
        find: "      bytes += 2;\n      at++;",
        replace: "      bytes += 2;\n",
      },
      {
        name: "bytes-are-characters",
        breaks: "a limit in bytes counts characters",
        find: "return text.length * 3 > limit && utf8Length(text) > limit;",
        replace: "return false;",
      },
    ],
  ),
  ...mutantsOf(
    "core/redact.ts",
    ["core/redact.test.ts"],
    [
      {
        name: "escaped-quote-ends-secret",
        breaks: "a secret with a quote in it leaves a rest",
        find: "(run - depth) % (2 * (depth + 1)) === 0",
        replace: "run >= 0",
      },
    ],
  ),
  ...mutantsOf(
    "core/voice.ts",
    ["core/client-core.test.ts"],
    [
      {
        name: "warning-quotes-secret",
        breaks: "a warning quotes a frame with its credentials",
        find: "raw: this.redactor.redact(raw.slice(0, READ)).slice(0, QUOTED)",
        replace: "raw: raw.slice(0, QUOTED)",
      },
      {
        name: "warning-cuts-secret",
        breaks: "a warning quotes the beginning of a secret that reaches over its end",
        find: "this.redactor.redact(raw.slice(0, READ)).slice(0, QUOTED)",
        replace: "this.redactor.redact(raw.slice(0, QUOTED))",
      },
      {
        name: "warning-says-secret",
        breaks: "a warning's message holds credentials",
        find: "const text = this.redactor.redact(message);",
        replace: "const text = message;",
      },
      {
        name: "frame-event-shows-secret",
        breaks: "the `frame` event shows credentials",
        find: "text: this.redactor.redact(text) };",
        replace: "text };",
      },
      {
        name: "status-out-of-order",
        breaks: "a listener that causes a change is told it before the others are told the one before",
        find: "if (this.#statuses.size > 1) return;",
        replace: "",
      },
      {
        name: "closed-keeps-listeners",
        breaks: "a closed client keeps its listeners, and they their signals",
        find: 'if (next === "closed") this.events.close();',
        replace: "",
        tests: ["codebuff/reentrancy.test.ts", "core/client-core.test.ts"],
      },
    ],
  ),
  ...mutantsOf(
    "core/client-core.ts",
    ["core/client-core.test.ts"],
    [
      {
        name: "reconnect-log-shows-secret",
        breaks: "the log of a reconnect holds credentials",
        find: "const why = this.redactor.redact(backoff.error.message);",
        replace: "const why = backoff.error.message;",
      },
      {
        name: "disconnect-log-shows-secret",
        breaks: "the log of a loss holds credentials",
        find: "this.redactor.redact(error.message)",
        replace: "error.message",
      },
      {
        name: "client-signal-listener-left",
        breaks: "a closed client stays on its signal",
        find: 'if (status === "closed") this.#setup.options.signal?.removeEventListener("abort", this.#onAbort);',
        replace: "",
      },
      {
        name: "connect-signal-listener-left",
        breaks: "each connect({ signal }) leaves a listener",
        find: 'signal.removeEventListener("abort", onAbort);',
        replace: "",
      },
      {
        name: "first-ready-is-reconnected",
        breaks: "`reconnected` is told for the first connection",
        find: 'if (this.#wasReady) this.shared.emit("reconnected");',
        replace: 'this.shared.emit("reconnected");',
      },
      {
        name: "closed-client-prompts",
        breaks: "a client that is closing takes prompts",
        find: "if (!this.#closing && !cause) return undefined;",
        replace: "if (!cause) return undefined;",
        tests: ["codebuff/client.test.ts", "codey/turns.test.ts"],
      },
      {
        name: "closing-untold",
        breaks: "new work is taken while the client closes",
        find: "    this.#setup.closing();",
        replace: "",
      },
      {
        name: "late-listener-told-all",
        breaks: "a late listener is told of what was decided meanwhile",
        find: "if (this.gate.isOpen(request.id)) yield",
        replace: "yield",
        tests: ["codebuff/approvals.test.ts"],
      },
      {
        name: "late-listener-told-nothing",
        breaks: "a late listener is not told what is open",
        find: "    if (asked.length === 0) return this.events.on",
        replace: "    if (asked.length >= 0) return this.events.on",
        tests: ["codebuff/approvals.test.ts"],
      },
      {
        name: "late-listener-told-others",
        breaks: "a listener of questions is told of approvals",
        find: "this.gate.pending.filter(({ type }) => type === name)",
        replace: "this.gate.pending",
        tests: ["codebuff/approvals.test.ts"],
      },
      {
        name: "opened-after-reply",
        breaks: "what one listener has decided already is shown to the next",
        find: "const isOpen = (): boolean => this.gate.isOpen(request.id);",
        replace: "const isOpen = (): boolean => true;",
        tests: ["codebuff/approvals.test.ts"],
      },
      {
        name: "opened-without-turn",
        breaks: "an approval does not come with its turn",
        find: "return turn ? [turn] : [];",
        replace: "return [];",
        tests: ["codebuff/approvals.test.ts"],
      },
    ],
  ),
  ...mutantsOf(
    "core/events.ts",
    ["core/events.test.ts"],
    [
      {
        name: "off-leaves-signal",
        breaks: "a listener that was called off stays on its signal",
        find: 'signal?.removeEventListener("abort", off);',
        replace: "",
      },
      {
        name: "async-listener-unhandled",
        breaks: "an async listener that rejects is an unhandled rejection",
        find: "if (later instanceof Promise) later.catch((error: unknown) => this.#onThrow(error, name));",
        replace: "",
        tests: ["codebuff/reentrancy.test.ts"],
      },
      {
        name: "aborted-listener-added",
        breaks: "a listener whose signal was aborted before is added",
        find: "if (this.#closed || signal?.aborted) return () => {};",
        replace: "if (this.#closed) return () => {};",
      },
      {
        name: "late-status-unwanted",
        breaks: "a listener that was called off is told the present",
        find: "if (!listening || options?.signal?.aborted) return;",
        replace: "if (options?.signal?.aborted) return;",
        tests: ["core/live-turn-listeners.test.ts"],
      },
      {
        name: "late-status-aborted",
        breaks: "a listener whose signal was aborted is told the present",
        find: "if (!listening || options?.signal?.aborted) return;",
        replace: "if (!listening) return;",
        tests: ["core/live-turn-listeners.test.ts"],
      },
      {
        name: "past-told-as-present",
        breaks: "listeners are told what no longer stands",
        find: "      if (!stands()) return;",
        replace: "",
      },
    ],
  ),
  ...mutantsOf(
    "core/errors.ts",
    ["core/errors.test.ts"],
    [
      {
        name: "brand-per-copy",
        breaks: "an error of another copy of the package is not known",
        find: 'Symbol.for("agentwire.error")',
        replace: 'Symbol("agentwire.error")',
      },
      {
        name: "copies-share",
        breaks: "two turns that fail together share one error",
        find: "const copy = Object.create(Object.getPrototypeOf(error));",
        replace: "const copy = error;",
      },
    ],
  ),
];
