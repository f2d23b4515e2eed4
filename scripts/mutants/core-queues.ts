import { type Mutant, mutantsOf } from "./mutant.ts";

/** What waits: events for a reader, prompts for a link, requests for a reply. */
export const QUEUES: readonly Mutant[] = [
  ...mutantsOf(
    "core/event-buffer.ts",
    ["core/event-buffer.test.ts"],
    [
      {
        name: "buffer-limit-off-by-one",
        breaks: "a buffer that is just full overflows",
        find: "if (this.#bytes + bytes > this.#maxBytes) {",
        replace: "if (this.#bytes + bytes >= this.#maxBytes) {",
      },
      {
        name: "buffer-unbounded",
        breaks: "a slow reader fills the memory",
        find: "if (this.#bytes + bytes > this.#maxBytes) {",
        replace: "if (bytes > this.#maxBytes) {",
      },
      {
        name: "reading-makes-no-room",
        breaks: "what was read still counts",
        find: "this.#bytes -= buffered.bytes;",
        replace: "",
      },
      {
        name: "failure-thrown-twice",
        breaks: "a failure is thrown at every read",
        find: "      this.#end = {};\n      return",
        replace: "\n      return",
      },
      {
        name: "failure-thrown-at-all",
        breaks: "a failure is thrown at every reader that waits",
        find: "        this.#end = {};\n",
        replace: "\n",
      },
      {
        name: "second-end-wins",
        breaks: "a later end replaces the first",
        find: "    if (this.#end) return;\n    this.#end = end;",
        replace: "\n    this.#end = end;",
      },
      {
        name: "pushed-after-end",
        breaks: "values are taken after the end",
        find: "    if (this.#end) return;\n    const waiter",
        replace: "\n    const waiter",
      },
      {
        name: "drop-keeps",
        breaks: "what was dropped is read all the same",
        find: "    this.#values.clear();",
        replace: "",
      },
      {
        name: "waiting-reader-forgotten",
        breaks: "a reader that waits never hears of the end",
        find: "    this.#end = end;\n    this.#wake();",
        replace: "    this.#end = end;\n",
      },
      {
        name: "waiting-reader-skipped",
        breaks: "a value is buffered although a reader waits",
        find: "const waiter = this.#waiters.take();",
        replace: "const waiter = this.#bytes < 0 ? this.#waiters.take() : undefined;",
      },
    ],
  ),
  ...mutantsOf(
    "core/queue.ts",
    ["core/queue.test.ts"],
    [
      {
        name: "segment-forgotten",
        breaks: "the items after the first segment are never read",
        find: "    } else if (this.#read === SEGMENT && this.#head.next) {",
        replace: "    } else if (this.#read > SEGMENT && this.#head.next) {",
      },
      {
        name: "segment-overfilled",
        breaks: "a segment takes one item more than is read of it",
        find: "    if (this.#written === SEGMENT) {",
        replace: "    if (this.#written > SEGMENT) {",
      },
      {
        name: "size-not-counted",
        breaks: "a queue that was emptied says that it holds something",
        find: "    this.#size = 0;",
        replace: "",
      },
    ],
  ),
  ...mutantsOf(
    "core/growing-text.ts",
    ["core/growing-text.test.ts"],
    [
      {
        name: "text-limit-off-by-one",
        breaks: "a text of just `maxTextBytes` is cut",
        find: "this.#truncated = this.#bytes > this.#maxBytes;",
        replace: "this.#truncated = this.#bytes >= this.#maxBytes;",
      },
      {
        name: "text-limit-in-characters",
        breaks: "`maxTextBytes` counts characters",
        find: "    if (length * 3 > this.#maxBytes) {",
        replace: "    if (length > this.#maxBytes) {",
      },
      {
        name: "text-after-the-cut",
        breaks: "a text that was cut goes on with what still fits",
        find: 'if (piece === "" || this.#truncated) return;',
        replace: 'if (piece === "") return;',
      },
      {
        name: "pieces-joined-twice",
        breaks: "pieces that were read come again",
        find: "    this.#pieces = [];",
        replace: "",
      },
      {
        name: "text-left-out-whole",
        breaks: "a piece that is too much is left out whole, and with it an answer that comes in one",
        find: "        this.#pieces.push(utf8Start(piece, this.#maxBytes - before));",
        replace: "",
      },
      {
        name: "text-count-forgets",
        breaks: "what was joined does not count towards the limit",
        find: "this.#bytes ?? utf8Length(this.value);",
        replace: 'this.#bytes ?? utf8Length(this.#pieces.join(""));',
      },
    ],
  ),
  ...mutantsOf(
    "core/turn-queue.ts",
    ["core/turn-queue.test.ts"],
    [
      {
        name: "turn-limit-off-by-one",
        breaks: "one turn fewer waits than may",
        find: "turns > this.#maxTurns",
        replace: "turns >= this.#maxTurns",
      },
      {
        name: "byte-limit-off-by-one",
        breaks: "a queue that is just full refuses",
        find: "if (this.#bytes + bytes > this.#maxBytes) {",
        replace: "if (this.#bytes + bytes >= this.#maxBytes) {",
      },
      {
        name: "queue-unbounded",
        breaks: "any number of bytes waits",
        find: "if (this.#bytes + bytes > this.#maxBytes) {",
        replace: "if (bytes > this.#maxBytes) {",
      },
      {
        name: "taken-out-still-counts",
        breaks: "a turn that was taken out still counts",
        find: "this.#bytes -= this.#waiting.get(turn) ?? this.#held.get(turn) ?? 0;",
        replace: "",
      },
      {
        name: "held-not-given-back",
        breaks: "what is held is not given back",
        find: "[...this.#waiting.keys(), ...this.#held.keys()]",
        replace: "[...this.#waiting.keys()]",
        tests: ["core/turn-queue.test.ts"],
      },
      {
        name: "held-counts-twice",
        breaks: "a turn that was held counts twice",
        find: "    this.delete(turn); // it was held perhaps",
        replace: "",
        tests: ["core/turn-queue.test.ts"],
      },
      {
        name: "held-takes-no-room",
        breaks: "a turn of a conversation that waits takes no room",
        find: "this.#waiting.size + this.#held.size + 1",
        replace: "this.#waiting.size + 1",
        tests: ["core/turn-queue.test.ts"],
      },
      {
        name: "cleared-still-counts",
        breaks: "turns that were cleared still count",
        find: "    this.#bytes = 0;\n    return turns;",
        replace: "\n    return turns;",
      },
      {
        name: "empty-queue-refuses",
        breaks: "a turn larger than the queue is refused although nothing waits",
        find: "if (turns === 1) return;",
        replace: "",
      },
    ],
  ),
  ...mutantsOf(
    "core/pending.ts",
    ["core/pending.test.ts"],
    [
      {
        name: "replaced-clock-left",
        breaks: "the clock of a request that was replaced goes on",
        find: "    this.take(id);\n",
        replace: "\n",
      },
      {
        name: "answered-clock-left",
        breaks: "the clock of a request that was answered goes on",
        find: "    entry.deadline.stop();",
        replace: "",
      },
      {
        name: "expired-stays",
        breaks: "a request whose time is over can still be taken",
        find: "      this.#entries.delete(id);\n      this.#onTimeout(id, request);",
        replace: "\n      this.#onTimeout(id, request);",
      },
      {
        name: "late-clock-runs",
        breaks: "the clock of a request behind a running prompt runs",
        find: "if (this.#mayRun(id)) deadline.start();",
        replace: "deadline.start();",
      },
      {
        name: "clock-starts-over",
        breaks: "a clock that ran starts over when another prompt ends",
        find: "else if (!deadline.running) deadline.start();",
        replace: "else deadline.start();",
      },
      {
        name: "cleared-clock-left",
        breaks: "the clocks of a lost link go on",
        find: "      deadline.stop();\n      return request;",
        replace: "\n      return request;",
      },
    ],
  ),
  ...mutantsOf(
    "core/deadline.ts",
    ["core/deadline.test.ts"],
    [
      {
        name: "deadline-ignores-touch",
        breaks: "a limit on silence expires in the middle of talk",
        find: "if (this.#cancel) this.#last = this.#clock.now();",
        replace: "",
      },
      {
        name: "deadline-too-late",
        breaks: "a limit on silence waits up to twice as long",
        find: "if (left > 0) this.#arm(left);",
        replace: "if (left > 0) this.#arm(this.#delay);",
      },
      {
        name: "deadline-timer-left",
        breaks: "a limit that was stopped keeps its timer",
        find: "    this.#cancel?.();",
        replace: "",
      },
    ],
  ),
  ...mutantsOf(
    "core/recent.ts",
    ["core/recent.test.ts"],
    [
      {
        name: "recent-unbounded",
        breaks: "everything that ever was is remembered",
        find: "if (this.#values.size <= this.#limit) return;",
        replace: "if (this.#values.size > 0) return;",
      },
      {
        name: "recent-by-first-sight",
        breaks: "what was just set again is forgotten first",
        find: "    this.#values.delete(key);\n",
        replace: "\n",
      },
    ],
  ),
];
