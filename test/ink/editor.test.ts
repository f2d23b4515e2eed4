import { describe, expect, test } from "vitest";
import { composerRows } from "../../src/ink/composer/composer-rows.ts";
import {
  type EditorAction,
  type EditorState,
  editorText,
  emptyEditor,
  stepEditor,
} from "../../src/ink/composer/editor.ts";
import { editorAction } from "../../src/ink/composer/editor-keys.ts";
import type { KeyName } from "../../src/ink/press.ts";
import { plainTheme } from "../../src/ink/theme.ts";

const run = (...actions: readonly EditorAction[]): EditorState => actions.reduce(stepEditor, emptyEditor);
const type = (text: string): EditorAction => ({ type: "type", text });

function press(state: EditorState, ...keys: readonly KeyName[]): EditorState {
  return keys.reduce((now, key) => {
    const action = editorAction({ type: "key", key }, now);
    return action === undefined || action === "submit" ? now : stepEditor(now, action);
  }, state);
}

/** The text with a bar where the cursor is. */
const shown = ({ text, cursor }: EditorState): string => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

describe("editing", () => {
  test.each<readonly [text: string, keys: readonly KeyName[], after: string]>([
    ["abc", ["left", "left"], "a|bc"],
    ["abc", ["home", "right"], "a|bc"],
    ["abc", ["ctrl-a"], "|abc"],
    ["abc", ["ctrl-a", "ctrl-e"], "abc|"],
    ["one two", ["word-left"], "one |two"],
    ["one two", ["home", "word-right"], "one| two"],
    ["one two", ["ctrl-w"], "one |"],
    ["one two", ["word-left", "ctrl-k"], "one |"],
    ["one two", ["word-left", "ctrl-u"], "|two"],
    ["one two", ["ctrl-w", "home", "ctrl-y"], "two|one "],
    ["a👨‍👩‍👧", ["backspace"], "a|"],
    ["a👨‍👩‍👧b", ["left", "left"], "a|👨‍👩‍👧b"],
    ["日本", ["left", "delete"], "日|"],
    ["a\nbcd", ["home"], "a\n|bcd"],
    ["abcd\nxy", ["up"], "ab|cd\nxy"],
    ["abcd\nxy", ["up", "end", "down"], "abcd\nxy|"],
    ["a\\", ["enter"], "a\n|"],
    ["a", ["newline"], "a\n|"],
    ["", ["left", "backspace", "delete", "ctrl-k", "ctrl-u", "ctrl-w", "up", "down"], "|"],
  ])("of %j with %j gives %j", (text, keys, after) => {
    expect(shown(press(run(type(text)), ...keys))).toBe(after);
  });

  test("sends at Enter", () => {
    expect(editorAction({ type: "key", key: "enter" }, run(type("hello")))).toBe("submit");
  });

  test("takes no escape sequence and no control character into the line", () => {
    expect(run({ type: "paste", text: "\u001b[2Ja\u0007b" }).text).toBe("ab");
  });
});

describe("the history", () => {
  const sent = run(type("first"), { type: "sent" }, type("second"), { type: "sent" });

  test("goes back with Up, and forth with Down to the own draft", () => {
    const draft = stepEditor(sent, type("dra"));
    expect(shown(press(draft, "up"))).toBe("second|");
    expect(shown(press(draft, "up", "up", "up"))).toBe("first|");
    expect(shown(press(draft, "up", "up", "down", "down"))).toBe("dra|");
  });

  test("keeps what was changed in a prompt until something is sent", () => {
    const changed = stepEditor(press(sent, "up", "up"), type(" again"));
    const back = press(stepEditor(press(changed, "down", "down"), type("dra")), "up", "up");
    expect(shown(back)).toBe("first again|");
    expect(shown(press(back, "down", "down"))).toBe("dra|");
    expect(shown(press(stepEditor(back, { type: "sent" }), "up", "up", "up"))).toBe("first|");
  });

  test("keeps a prompt once that was sent twice in a row", () => {
    expect(run(type("a"), { type: "sent" }, type("a"), { type: "sent" }).history).toHaveLength(1);
  });
});

describe("a long paste", () => {
  const paste = "line\r\n".repeat(2_000);
  const state = run(type("see "), { type: "paste", text: paste }, type(" ok"));

  test("is one character of the composer, and is sent whole", () => {
    expect([...state.text]).toHaveLength("see  ok".length + 1);
    expect(editorText(state)).toBe(`see ${"line\n".repeat(2_000)} ok`);
  });

  test("shows how many lines it has", () => {
    const { rows } = composerRows(state, { columns: 60, theme: plainTheme, maxRows: 5 });
    expect(
      rows
        .flat()
        .map(({ text }) => text)
        .join(""),
    ).toBe("> see [pasted 2000 lines] ok");
  });

  test("is deleted as one", () => {
    expect(editorText(press(state, "left", "left", "left", "backspace"))).toBe("see  ok");
  });

  test("comes back from the history", () => {
    expect(editorText(press(stepEditor(state, { type: "sent" }), "up"))).toBe(editorText(state));
  });

  test("that was taken with Ctrl-U comes back with Ctrl-Y, beside another paste and behind a sent prompt", () => {
    const taken = stepEditor(press(run({ type: "paste", text: paste }), "ctrl-u"), type("x"));
    const other = `${"row\n".repeat(20)}end`;
    const beside = stepEditor(stepEditor(taken, { type: "clear" }), { type: "paste", text: other });
    expect(editorText(press(beside, "ctrl-y"))).toBe(other + "line\n".repeat(2_000));
    expect(editorText(press(stepEditor(taken, { type: "sent" }), "ctrl-y"))).toBe("line\n".repeat(2_000));
  });

  test("cannot be forged by text that looks like its character", () => {
    expect(run({ type: "paste", text: "a\u{10f000}b" }).text).toBe("ab");
  });
});

describe("the rows of the composer", () => {
  test("are the ones around the cursor, and no more than allowed", () => {
    const state = press(
      run(type(Array.from({ length: 20 }, (_, at) => `line ${at}`).join("\n"))),
      ...Array<KeyName>(10).fill("up"),
    );
    const { rows, cursor } = composerRows(state, { columns: 40, theme: plainTheme, maxRows: 4 });
    expect(rows).toHaveLength(4);
    expect(rows[cursor.y]?.map(({ text }) => text).join("")).toBe("  line 9");
  });

  test("put the cursor behind wide characters", () => {
    expect(composerRows(run(type("日本")), { columns: 40, theme: plainTheme, maxRows: 4 }).cursor).toEqual({
      x: 6,
      y: 0,
    });
  });

  test("fit a terminal of five columns", () => {
    const { rows, cursor } = composerRows(run(type("abcdef")), { columns: 5, theme: plainTheme, maxRows: 9 });
    expect(rows.map((row) => row.map(({ text }) => text).join(""))).toEqual(["> ab", "  cd", "  ef"]);
    expect(cursor).toEqual({ x: 4, y: 2 });
  });

  test.each([
    ["hello big world", ["> hello", "  big", "  world"], { x: 7, y: 2 }],
    ["hello worldwide", ["> hello", "  worldwi", "  de"], { x: 4, y: 2 }],
    ["one two ", ["> one two", "  "], { x: 2, y: 1 }],
    ["one two\n", ["> one two", "  "], { x: 2, y: 1 }],
    ["one two", ["> one two"], { x: 9, y: 0 }],
  ])("break %j between words, and the cursor is behind the last character", (text, shown, cursor) => {
    const found = composerRows(run(type(text)), { columns: 10, theme: plainTheme, maxRows: 9 });
    expect(found.rows.map((row) => row.map((span) => span.text).join(""))).toEqual(shown);
    expect(found.cursor).toEqual(cursor);
  });

  test("have a place of its own for the cursor at each character", () => {
    const text = "one two  three\nfour fives  sixes";
    let state = press(run(type(text)), ...Array<KeyName>(text.length).fill("left"));
    const places = new Set<string>();
    for (let at = 0; at <= text.length; at++) {
      const { cursor } = composerRows(state, { columns: 10, theme: plainTheme, maxRows: 9 });
      expect(cursor.x).toBeLessThan(10);
      places.add(`${cursor.x},${cursor.y}`);
      state = press(state, "right");
    }
    expect(places.size).toBe(text.length + 1);
  });
});
