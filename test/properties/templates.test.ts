import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { hotChunk } from "../../src/codebuff/messages.ts";
import { hotText } from "../../src/codebuff-cli/messages.ts";
import { hotDelta } from "../../src/codey/messages.ts";
import { type HotKind, Templates } from "../../src/core/link/template.ts";
import { parseFrame } from "../../src/core/text.ts";
import { PATIENCE, runs } from "../helpers/runs.ts";

const KINDS: readonly HotKind[] = [hotChunk, hotDelta, hotText];

/** A frame that no parser reads. */
const REFUSED = Symbol("refused");

const parsed = (text: string): unknown => {
  try {
    return parseFrame(text);
  } catch {
    return REFUSED;
  }
};

/** Reads frames as a connection does, and compares each that a template read with the parser. Returns how many those are. */
function readAll(frames: readonly string[]): number {
  const templates = new Templates(KINDS);
  let read = 0;
  for (const frame of frames) {
    const value = templates.read(frame);
    const slow = parsed(frame);
    if (value === undefined) {
      if (slow !== REFUSED) templates.learn(frame, slow);
      continue;
    }
    read++;
    expect(value).toStrictEqual(slow);
    expect(JSON.stringify(value)).toBe(JSON.stringify(slow)); // the members have the same order
  }
  return read;
}

/** Pieces of the text of a literal: valid ones, and what ends, cuts or forges it. */
const PIECES = [
  ...[
    "a",
    "chunk",
    "é",
    "漢",
    "😀",
    "\u2028",
    "}",
    "{",
    ",",
    ":",
    " ",
    "\\n",
    '\\"',
    "\\\\",
    "\\/",
    "\\u0041",
  ],
  ...[
    "\\u00e9",
    "\\ud83d\\ude00",
    "\\ud83d",
    "\\udc00",
    "\ud83d",
    "\\u004",
    "\\x",
    "\\",
    '"',
    "\n",
    "\u0000",
  ],
  ...['"}', '"}}', '","chunk":"b', '","content":"b', '","text":"b', '"chunk":', "__proto__"],
];
const VALID = PIECES.slice(0, 21);

const literal = (pieces: readonly string[]) =>
  fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((parts) => `"${parts.join("")}"`);

/** A string as servers write it: most are valid. */
const string = fc.oneof({ weight: 8, arbitrary: literal(VALID) }, { weight: 1, arbitrary: literal(PIECES) });

const id = fc.constantFrom('"p1"', '"p2"', '"p1-child"', '"é"', '"a\\"b"', '"response-chunk"');

/** Frames of all hot kinds, of other ones, and with members twice, in another order, or shared by reference. */
const frame = fc
  .record({
    id,
    text: string,
    other: string,
    agent: fc.constantFrom("0", "1"),
    space: fc.constantFrom("", " "),
  })
  .chain(({ id, text, other, agent, space: s }) =>
    fc.constantFrom(
      `{"type":${s}"action",${s}"data":${s}{"type":"response-chunk","userInputId":${id},"chunk":${s}${text}}}`,
      `{"type":"action","data":{"type":"response-chunk","chunk":${text},"userInputId":${id}},"txid":${agent}}`,
      `{"type":"action","data":{"type":"response-chunk","userInputId":${id},"chunk":{"type":"text","text":${text}}}}`,
      `{"type":"action","data":{"type":"response-chunk","userInputId":${id},${s}"chunk":${text}}}`,
      `{"type":"action","data":{"type":"response-chunk","userInputId":${id},"chunk":{"type":"text","text":${text},"n":[1]}}}`,
      `{"type":"action","data":{"type":"response-chunk","userInputId":${id},"chunk":${other},"chunk":${text}}}`,
      `{"type":"action","data":{"chunk":${other}},"data":{"type":"response-chunk","userInputId":${id},"chunk":${text}}}`,
      `{"type":"action","__proto__":${agent},"data":{"type":"response-chunk","userInputId":${id},"chunk":${text},"__proto__":1}}`,
      `{"type":"TextDelta","agent_id":${agent},"content":${text}}`,
      `{"type":"ThinkingDelta","content":${text},${s}"agent_id":${agent}}`,
      `{"type":"TextDelta","agent_id":${agent},"content":${text},"cost":NaN}`,
      `{"type":"text","text":${text}}`,
      `{"type":"text","text":${text},"agentId":${id}}`,
      `{"type":"text","text":${text},"extra":${other}}`,
      `{"type":"finish","totalCost":${agent}}`,
    ),
  );

/** A frame as it came, or cut, doubled, padded or with something put in. */
const sent = fc.oneof(
  { weight: 6, arbitrary: frame },
  {
    weight: 1,
    arbitrary: fc.tuple(frame, fc.nat()).map(([text, at]) => text.slice(0, at % (text.length + 1))),
  },
  { weight: 1, arbitrary: fc.tuple(frame, frame).map(([a, b]) => a + b) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(" ", "\t", "\ufeff"), frame).map(([space, text]) => space + text),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(frame, fc.constantFrom(" ", "\n", "\u0000", "}")).map(([text, end]) => text + end),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(frame, fc.nat(), fc.constantFrom(...PIECES)).map(([text, at, piece]) => {
      const cut = at % (text.length + 1);
      return text.slice(0, cut) + piece + text.slice(cut);
    }),
  },
);

test(
  "a frame that a template reads has the value that the parser gives, whatever came before",
  () => {
    let read = 0;
    const stream = fc.array(sent, { minLength: 2, maxLength: 40, size: "max" });
    fc.assert(
      fc.property(stream, (frames) => {
        // Each stream twice: the second time, what could become a template is one.
        read += readAll([...frames, ...frames]);
      }),
      runs(2_000),
    );
    expect(read).toBeGreaterThan(1_000);
  },
  PATIENCE,
);

const FIXTURES = new URL("../fixtures/", import.meta.url).pathname;

/** The texts of all strings and objects in a capture that may be a frame or a line. */
function framesOf(record: unknown): readonly string[] {
  if (typeof record === "string") return record.split("\n");
  if (typeof record !== "object" || record === null) return [];
  return [JSON.stringify(record), ...Object.values(record).flatMap(framesOf)];
}

test("every frame of the captures has the value that the parser gives", () => {
  let read = 0;
  for (const name of readdirSync(FIXTURES, { recursive: true, encoding: "utf8" })) {
    if (!/\.jsonl?$/.test(name)) continue;
    const lines = readFileSync(join(FIXTURES, name), "utf8").split("\n");
    const records = name.endsWith(".json") ? [parsed(lines.join("\n"))] : lines.map(parsed);
    read += readAll(records.flatMap(framesOf));
  }
  expect(read).toBeGreaterThan(100);
});

test("frames of one kind share no object with each other, whoever changes one of them", () => {
  const templates = new Templates(KINDS);
  const chunk = '{"type":"text","text":"a","seen":[1]}';
  const frame = `{"type":"action","data":{"type":"response-chunk","userInputId":"p","chunk":${chunk}}}`;
  const read = (text: string) => {
    const known = templates.read(text) ?? parsed(text);
    templates.learn(text, known);
    return known as { data: { chunk: { text: string; seen?: number[]; added?: true } } };
  };
  for (const text of [frame, frame.replace(',"seen":[1]', "")]) {
    for (let time = 0; time < 3; time++) {
      const value = read(text);
      expect(value).toStrictEqual(parsed(text));
      value.data.chunk.added = true;
      value.data.chunk.seen?.push(2);
    }
  }
});
