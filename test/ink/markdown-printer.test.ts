import { describe, expect, test, vi } from "vitest";
import { listOf } from "../../src/universal/transcript/list.ts";
import type { ChatMessage, ChatPart } from "../../src/universal/transcript/message.ts";
import { ClockedScreen } from "./clocked-screen.ts";

/** ms between two frames, at most. */
const FRAME = 40;

const said = (text: string, open = true): ChatPart => ({ type: "text", id: "t", text, open });

/** What a text has from everything that Markdown has. */
const SECTION = [
  "## A heading",
  "A paragraph with **strong words**, `code` and a [link](https://example.com/page), which is long enough for",
  "more than one row on a terminal of any width that people use, and so goes on for a while, and a while more.",
  "",
  "- one\n- two\n  1. inner\n  2. items\n- [x] task\n",
  "> quoted\n> more of it\n",
  "```ts\nconst a = 1;\nfunction b() {\n  return a;\n}\n```",
  "",
  "| Name | Size |\n|---|--:|\n| a | 1 |\n| b | 22 |",
  "",
  "",
].join("\n");

async function whole(text: string, columns: number): Promise<string> {
  const screen = new ClockedScreen({ size: { columns, rows: 40 } });
  screen.says([said(text, false)]);
  await screen.after(1_000);
  await screen.after(1_000);
  return screen.printed;
}

describe.each([40, 80, 200])("an answer that streams on %i columns", (columns) => {
  test("is printed as if it had come at once, whatever the pieces", async () => {
    const text = SECTION.repeat(6);
    const expected = await whole(text, columns);
    for (const size of [1, 7, 64]) {
      const screen = new ClockedScreen({ size: { columns, rows: 40 } });
      for (let end = size; end < text.length + size; end += size) {
        screen.says([said(text.slice(0, end))]);
        await screen.after(FRAME);
      }
      screen.says([said(text, false)]);
      await screen.after(1_000);
      expect(screen.printed).toBe(expected);
    }
  });

  test("is on the screen as far as it has come: printed rows, and the open end below", async () => {
    const words = Array.from({ length: 200 }, (_, at) => `w${at}`);
    const screen = new ClockedScreen({ size: { columns, rows: 40 } });
    for (let end = 1; end <= words.length; end++) {
      screen.says([said(`${words.slice(0, end).join(" ")}`)]);
      const live = await screen.after(FRAME);
      expect(`${screen.printed}\n${live}`.match(/w\d+/g)).toEqual(words.slice(0, end));
    }
  });
});

/** Characters that regular expressions and the segmenter get. */
function counted(): { readonly count: () => number; readonly stop: () => void } {
  const test_ = vi.spyOn(RegExp.prototype, "test");
  const exec = vi.spyOn(RegExp.prototype, "exec");
  return {
    count: () => [...test_.mock.calls, ...exec.mock.calls].reduce((sum, [given]) => sum + given.length, 0),
    stop: () => {
      test_.mockRestore();
      exec.mockRestore();
    },
  };
}

describe("a token costs the same", () => {
  const TOKEN = 20;

  /** Characters that are looked at for some tokens behind a text. */
  async function costBehind(text: string, before: readonly ChatMessage[] = []): Promise<number> {
    const screen = new ClockedScreen({ size: { columns: 80, rows: 24 } });
    const messages = listOf(before);
    const show = async (parts: readonly ChatPart[]): Promise<void> => {
      const open: ChatMessage = {
        id: "m",
        role: "assistant",
        status: "open",
        startedAt: 0,
        parts: listOf(parts),
      };
      screen.set({ messages: listOf([...messages, open]), busy: true });
      await screen.after(FRAME);
    };
    await show([said(text)]);
    for (let printed = -1; printed < screen.printed.length; ) {
      printed = screen.printed.length;
      await screen.after(10 * FRAME);
    }
    const looks = counted();
    try {
      for (let at = 1; at <= SECTION.length / TOKEN; at++)
        await show([said(text + SECTION.slice(0, at * TOKEN))]);
      return looks.count();
    } finally {
      looks.stop();
    }
  }

  test("behind 200,000 characters of the answer", async () => {
    const short = await costBehind(SECTION);
    const long = await costBehind(SECTION.repeat(Math.ceil(200_000 / SECTION.length)));
    expect(short).toBeGreaterThan(0);
    expect(long).toBeLessThan(short * 1.25);
  });

  test("in one paragraph, one item and one code block of 200,000 characters", async () => {
    for (const [start, unit] of [
      ["", "some words and more of them "],
      ["- ", "some words and more of them "],
      ["```js\n", "const a = 1;\n"],
    ] as const) {
      const cost = (length: number): Promise<number> =>
        costBehind(start + unit.repeat(Math.ceil(length / unit.length)));
      const short = await cost(2_000);
      expect(await cost(200_000), unit).toBeLessThan(short * 1.25);
    }
  });

  test("behind 5,000 messages", async () => {
    const before = Array.from(
      { length: 5_000 },
      (_, at): ChatMessage => ({
        id: `m${at}`,
        role: "assistant",
        status: "completed",
        startedAt: 0,
        parts: listOf([said(`message ${at}`, false)]),
      }),
    );
    const short = await costBehind(SECTION);
    expect(await costBehind(SECTION, before)).toBeLessThan(short * 1.25);
  });
});
