import { render, renderToString } from "ink";
import type { ReactElement } from "react";
import { describe, expect, test, vi } from "vitest";
import type { Decision } from "../../src/core/values.ts";
import {
  Approval,
  Composer,
  Message,
  Question,
  Reasoning,
  StatusLine,
  ToolCall,
} from "../../src/ink/components/exports.ts";
import { shownTheme } from "../../src/ink/components/hooks.ts";
import { approvalRows } from "../../src/ink/dialogs/approval-dialog.ts";
import { defaultTheme, plainTheme, themeFor } from "../../src/ink/theme.ts";
import { emptyList, listOf } from "../../src/universal/transcript/list.ts";
import type { ChatMessage, ChatPart, ChatToolPart } from "../../src/universal/transcript/message.ts";
import { TestTerminal } from "./terminal.ts";

const rowsOf = (element: ReactElement): readonly string[] => renderToString(element).split("\n");
const look = { theme: plainTheme, columns: 50 };
const nobody = (): void => expect.unreachable("no key was pressed");

const message = (fields: Partial<ChatMessage>): ChatMessage => ({
  id: "m",
  role: "assistant",
  status: "completed",
  parts: emptyList(),
  startedAt: 0,
  endedAt: 1_500,
  ...fields,
});

const call: ChatToolPart = {
  type: "tool",
  id: "c",
  callId: "c",
  name: "shell",
  input: { command: "seq 30", cwd: "docs" },
  state: "done",
  output: Array.from({ length: 30 }, (_, at) => `${at + 1}`).join("\n"),
  content: [],
};

describe("<ToolCall>", () => {
  test("folds a long output, and shows the number of hidden lines", () => {
    expect(rowsOf(<ToolCall part={call} {...look} />)).toEqual([
      "+ shell is done",
      "  | $ seq 30",
      "  | cwd: docs",
      ...Array.from({ length: 9 }, (_, at) => `  | ${at + 1}`),
      "  | ... 21 more lines",
    ]);
  });

  test("shows the whole output if it is unfolded", () => {
    expect(rowsOf(<ToolCall part={call} folded={false} {...look} />)).toHaveLength(33);
  });

  test("shows the end of the output while the tool runs", () => {
    const rows = rowsOf(<ToolCall part={{ ...call, state: "running" }} {...look} />);
    expect(rows[0]).toBe("* shell runs");
    expect(rows.slice(-4)).toEqual(["  | ... 27 more lines", "  | 28", "  | 29", "  | 30"]);
  });

  test.each([
    ["requested", "is requested"],
    ["awaiting", "waits for your decision"],
    ["approved", "is allowed"],
    ["failed", "has failed"],
    ["denied", "was denied"],
    ["abandoned", "was stopped; its end is unknown"],
  ] as const)("shows for the state %s that the tool %s", (state, words) => {
    expect(rowsOf(<ToolCall part={{ ...call, state }} {...look} />)[0]).toContain(`shell ${words}`);
  });
});

describe("<Reasoning>", () => {
  const part = { type: "reasoning", id: "r", text: "one\ntwo", visibility: "public", open: true } as const;

  test("shows the time and the last line while it is open", () => {
    expect(rowsOf(<Reasoning part={part} seconds={3} {...look} />)).toEqual(["* Thinking 3 s", "  | two"]);
  });

  test("shows the end of a long last line", () => {
    const long = { ...part, text: `${"word ".repeat(100)}here` };
    const [, last = ""] = rowsOf(<Reasoning part={long} seconds={3} {...look} />);
    expect(last).toMatch(/^ {2}\| \.\.\..*word here$/);
    expect(last).toHaveLength(50);
  });

  test("is one row when it is complete, and shows everything if unfolded", () => {
    const over = { ...part, open: false };
    expect(rowsOf(<Reasoning part={over} seconds={3} {...look} />)).toEqual(["+ Thought for 3 s"]);
    expect(rowsOf(<Reasoning part={over} folded={false} {...look} />)).toEqual([
      "+ Thought",
      "  | one",
      "  | two",
    ]);
  });
});

describe("<Approval>", () => {
  const approval = (input: unknown, tool = "shell") =>
    ({ type: "approval", id: "a", tool, input, grant: "`ls` in src" }) as const;

  test("shows control characters escaped, and every character of a long line", () => {
    const input = { command: `rm \u001b[8m-rf /\u200b ${"x".repeat(100)} ; end` };
    const shown = rowsOf(
      <Approval pending={approval(input)} onDecide={nobody} isActive={false} {...look} />,
    ).join("\n");
    const joined = shown.replaceAll(/\n {2}\| |\s/g, ""); // the space at the end of a row is not seen
    expect(joined).toContain(`$rm\\u{1b}[8m-rf/\\u{200b}${"x".repeat(100)};end`);
  });

  test("shows hidden characters in a tool's name", () => {
    const shown = rowsOf(
      <Approval pending={approval({}, "read\u202efile\nok")} onDecide={nobody} isActive={false} {...look} />,
    );
    expect(shown[0]).toBe("? The agent wants to use read\\u{202e}file\\u{a}ok");
  });

  test("marks the lines of a value, so that no value looks like another field", () => {
    const shown = (input: unknown): readonly string[] =>
      rowsOf(<Approval pending={approval(input)} onDecide={nobody} isActive={false} {...look} />);
    const two = { command: "rm -rf ~\necho done", description: "harmless" };
    expect(shown(two).slice(1, 5)).toEqual([
      "  | command:",
      "  | > rm -rf ~",
      "  | > echo done",
      "  | description: harmless",
    ]);
    const one = { command: "rm -rf ~\necho done\ndescription: harmless" };
    expect(shown(one).slice(1, 4)).toEqual([
      "  | $ rm -rf ~",
      "  | > echo done",
      "  | > description: harmless",
    ]);
  });

  test("shows all lines of the preview below the input, numbered, with hidden characters escaped", () => {
    const added = Array.from({ length: 30 }, (_, at) => `+line ${at}`).join("\n");
    const preview = [
      { path: "a.ts\nb", diff: `@@ -1,1 +1,31 @@\n-\u001b[8mold\n${added}\n`, by: "tool" },
      { path: "c.ts", diff: "@@", by: "agent" },
    ] as const;
    const shown = rowsOf(
      <Approval
        pending={{ ...approval({ path: "a.ts" }), preview }}
        onDecide={nobody}
        isActive={false}
        {...look}
        maxRows={60}
      />,
    );
    expect(shown.slice(1, 6)).toEqual([
      "  | path: a.ts",
      "What it would change:",
      "  a.ts\\u{a}b:",
      "  |  1 - \\u{1b}[8mold",
      "  |  1 + line 0",
    ]);
    expect(shown.slice(34, 37)).toEqual(["  | 30 + line 29", "  c.ts, as the agent states it:", "  | -"]);
  });

  test("marks a preview as the agent's claim, and wraps its lines", () => {
    const preview = [{ path: "c.ts", diff: `+${"x".repeat(500)}`, by: "agent" }] as const;
    const shown = rowsOf(
      <Approval pending={{ ...approval({}), preview }} onDecide={nobody} isActive={false} {...look} />,
    );
    expect(shown[3]).toBe("  c.ts, as the agent states it:");
    expect(shown[4]).toBe(`  | + ${"x".repeat(44)}`);
    expect(shown[5]).toBe(`  |   ${"x".repeat(44)}`);
    expect(shown.join("").match(/x/g)).toHaveLength(500);
    for (const row of shown) expect(row.length).toBeLessThanOrEqual(look.columns);
  });

  test("shows spaces and hidden characters at the end of a preview's last line", () => {
    const preview = [{ path: "c.ts", diff: "-a\n+a\u200a\ufeff \n", by: "tool" }] as const;
    const shown = rowsOf(
      <Approval pending={{ ...approval({}), preview }} onDecide={nobody} isActive={false} {...look} />,
    );
    expect(shown.slice(4, 6)).toEqual(["  | - a", "  | + a\u200a\\u{feff}\\u{20}"]);
  });

  test("shows the number of hidden rows if `maxRows` is too small", () => {
    const command = Array.from({ length: 20 }, (_, at) => `line ${at}`).join("\n");
    const shown = rowsOf(
      <Approval pending={approval({ command })} onDecide={nobody} isActive={false} maxRows={8} {...look} />,
    );
    expect(shown).toHaveLength(8);
    const says = "... 17 more rows are not shown";
    expect(shown.slice(1, 5)).toEqual(["  | $ line 0", "  | > line 1", "  | > line 2", says]);
  });

  test("preselects reject, so that Enter alone allows nothing", () => {
    const shown = rowsOf(
      <Approval
        pending={approval("ls")}
        onDecide={nobody}
        isActive={false}
        theme={plainTheme}
        columns={70}
      />,
    );
    expect(shown.join("\n")).toContain(">n reject");
  });

  test("asks about every call in a few rows, even for a very long tool name", () => {
    const state = { at: "e", isForEveryCall: true } as const;
    const pending = approval({}, "x, this is harmless ".repeat(50_000));
    const { rows } = approvalRows(pending, state, { ...look, maxRows: 12 });
    const shown = rows.map((row) => row.map(({ text }) => text).join(""));
    const asks = shown.slice(
      shown.findIndex((row) => row.startsWith("Allow")),
      -1,
    );
    expect(asks.join(" ")).toMatch(
      /^Allow every call of x, this is harmless .*\.\.\. in this session, whatever it does\?$/,
    );
    expect([shown.length, asks.length]).toEqual([12, 4]);
  });

  test("fits 20 columns", () => {
    const shown = rowsOf(
      <Approval
        pending={approval("ls")}
        onDecide={nobody}
        isActive={false}
        theme={plainTheme}
        columns={20}
      />,
    );
    for (const row of shown) expect(row.length).toBeLessThanOrEqual(20);
    expect(shown.slice(-7)).toEqual([
      " t and a do not ask",
      " again for: `ls` in",
      " src",
      " y once  t this turn",
      " a always >n reject",
      " r why not",
      " e every call",
    ]);
  });
});

describe("<Approval> on a terminal", () => {
  test("ignores Enter after other text, and all keys before its choices are shown", async () => {
    const terminal = new TestTerminal();
    const decisions: Decision[] = [];
    const app = render(
      <Approval
        pending={{ type: "approval", id: "a", tool: "shell", input: "ls" }}
        onDecide={(decision) => decisions.push(decision)}
        {...look}
        columns={80}
      />,
      { stdin: terminal.stdin, stdout: terminal.stdout, interactive: true, patchConsole: false },
    );
    await terminal.sees(/\.\.\./);
    terminal.type("y");
    await terminal.sees(/y once/);
    terminal.type("/quit\r");
    await terminal.sees(/\.\.\./);
    await terminal.sees(/y once/);
    expect(decisions).toEqual([]);
    terminal.type("y");
    await vi.waitFor(() => expect(decisions).toHaveLength(1)); // it writes nothing
    expect(decisions).toEqual(["once"]);
    app.unmount();
  });
});

describe("<Question>", () => {
  const pending = {
    type: "question",
    id: "q",
    questions: [
      {
        question: "Which \u001b[2Jones?",
        header: "Pick",
        options: [{ label: "main", description: "the trunk" }, { label: "next" }],
        multi_select: true,
      },
    ],
  } as const;

  test("shows its choices and the keys", () => {
    expect(
      rowsOf(<Question pending={pending} onAnswer={nobody} isActive={false} {...look} columns={80} />),
    ).toEqual([
      "? Pick: Which ones?",
      "> 1 - main - the trunk",
      "  2 - next",
      "Space or a digit ticks, Enter answers, or type an answer, Esc: no answer",
    ]);
  });
});

describe("<StatusLine>", () => {
  const facts = {
    connection: { status: "ready", attempt: 0, contextLost: false },
    busy: true,
    queue: [{}, {}],
    usage: { input_tokens: 12_345, output_tokens: 20 },
    cost: [{ total: 3, currency: "credits" }],
  } as const;

  test("shows the time, the connection, the queue, the cost and the tokens", () => {
    expect(rowsOf(<StatusLine {...facts} since={Date.now()} {...look} columns={90} />)).toEqual([
      "* working 0 s - connected - 2 queued - 3 credits - 12.3k in - 20 out",
    ]);
  });

  test("shows that the agent lost the conversation, and the singular for one credit", () => {
    const lost = { ...facts, busy: false, queue: [], connection: { ...facts.connection, contextLost: true } };
    const cost = [{ total: 1, currency: "credits" }];
    expect(rowsOf(<StatusLine {...lost} usage={{}} cost={cost} {...look} />)).toEqual([
      "conversation forgotten - 1 credit",
    ]);
  });

  test("leaves out what does not fit", () => {
    expect(rowsOf(<StatusLine {...facts} since={Date.now()} {...look} columns={20} />)).toEqual([
      "* working 0 s",
    ]);
  });

  test("says `ready` only before the first message", () => {
    const idle = {
      ...facts,
      busy: false,
      queue: [],
      connection: { ...facts.connection, status: "idle" },
    } as const;
    expect(rowsOf(<StatusLine {...idle} {...look} />)[0]).toMatch(/^ready -/);
    expect(
      rowsOf(<StatusLine {...idle} messages={[message({ role: "user", status: "sent" })]} {...look} />)[0],
    ).toMatch(/^not connected -/);
  });

  test("shows no time if the start is unknown", () => {
    expect(rowsOf(<StatusLine {...facts} {...look} columns={24} />)).toEqual(["* working - connected"]);
  });

  test("has a banner of at most three rows", () => {
    const problem = (detail: string) =>
      ({ title: "It fails", detail, retry: "no", code: "unknown", error: undefined }) as const;
    const rows = (detail: string) =>
      rowsOf(<StatusLine {...facts} problem={problem(detail)} {...look} columns={30} />);
    expect(rows("One reason that is not so short, at all.")).toEqual([
      "! It fails. One reason that is",
      "  not so short, at all.",
      "* working - connected",
    ]);
    expect(rows("word ".repeat(50)).slice(2)).toEqual([
      "  word word word word word ...",
      "* working - connected",
    ]);
  });

  test("has a banner during a reconnect, with the attempt and a countdown", () => {
    const reason = {
      title: "The connection was lost",
      detail: "",
      retry: "safe",
      code: "connection-lost",
    } as const;
    const connection = {
      status: "reconnecting",
      attempt: 2,
      retryAt: Date.now() + 4_500,
      contextLost: false,
      reason,
    } as const;
    expect(rowsOf(<StatusLine {...facts} connection={connection} {...look} columns={90} />)[0]).toBe(
      "! The connection was lost - attempt 2 in 5 s",
    );
  });
});

describe("<Message>", () => {
  const text: ChatPart = { type: "text", id: "t", text: "Hello\u001b[2J", open: false };

  test("shows its parts in order, and then the turn's time, usage, cost and model", () => {
    const parts = listOf<ChatPart>([text, { ...call, output: "" }]);
    const usage = { input_tokens: 100, output_tokens: 20 };
    const cost = { total: 0.0123, currency: "USD" };
    expect(rowsOf(<Message message={message({ parts, usage, cost, model: "m1" })} {...look} />)).toEqual([
      "Hello",
      "",
      "+ shell is done",
      "  | $ seq 30",
      "  | cwd: docs",
      "1.5 s - 100 in - 20 out - 0.0123 USD - m1",
    ]);
  });

  test("shows why a turn failed, and the advice", () => {
    const error = {
      title: "The server is busy",
      detail: "Wait a minute.",
      retry: "safe",
      code: "busy",
    } as const;
    const rows = rowsOf(<Message message={message({ status: "failed", error })} {...look} />);
    expect(rows).toEqual(["x The server is busy", "  Wait a minute.", "1.5 s"]);
  });

  test("mentions /retry only if the app has commands", () => {
    const failed = message({ status: "cancelled" });
    expect(rowsOf(<Message message={failed} {...look} />)[0]).toBe("cancelled");
    expect(rowsOf(<Message message={failed} hasCommands {...look} columns={80} />)[0]).toBe(
      "cancelled; /retry sends it again (until your next prompt)",
    );
  });

  test("shows how long the agent has been thinking, and how long it thought", async () => {
    const now = vi.spyOn(Date, "now").mockReturnValue(1_000);
    try {
      const terminal = new TestTerminal();
      const shown = (open: boolean) => {
        const parts = listOf<ChatPart>([
          { type: "reasoning", id: "r", text: "Hm.", visibility: "public", open },
        ]);
        return <Message message={message({ status: "open", parts })} {...look} />;
      };
      const { stdin, stdout } = terminal;
      const app = render(shown(true), { stdin, stdout, debug: true, patchConsole: false });
      await terminal.sees(/Thinking 0 s/);
      now.mockReturnValue(4_200);
      app.rerender(shown(true));
      await terminal.sees(/Thinking 3 s/);
      app.rerender(shown(false));
      await terminal.sees(/Thought for 3 s/);
      app.unmount();
    } finally {
      now.mockRestore();
    }
  });

  test("leaves out calls that await a decision, unless `showsPending` is set", () => {
    const parts = listOf<ChatPart>([text, { ...call, state: "awaiting" }]);
    expect(rowsOf(<Message message={message({ parts })} {...look} />)).toEqual(["Hello", "1.5 s"]);
    const shown = rowsOf(<Message message={message({ parts })} showsPending {...look} />);
    expect(shown).toContain("? shell waits for your decision");
  });

  test("leaves out backend-specific statuses, and a time below 0.1 s", () => {
    const status = { type: "status", id: "s", label: "codebuff.usage", detail: null } as const;
    const parts = listOf<ChatPart>([text, status, { ...status, id: "d", detail: "half of it" }]);
    const rows = rowsOf(<Message message={message({ parts, endedAt: 20 })} {...look} />);
    expect(rows).toEqual(["Hello", "", "half of it"]);
  });

  test.each([
    ["user", "was denied"],
    ["cancelled", "was not run: cancelled"],
  ] as const)("shows for a call denied by %s that it %s", (reason, words) => {
    const denied = { ...call, state: "denied", approval: { id: "a", status: "reject", reason } } as const;
    const parts = listOf<ChatPart>([denied]);
    expect(rowsOf(<Message message={message({ parts })} {...look} />)[0]).toBe(`x shell ${words}`);
  });

  test("shows a prompt's state after its text, and a prompt symbol only once", () => {
    const file: ChatPart = { type: "file", id: "f", path: "a.png", mediaType: "image/png" };
    const rows = (status: ChatMessage["status"], said: string, ...more: readonly ChatPart[]) =>
      rowsOf(
        <Message
          message={message({ role: "user", status, parts: listOf([{ ...text, text: said }, ...more]) })}
          {...look}
          hasCommands
        />,
      );
    expect(rows("queued", "hello")).toEqual(["> hello (waits)"]);
    expect(rows("queued", "hello", file)).toEqual(["> hello (with 1 file) (waits)"]);
    expect(rows("cancelled", "hello there")).toEqual([
      "> hello there",
      "  (taken back; /retry sends the last prompt)",
    ]);
    expect(rows("sent", "", file)).toEqual(["> (with 1 file)"]);
  });

  test("shows its end if `maxRows` is too small", () => {
    const long = Array.from({ length: 100 }, (_, at) => `line ${at}`).join("\n");
    const parts = listOf<ChatPart>([{ ...text, text: long }]);
    const shown = rowsOf(<Message message={message({ status: "open", parts })} maxRows={4} {...look} />);
    expect(shown).toEqual(["... 98 rows before", "line 98", "line 99", "1.5 s"]);
  });

  test("folds a long prompt in the middle", () => {
    const long = Array.from({ length: 100 }, (_, at) => `line ${at}`).join("\n");
    const parts = listOf<ChatPart>([{ ...text, text: long }]);
    const rows = rowsOf(<Message message={message({ role: "user", status: "sent", parts })} {...look} />);
    expect(rows).toHaveLength(12);
    expect(rows[0]).toBe("> line 0");
    expect(rows).toContain("  ... 89 more lines");
    expect(rows.at(-1)).toBe("  line 99");
  });
});

describe("a terminal without input", () => {
  test("is reported by the composer and by a dialog", () => {
    const pending = { type: "approval", id: "a", tool: "shell", input: "ls" } as const;
    expect(rowsOf(<Composer onSubmit={nobody} {...look} />)).toEqual(["There is no terminal to type on."]);
    expect(rowsOf(<Approval pending={pending} onDecide={nobody} {...look} />)).toContain(
      "There is no terminal to type on.",
    );
  });
});

describe("the theme", () => {
  test("of an app loses its colours without colour support, and keeps its symbols", () => {
    const own = { ...defaultTheme, symbols: { ...defaultTheme.symbols, prompt: "$" } };
    expect(shownTheme(own, plainTheme)).toEqual({ styles: plainTheme.styles, symbols: own.symbols });
    expect(shownTheme(own, plainTheme)).toBe(shownTheme(own, plainTheme));
    expect(shownTheme(own, defaultTheme)).toBe(own);
  });

  test.each([
    [{}, defaultTheme],
    [{ NO_COLOR: "1" }, plainTheme],
    [{ NO_COLOR: "" }, defaultTheme],
    [{ FORCE_COLOR: "0" }, plainTheme],
    [{ TERM: "dumb" }, plainTheme],
  ])("follows the environment: %j", (env, theme) => {
    expect(themeFor(env)).toBe(theme);
  });
});
