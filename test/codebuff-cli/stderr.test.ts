import fc from "fast-check";
import { expect } from "vitest";
import { StderrKeeper } from "../../src/codebuff-cli/stderr.ts";
import { describe, test } from "./rows.ts";

function kept(text: string | readonly string[], redact: (line: string) => string = (line) => line) {
  const keeper = new StderrKeeper(redact);
  const told = (typeof text === "string" ? [text] : text).flatMap((piece) => [
    ...keeper.push(Buffer.from(piece)),
  ]);
  return { told: [...told, ...keeper.end()], ...keeper.kept };
}

const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `line ${at}`);

describe("the recorder of stderr", () => {
  test.each([0, 1, 19, 20, 21, 69, 70, 71, 120, 1_000])(
    "keeps of %i lines the first 20 and the last 50",
    (count) => {
      const lines = numbered(count);
      expect(kept(lines.map((line) => `${line}\n`))).toEqual({
        told: lines,
        head: lines.slice(0, 20),
        tail: lines.slice(20).slice(-50),
        truncated: count > 70,
        totalLines: count,
      });
    },
  );

  test("cuts a kept line at 2,000 characters, and emits it whole", () => {
    const { told, head, truncated } = kept(`${"a".repeat(2_001)}\n${"b".repeat(2_000)}\n`);
    expect(told.map(({ length }) => length)).toEqual([2_001, 2_000]);
    expect(head.map(({ length }) => length)).toEqual([2_000, 2_000]);
    expect(truncated).toBe(true);
    expect(kept(`${"b".repeat(2_000)}\n`).truncated).toBe(false);
  });

  test("replaces an endless line with its length", () => {
    expect(kept("a".repeat(70_000)).head).toEqual(["(a line of 70000 bytes)"]);
  });

  test("removes escape sequences", () => {
    expect(kept("\u001b[31mred\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u0007\n").head).toEqual([
      "red link",
    ]);
  });

  test("removes a credential before it cuts the line, even with escape sequences inside", () => {
    const hide = (line: string): string => line.replaceAll("hush-4f9b", "[redacted]");
    const { head, told } = kept(`${"a".repeat(1_995)}hush-4f9b\nkey=hu\u001b[1msh-4f9b\n`, hide);
    expect(JSON.stringify({ head, told })).not.toContain("hush");
    expect(head[1]).toBe("key=[redacted]");
  });

  test("property: keeps the same for any split of the bytes", () => {
    const lines = fc.array(fc.string(), { maxLength: 100 });
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 9 }), (words, size) => {
        const text = words.join("\n");
        const bytes = Buffer.from(text);
        const keeper = new StderrKeeper((line) => line);
        for (let at = 0; at < bytes.length; at += size) keeper.push(bytes.subarray(at, at + size));
        keeper.end();
        const { told: _, ...whole } = kept(text);
        expect(keeper.kept).toEqual(whole);
      }),
    );
  });

  test("7 stderr bounded: keeps 70 lines of 100 MB, with the first and the last line", () => {
    const keeper = new StderrKeeper((line) => line);
    const noise = Buffer.from(`${"noise ".repeat(16)}\n`.repeat(1_024));
    keeper.push(Buffer.from("first\n"));
    const pieces = Math.ceil(100_000_000 / noise.length);
    for (let count = 0; count < pieces; count++) keeper.push(noise);
    keeper.push(Buffer.from("last"));
    keeper.end();
    const { head, tail, totalLines } = keeper.kept;
    expect([head.length, tail.length, totalLines]).toEqual([20, 50, pieces * 1_024 + 2]);
    expect([head[0], tail.at(-1)]).toEqual(["first", "last"]);
  });
});
