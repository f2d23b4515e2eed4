import fc from "fast-check";

const character = fc.constantFrom("a", "b", "A", "é", "1", "_", " ", ".", "-", "🦉", "\t", "x", "ß", "𝐀");
export const line = fc.string({ unit: character, maxLength: 8 });

/** What Rust's expressions and JavaScript's say alike, once translated. */
const atom = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("a", "b", "A", "é", "1", "_", "\\.", " ", "x", "🦉", "-", "ß") },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...[".", "\\w", "\\W", "\\d", "\\D", "\\s", "\\S", "\\b", "\\B", "^", "$", "[ab]", "[^ab]", "[a-c1]"],
      ...[
        "[[:alpha:]]",
        "[^[:space:]]",
        "[\\w&&[^a]]",
        "[a-z--b]",
        "[]a]",
        "[-a]",
        "\\pL",
        "\\p{Greek}",
        "\\x61",
      ],
      ...[
        "\\<",
        "\\>",
        "\\t",
        "]",
        "}",
        "\\{",
        "[.]",
        "[a[b-]]",
        "[[:nope:]]",
        "[^[:^alpha:]a]",
        "\\u{e9}",
        "\\b{start}",
      ],
    ),
  },
);
const quantifier = fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{1,}", "{0,2}", "*?", "+?");
const { pattern: expression } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  pattern: fc
    .array(fc.tuple(tie("part"), quantifier), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.flat().join("")),
  part: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    { weight: 5, arbitrary: atom },
    { weight: 1, arbitrary: tie("pattern").map((inner) => `(?:${inner})`) },
    { weight: 1, arbitrary: fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => `(${a}|${b})`) },
  ),
}));
export const pattern = fc.oneof(
  expression,
  expression.map((each) => `(?i)${each}`),
  line.filter((each) => each !== ""),
);
