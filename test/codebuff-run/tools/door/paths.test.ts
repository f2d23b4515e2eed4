import { describe, expect, test } from "vitest";
import { Paths } from "../../../../src/codebuff-run/tools/door/paths.ts";
import { Refusal } from "../../../../src/codebuff-run/tools/door/refusal.ts";

const linux = new Paths({ roots: ["/srv/me/proj", "/p"], platform: "linux" });
const mac = new Paths({ roots: ["/Volumes/me/Proj"], platform: "darwin" });
const windows = new Paths({ roots: ["C:\\me\\proj"], platform: "win32" });

function outcome(paths: Paths, path: unknown, use: "read" | "write" = "read"): string {
  try {
    return paths.resolve(path, use);
  } catch (error) {
    if (error instanceof Refusal) return `(${error.reason})`;
    throw error;
  }
}

describe("a path", () => {
  test.each([
    ["", ""],
    [".", ""],
    ["a/./b//c/../d", "a/b/d"],
    ["a/", "a"],
    ["/srv/me/proj", ""],
    ["/srv/me/proj/a/b", "a/b"],
    ["/p/a", "a"],
    ["..foo/..", ""],
    ["a/../../proj/b", "b"],
    ["C:\\x", "C:\\x"],
    ["..", "(outside)"],
    ["../proj-evil", "(outside)"],
    ["../PROJ/a", "(outside)"],
    ["/srv/me/projx", "(outside)"],
    ["//srv/me", "(outside)"],
  ])("%j resolves to %j", (path, expected) => {
    expect(outcome(linux, path)).toBe(expected);
  });

  test.each([[undefined], [null], [7], [["a"]], [{ toString: () => "a" }], [new String("a")]])(
    "that is no string is refused: %o",
    (path) => {
      expect(outcome(linux, path)).toBe("(invalid)");
    },
  );

  test.each(["", ".", "a/", "a/.", "a/..", "/p/a"])(
    "to write is refused unless it is relative and names a file: %j",
    (path) => {
      expect(outcome(linux, path, "write")).toBe("(invalid)");
    },
  );

  test("may have at most 4096 bytes", () => {
    const name = `${"a".repeat(254)}/`;
    expect(outcome(linux, name.repeat(16) + "a".repeat(16))).toHaveLength(4_096);
    expect(outcome(linux, name.repeat(16) + "a".repeat(17))).toBe("(invalid)");
  });

  test("is shortened in a message, and loses its control characters", () => {
    expect(() => linux.resolve(`../${"a\n".repeat(100)}`, "read")).toThrow(/^Path '[^\n]{203}' is outside/);
  });
});

describe("on macOS", () => {
  test("an absolute path is compared case-insensitively", () => {
    expect(outcome(mac, "/volumes/ME/proj/Src")).toBe("Src");
    expect(outcome(mac, "../PROJ/Src")).toBe("Src");
    expect(outcome(mac, "/Volumes/me/Proj-evil")).toBe("(outside)");
  });
});

describe("on Windows", () => {
  test.each([
    ["a\\b/c", "a/b/c"],
    ["a\\..\\b", "b"],
    ["C:\\me\\proj\\a", "a"],
    ["c:/ME/Proj/a", "a"],
    ["\\me\\proj\\a", "a"],
    ["console.log", "console.log"],
    ["com10", "com10"],
    ["nul-1", "nul-1"],
    ["..\\proj-evil\\a", "(outside)"],
    ["C:\\Windows\\win.ini", "(outside)"],
    ["D:\\me\\proj\\a", "(outside)"],
    ["\\Windows", "(outside)"],
    ["C:a", "(invalid)"],
    ["C:", "(invalid)"],
    ["D:..\\a", "(invalid)"],
    ["\\\\server\\share\\a", "(invalid)"],
    ["//server/share/a", "(invalid)"],
    ["\\\\?\\C:\\me\\proj\\a", "(invalid)"],
    ["//?/C:/me/proj/a", "(invalid)"],
    ["\\\\.\\PhysicalDrive0", "(invalid)"],
    ["\\??\\C:\\me", "(invalid)"],
    ["a.txt:stream", "(invalid)"],
    ["a::$DATA", "(invalid)"],
    ["C:\\me\\proj\\a:b", "(invalid)"],
    [".git::$INDEX_ALLOCATION\\config", "(invalid)"],
    ["nul", "(invalid)"],
    ["src\\CON.txt", "(invalid)"],
    ["aux .c", "(invalid)"],
    ["a/COM1", "(invalid)"],
    ["LPT\u00b2.log", "(invalid)"],
    ["CONIN$", "(invalid)"],
    ["a.", "(invalid)"],
    [".git \\config", "(invalid)"],
    ["..  \\a", "(invalid)"],
    ["...", "(invalid)"],
    ["a?", "(invalid)"],
    ["a\u0007", "(invalid)"],
  ])("%j resolves to %j", (path, expected) => {
    expect(outcome(windows, path)).toBe(expected);
  });

  test.each(["C:\\me\\proj\\a", "\\me\\proj\\a", "a\\"])("%j is refused for a write", (path) => {
    expect(outcome(windows, path, "write")).toBe("(invalid)");
  });
});
