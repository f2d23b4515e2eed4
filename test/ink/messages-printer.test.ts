import { describe, expect, test } from "vitest";
import type { Folded } from "../../src/ink/parts/folded.ts";
import type { Row } from "../../src/ink/rows/row.ts";
import { plainTheme } from "../../src/ink/theme.ts";
import { MessagesPrinter } from "../../src/ink/transcript/messages-printer.ts";
import type { Sink } from "../../src/ink/transcript/sink.ts";
import { type List, listOf } from "../../src/universal/transcript/list.ts";
import type { ChatMessage, ChatPart, ChatToolPart } from "../../src/universal/transcript/message.ts";

const NONE: ReadonlySet<string> = new Set();

/** Prints one transcript, snapshot after snapshot. */
class Print {
  readonly rows: string[] = [];
  readonly folded: Folded[] = [];
  readonly transcript = new MessagesPrinter();
  now = 0;
  foldsReasoning = true;

  step(messages: readonly ChatMessage[], space = 1_000): readonly string[] {
    return this.stepList(listOf(messages), space);
  }

  stepList(messages: List<ChatMessage>, space = 1_000): readonly string[] {
    const rows: Row[] = [];
    const sink: Sink = {
      columns: 40,
      theme: plainTheme,
      foldsReasoning: this.foldsReasoning,
      inputsAbove: NONE,
      hasCommands: true,
      now: this.now,
      tailRows: 2,
      get space() {
        return space - rows.length;
      },
      print: (more) => rows.push(...more),
      fold: (more) => this.folded.push(...more),
    };
    this.transcript.print(messages, sink);
    const shown = rows.map(textOf);
    this.rows.push(...shown);
    return shown;
  }

  live(messages: readonly ChatMessage[], maxRows = 10): readonly string[] {
    const options = {
      columns: 40,
      theme: plainTheme,
      foldsReasoning: true,
      inputsAbove: NONE,
      now: this.now,
      maxRows,
    };
    return this.transcript.live(listOf(messages), options).map(textOf);
  }
}

const textOf = (row: Row): string => row.map(({ text }) => text).join("");

const answer = (
  parts: readonly ChatPart[],
  status: ChatMessage["status"] = "open",
  id = "a",
): ChatMessage => ({
  id,
  role: "assistant",
  status,
  parts: listOf(parts),
  startedAt: 0,
  ...(status === "completed" ? { endedAt: 2_000 } : {}),
});
const prompt = (text: string, id = "p", status: ChatMessage["status"] = "sent"): ChatMessage => ({
  id,
  role: "user",
  status,
  parts: listOf<ChatPart>([{ type: "text", id: `${id}/t`, text, open: false }]),
  startedAt: 0,
});
const text = (value: string, open = false, id = "t"): ChatPart => ({ type: "text", id, text: value, open });
const tool = (state: ChatToolPart["state"], fields: Partial<ChatToolPart> = {}): ChatToolPart => ({
  type: "tool",
  id: "c",
  callId: "c",
  name: "shell",
  input: "ls",
  state,
  output: "",
  content: [],
  ...fields,
});

describe("an open answer", () => {
  test("is printed from the top while it streams, each row once", () => {
    const print = new Print();
    let said = "";
    for (let line = 0; line < 100; line++) {
      said += `line ${line}\n`;
      print.step([answer([text(said, true)])]);
      expect(print.rows.length + print.live([answer([text(said, true)])], 100).length).toBe(line + 2);
    }
    print.step([answer([text(said)], "completed")]);
    expect(print.rows).toEqual(["", ...Array.from({ length: 100 }, (_, line) => `line ${line}`), "2.0 s"]);
  });

  test("is printed over several frames if it arrives at once", () => {
    const print = new Print();
    const messages = [answer([text("line\n".repeat(1_000))], "completed")];
    for (let frame = 0; frame < 10; frame++)
      expect(print.step(messages, 100).length).toBeLessThanOrEqual(101);
    print.step(messages);
    expect(print.rows.filter((row) => row === "line")).toHaveLength(1_000);
  });

  test("is printed again with a note if its final text differs from the printed one", () => {
    const print = new Print();
    print.step([answer([text("one\n\ntwo\n\nthree", true)])]);
    expect(print.rows).toContain("one");
    print.step([answer([text("ONE\n\ntwo")], "completed")]);
    const says = print.rows.findIndex((row) => row.includes("differs from what was"));
    expect(says).toBeGreaterThan(0);
    expect(print.rows.slice(says).filter((row) => row === "ONE" || row === "two")).toEqual(["ONE", "two"]);
  });

  test("causes no note if its text changes before any of it is printed", () => {
    const print = new Print();
    print.step([answer([text("helo", true)])]);
    print.step([answer([text("hello")], "completed")]);
    expect(print.rows).toEqual(["", "hello", "2.0 s"]);
  });

  test("loses escape sequences, even if they arrive in two pieces", () => {
    const print = new Print();
    print.step([answer([text("a\u001b[3", true)])]);
    print.step([answer([text("a\u001b[31mb")], "completed")]);
    expect(print.rows).toContain("ab");
  });
});

describe("the order of parts", () => {
  test("is kept: parts after an unfinished call are printed after it", () => {
    const print = new Print();
    const behind = text("behind", false, "t2");
    print.step([answer([text("before"), tool("running", { output: "some" }), behind])]);
    expect(print.rows).toEqual(["", "before"]);
    expect(print.live([answer([text("before"), tool("running", { output: "some" }), behind])])).toEqual([
      "",
      "* shell runs",
      "  | > ls",
      "  | some",
      "",
      "behind",
    ]);
    print.step([answer([text("before"), tool("done", { output: "all" }), behind])]);
    expect(print.rows).toEqual(["", "before", "", "+ shell is done", "  | > ls", "  | all", "", "behind"]);
  });

  test("is kept for queued prompts, which are printed once they are sent", () => {
    const print = new Print();
    print.step([prompt("one"), answer([], "completed"), prompt("two", "q", "queued")]);
    expect(print.rows).not.toContain("> two");
    print.step([prompt("one"), answer([], "completed"), prompt("two", "q")]);
    expect(print.rows).toContain("> two");
  });

  test("is kept for a sub-agent, which is one row at its end, and shows what it does until then", () => {
    const print = new Print();
    const agent = (state: "running" | "done", parts: readonly ChatPart[]): ChatPart => ({
      type: "subagent",
      id: "s",
      agentType: "picker",
      name: "Picker",
      state,
      parts: listOf(parts),
    });
    const running = [answer([agent("running", [text("found it", false, "n"), tool("running")])])];
    print.step(running);
    expect(print.rows).toEqual([""]);
    expect(print.live(running)).toEqual(["* Picker works (2 steps)", "  | shell runs"]);
    print.step([answer([agent("done", [text("found it", false, "n"), tool("done")])])]);
    expect(print.rows).toEqual(["", "+ Picker is done (2 steps)"]);
    expect(print.folded.map(({ title }) => title)).toEqual(["What Picker did"]);
    const unfolded = print.folded[0]?.rows({ columns: 40, theme: plainTheme }) ?? [];
    expect(unfolded.map(textOf)).toEqual([
      "+ Picker is done (2 steps)",
      "  found it",
      "",
      "  + shell is done",
      "    | > ls",
    ]);
  });

  test("is kept at the turn's end, when all open parts are printed", () => {
    const print = new Print();
    print.step([answer([tool("abandoned"), text("half", true)], "cancelled")]);
    expect(print.rows).toContain("x shell was stopped; its end is unknown");
    expect(print.rows).toContain("half");
    expect(print.rows.join(" ")).toContain("cancelled; /retry sends it again (until your");
  });
});

describe("reasoning", () => {
  const thinking = (value: string, open: boolean): ChatPart => ({
    type: "reasoning",
    id: "r",
    text: value,
    visibility: "public",
    open,
  });

  test("is one row with its duration while it is folded", () => {
    const print = new Print();
    print.step([answer([thinking("first\nsecond", true)])]);
    expect(print.live([answer([thinking("first\nsecond", true)])])).toEqual(["* Thinking 0 s", "  | second"]);
    print.now = 3_400;
    print.step([answer([thinking("first\nsecond", false)])]);
    expect(print.rows).toEqual(["", "+ Thought for 3 s"]);
  });

  test("shows the end of a long paragraph during thinking", () => {
    const print = new Print();
    const messages = [answer([thinking(`It begins ${"and goes on ".repeat(50)}to here`, true)])];
    print.step(messages);
    const [, last = ""] = print.live(messages);
    expect(last).toMatch(/^ {2}\| \.\.\..*goes on to here$/);
    expect(last).toHaveLength(40);
  });

  test("is printed completely when unfolded, below one heading with the duration", () => {
    const print = new Print();
    print.foldsReasoning = false;
    print.step([answer([thinking("one\ntwo", true)])]);
    print.now = 2_000;
    expect(print.live([answer([thinking("one\ntwo", true)])])).toEqual([
      "* Thinking 2 s",
      "  | one",
      "  | two",
    ]);
    print.step([answer([thinking("one\ntwo\nthree", false)])]);
    expect(print.rows).toEqual(["", "+ Thought for 2 s", "  | one", "  | two", "  | three"]);
  });

  test("has one heading, even if its first rows are printed before its end", () => {
    const print = new Print();
    print.foldsReasoning = false;
    print.step([answer([thinking("one\ntwo\nthree\nfour", true)])]);
    expect(print.rows).toEqual(["", "- Reasoning", "  | one", "  | two"]);
    expect(print.live([answer([thinking("one\ntwo\nthree\nfour", true)])])).toEqual([
      "  | three",
      "  | four",
    ]);
    print.step([answer([thinking("one\ntwo\nthree\nfour", false)])]);
    expect(print.rows).toEqual(["", "- Reasoning", "  | one", "  | two", "  | three", "  | four"]);
  });

  test("without text is only its heading", () => {
    const print = new Print();
    print.foldsReasoning = false;
    print.step([answer([thinking("", true)])]);
    print.step([answer([thinking("", false)])]);
    expect(print.rows).toEqual(["", "+ Thought"]);
  });
});

describe("a long chat", () => {
  test("costs no more per frame than a short one: printed messages are not read again", () => {
    const messages = Array.from({ length: 10_000 }, (_, at) => answer([text("x")], "completed", `m${at}`));
    const print = new Print();
    print.step(messages, Number.POSITIVE_INFINITY);
    const more = listOf([...messages, answer([text("new")], "completed", "new")]);
    let looks = 0;
    const counted: List<ChatMessage> = {
      length: more.length,
      at: (index) => {
        looks++;
        return more.at(index);
      },
      map: () => expect.unreachable("a frame goes through all messages"),
      toArray: () => expect.unreachable("a frame goes through all messages"),
      toJSON: () => expect.unreachable("a frame goes through all messages"),
      [Symbol.iterator]: () => expect.unreachable("a frame goes through all messages"),
    };
    print.stepList(counted);
    expect(print.rows.at(-2)).toBe("new");
    expect(looks).toBeLessThan(5);
  });
});
