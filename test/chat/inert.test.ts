import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createInert, inert, MAX_COMBINING_MARKS, MAX_SEQUENCE_LENGTH } from "../../src/chat/print/inert.ts";
import { reveal } from "../../src/chat/print/reveal.ts";
import { InvalidInputError } from "../../src/core/errors.ts";
import { PATIENCE, runs } from "../helpers/runs.ts";
import { workOf } from "../properties/support/work.ts";
import { ATTACKS, hostileText, INVISIBLES, REAL_TEXT } from "./support/hostile-text.ts";

const namesOf = <T extends object>(table: T) => Object.keys(table) as (keyof T & string)[];

/** Controls but tab and line feed, bidirectional controls, default-ignorable characters but joiners and the selectors of emoji, halves. */
const FORBIDDEN = [
  /[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029\ufff9-\ufffb]/u,
  /\p{Default_Ignorable_Code_Point}/u,
];

const IN_PLACES = "\u200c\u200d\ufe0e\ufe0f";

function forbiddenIn(text: string): string[] {
  return [...text].filter(
    (character) => !`\n\t${IN_PLACES}`.includes(character) && FORBIDDEN.some((each) => each.test(character)),
  );
}

/** The characters of one class that a terminal must not get, by the engine's own tables. */
function* pointsWhere(holds: (character: string) => boolean): Iterable<number> {
  for (let point = 0; point <= 0x10ffff; point++) if (holds(String.fromCodePoint(point))) yield point;
}

describe("inert removes", () => {
  test.each(namesOf(ATTACKS))("the escape sequence %s and nothing else", (name) => {
    const visible = name === "hyperlink" ? "https://good.example" : "";
    expect(inert(`before${ATTACKS[name]}behind`)).toBe(`before${visible}behind`);
    expect(inert(ATTACKS[name])).toBe(visible);
  });

  test.each(namesOf(ATTACKS))("every control character of %s cut off at any point", (name) => {
    const attack: string = ATTACKS[name];
    for (let cut = 0; cut < attack.length; cut++)
      expect(forbiddenIn(inert(attack.slice(0, cut)))).toEqual([]);
  });

  test.each(namesOf(INVISIBLES))("%s", (name) => {
    expect(inert(`be${INVISIBLES[name]}hind`)).toBe("behind");
  });

  test("every control, lone surrogate, bidirectional and default-ignorable character", () => {
    const left = [...pointsWhere((character) => forbiddenIn(character).length > 0)].filter(
      (point) => forbiddenIn(inert(`a${String.fromCodePoint(point)}b`)).length > 0,
    );
    expect(left).toEqual([]);
  });

  test("format characters without a visible shape only: Arabic number signs stay", () => {
    const kept = [...pointsWhere((character) => /\p{Cf}/u.test(character))].filter((point) =>
      inert(`a${String.fromCodePoint(point)}b`).includes(String.fromCodePoint(point)),
    );
    expect(kept.map((point) => point.toString(16))).toEqual([
      ...["600", "601", "602", "603", "604", "605", "6dd", "70f", "890", "891", "8e2", "110bd", "110cd"],
    ]);
  });

  test("no visible character", () => {
    const shown = pointsWhere((character) => /[\p{L}\p{N}\p{P}\p{S}\p{Zs}\p{Co}]/u.test(character));
    const lost = [...shown]
      .map((point) => String.fromCodePoint(point))
      .filter((character) => forbiddenIn(character).length === 0 && inert(character) !== character);
    expect(lost).toEqual([]);
  });

  test("the bidirectional characters of a trojan source comment", () => {
    const source = "if (admin \u202e\u2066// check\u2069 \u2066) {";
    expect(inert(source)).toBe("if (admin // check ) {");
  });
});

describe("inert keeps", () => {
  test.each(namesOf(REAL_TEXT))("%s", (name) => {
    expect(inert(REAL_TEXT[name])).toBe(REAL_TEXT[name]);
  });

  test.each([
    ["a\r\nb", "a\nb"],
    ["a\rb", "a\nb"],
    ["a\r\r\nb", "a\n\nb"],
    ["a\n\nb", "a\n\nb"],
    ["a\r\u001b[0m\nb", "a\nb"],
    ["a\r\tb\nc", "a\n\tb\nc"],
    ["a\u2028b\u2029c", "a\nb\nc"],
    ["\u001b[3\n1mred", "\nred"],
  ])("the line breaks of %j, as line feeds", (given, shown) => {
    expect(inert(given)).toBe(shown);
  });

  test("text on one line, if asked", () => {
    expect(inert("a\r\nb\tc\u2028d", { keepNewlines: false })).toBe("a b\tc d");
    expect(inert("a\r\nb\tc", { keepNewlines: false, keepTabs: false })).toBe("a b c");
    expect(inert("a\nb\tc", { keepTabs: false })).toBe("a\nb c");
  });

  test.each([
    ["\ud83d", "\ufffd"],
    ["\ude00\ud83d", "\ufffd\ufffd"],
    ["\ud83d\u001b[m\ude00", "\ufffd\ufffd"],
    ["\ud83d\ud83d\ude00", "\ufffd\ud83d\ude00"],
  ])("no lone surrogate: %j", (given, shown) => {
    expect(inert(given)).toBe(shown);
  });

  test.each([
    ["between Latin letters", "pass\u200dword", "password"],
    ["a non-joiner between Latin letters", "pass\u200cword", "password"],
    ["several in a row", "می\u200c\u200c\u200dخ", "می\u200cخ"],
    ["at the end", "می\u200c", "می"],
    ["before Latin", "می\u200ca", "میa"],
    ["between emoji and text", "👩\u200da", "👩a"],
    ["a second selector", "❤\ufe0f\ufe0f", "❤\ufe0f"],
    ["a selector after a digit only", "1\ufe0f2", "12"],
    ["a selector after a letter", "a\ufe0f", "a"],
  ])("no needless joiner or variation selector: %s", (_name, given, shown) => {
    expect(inert(given)).toBe(shown);
  });

  test("a limited number of combining marks on one character", () => {
    const zalgo = `e${"\u0301\u0489".repeat(500)}x`;
    expect(inert(zalgo)).toBe(`e${"\u0301\u0489".repeat(MAX_COMBINING_MARKS / 2)}x`);
    const spaced = `e${"\u0301\u200d\u200b\u001b[m".repeat(500)}x`;
    expect(inert(spaced)).toBe(`e${"\u0301".repeat(MAX_COMBINING_MARKS)}x`);
    const joined = `क${"\u094d\u200d".repeat(500)}`;
    expect([...inert(joined)].length).toBeLessThanOrEqual(1 + 2 * MAX_COMBINING_MARKS);
  });

  test("the text after a sequence that exceeds the length limit", () => {
    const body = "x".repeat(MAX_SEQUENCE_LENGTH - 1); // and the escape character
    expect(inert(`\u001b${"]".padEnd(body.length, "x")}`)).toBe("");
    expect(inert(`\u001b${"]".padEnd(body.length, "x")}text`)).toBe("text");
    expect(inert(`\u001b]${body}\u0007text`)).toBe("xtext");
  });
});

describe("inert, for any text,", () => {
  test(
    "leaves no forbidden character, and a second call changes nothing",
    () => {
      fc.assert(
        fc.property(hostileText, fc.boolean(), fc.boolean(), (text, keepNewlines, keepTabs) => {
          const options = { keepNewlines, keepTabs };
          const shown = inert(text, options);
          expect(forbiddenIn(shown)).toEqual([]);
          if (!keepNewlines) expect(shown).not.toContain("\n");
          if (!keepTabs) expect(shown).not.toContain("\t");
          expect(inert(shown, options)).toBe(shown);
        }),
        runs(3_000),
      );
    },
    PATIENCE,
  );

  test(
    "never shows more than MAX_COMBINING_MARKS marks in a row",
    () => {
      const tooMany = new RegExp(`(?:\\p{M}[\\u200c\\u200d]?){${MAX_COMBINING_MARKS + 1}}`, "u");
      const marks = fc.string({
        unit: fc.constantFrom("\u0301", "\u094d", "\u200d", "\ufe0f", "क", "👩", "\u001b[m", "\u200b", "a"),
        maxLength: 60,
      });
      fc.assert(
        fc.property(marks, (text) => {
          expect(inert(text).replaceAll("\ufe0f", "")).not.toMatch(tooMany);
        }),
        runs(1_000),
      );
    },
    PATIENCE,
  );

  test(
    "gives the same result for text in any pieces",
    () => {
      fc.assert(
        fc.property(hostileText, fc.array(fc.nat({ max: 200 }), { maxLength: 12 }), (text, cuts) => {
          const stream = createInert();
          let shown = "";
          let from = 0;
          for (const cut of cuts.map((at) => at % (text.length + 1)).sort((a, b) => a - b)) {
            shown += stream.push(text.slice(from, cut));
            from = cut;
          }
          shown += stream.push(text.slice(from)) + stream.end();
          expect(shown).toBe(inert(text));
          expect(stream.push(text) + stream.end()).toBe(shown); // as new
        }),
        runs(2_000),
      );
    },
    PATIENCE,
  );

  test("gives the same result in pieces beyond the longest sequence", () => {
    const text = `\u001b]0;${"🙂".repeat(MAX_SEQUENCE_LENGTH)}\u0007 end`;
    const stream = createInert();
    let shown = "";
    for (const unit of text.split("")) shown += stream.push(unit);
    expect(shown + stream.end()).toBe(inert(text));
    expect(shown).toMatch(/ end$/);
  });
});

describe("a stream of inert text", () => {
  test("holds back at most one character", () => {
    const stream = createInert();
    expect(stream.push("می\u200c")).toBe("می");
    expect(stream.push("خ\ud83d")).toBe("\u200cخ");
    expect(stream.push("\ude00\r")).toBe("😀\n");
    expect(stream.push("\nx")).toBe("x");
    expect(stream.push("\ud83d")).toBe("");
    expect(stream.end()).toBe("\ufffd");
  });
});

describe("inert takes linear time for any text", () => {
  const hostile = {
    plain: (size: number) => "a".repeat(size),
    escapes: (size: number) => "\u001b".repeat(size),
    openTitle: (size: number) => `\u001b]${"0;".repeat(size / 2)}`,
    openTitles: (size: number) => "\u001b]".repeat(size / 2),
    csiWithoutEnd: (size: number) => `\u001b[${"1;".repeat(size / 2)}`,
    joiners: (size: number) => `م${"\u200c".repeat(size)}`,
    families: (size: number) => "👩\u200d".repeat(size / 3),
    zalgo: (size: number) => `e${"\u0301".repeat(size)}`,
    halves: (size: number) => "\ud83d".repeat(size),
    returns: (size: number) => "\r".repeat(size),
    alternating: (size: number) => "a\u001b[m".repeat(size / 4),
  };
  test.each(namesOf(hostile))("%s", (name) => {
    const per = (size: number): number => workOf(() => void inert(hostile[name](size))) / size;
    expect(per(120_000)).toBeLessThan(30);
    expect(per(120_000)).toBeLessThan(per(24_000) * 1.5);
  });
});

describe("inert and createInert refuse", () => {
  test.each([
    [
      "an option that does not exist",
      () => inert("", { keepNewLines: true } as object),
      /Did you mean `keepNewlines`/,
    ],
    ["an option of another type", () => createInert({ keepTabs: 1 } as object), /`keepTabs` is 1/],
    ["a text that is not a string", () => inert(Object(5)), /the text is an object/],
    ["a delta that is not a string", () => createInert().push(Object(5)), /the text is an object/],
  ])("%s", (_name, call, message) => {
    expect(call).toThrow(InvalidInputError);
    expect(call).toThrow(message);
  });
});

describe("reveal", () => {
  test("shows a command that inert would hide", () => {
    const command = "echo hi \u001b]0; && rm -rf ~\u0007";
    expect(inert(command)).toBe("echo hi ");
    expect(reveal(command)).toBe("echo hi \\u{1b}]0; && rm -rf ~\\u{7}");
  });

  test.each([
    ["a\u200db\u202e", "a\\u{200d}b\\u{202e}"],
    ["a\r\nb\tc", "a\\u{d}\nb\tc"],
    ["\ud83d \u{e0041} \u2028", "\\u{d83d} \\u{e0041} \\u{2028}"],
    ["héllo 日本", "héllo 日本"],
    ["\\u{1b} \\n \\u1b", "\\u{5c}u{1b} \\n \\u1b"],
  ])("shows %j as %j", (given, shown) => {
    expect(reveal(given)).toBe(shown);
  });

  test(
    "leaves nothing for inert to remove, and is reversible",
    () => {
      const text = fc.oneof(
        hostileText,
        fc.string({ unit: fc.constantFrom("\\", "u", "{1b}", "{5c}", "\u001b") }),
      );
      const hidden = /\\u\{([0-9a-f]+)\}/g;
      fc.assert(
        fc.property(text, (given) => {
          const shown = reveal(given);
          expect(inert(shown)).toBe(shown);
          const read = shown.replace(hidden, (_, point) => String.fromCodePoint(Number.parseInt(point, 16)));
          expect(read).toBe(given);
        }),
        runs(1_000),
      );
    },
    PATIENCE,
  );
});
