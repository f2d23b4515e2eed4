import { expect, test } from "vitest";
import type { ProgramMark } from "./support/marks.ts";
import { countFullClears } from "./support/output.ts";
import type { Terminal } from "./support/terminal.ts";
import { composer, leave, over, scripted, send, withoutBlanks } from "./support/user.ts";

const MAX_FRAMES_PER_SECOND = 30;
/** A window of time shows one frame more than fits in it: one at each end. */
const EDGE = 1;
/** 100 ms at 30 frames a second. */
const MAX_FRAMES_UNTIL_SHOWN = 3;
const KEYS = 200;
/** 75 keys a second and more: no person types so fast. */
const KEYS_PER_FRAME = 3;

function marksOf(terminal: Terminal): ProgramMark[] {
  const marks: ProgramMark[] = [];
  terminal.onMark((text) => marks.push(JSON.parse(text)));
  return marks;
}

/** The most frames that the program began within one second of its own clock. */
function busiestSecond(marks: readonly ProgramMark[]): number {
  const times = marks.flatMap((mark) => (mark.type === "frame" ? [mark.ms] : []));
  let most = 0;
  let from = 0;
  for (const [at, time] of times.entries()) {
    while (time - (times[from] ?? time) > 1_000) from++;
    most = Math.max(most, at - from + 1);
  }
  return most;
}

test("keys typed at 1,000 chunks a second are all shown within 100 ms, at 30 frames a second at most", async () => {
  await using terminal = await scripted({ args: ["--marks"] });
  const marks = marksOf(terminal);
  await send(terminal, "flood");
  await terminal.until("word200");
  const letters = "abcdefghijklmnopqrstuvwxyz";
  const text = letters.repeat(KEYS).slice(0, KEYS);

  /** How many keys have arrived at the program, and how many frames each of them waited to be shown. */
  let arrived = 0;
  let shown = 0;
  let frames = 0;
  const arrivals: number[] = [];
  const waits: number[] = [];
  terminal.onMark((mark) => {
    const { type, bytes = 0 } = JSON.parse(mark);
    if (type !== "keys") return;
    arrived += bytes;
    while (arrivals.length < arrived) arrivals.push(frames);
  });
  terminal.onFrame(() => {
    frames++;
    const typed = typedIn(terminal, text);
    for (; shown < typed; shown++) waits.push(frames - (arrivals[shown] ?? Number.NaN));
  });
  for (let at = 0; at < text.length; at += KEYS_PER_FRAME) {
    const before = frames;
    for (const key of text.slice(at, at + KEYS_PER_FRAME)) terminal.type(key);
    await terminal.until(() => frames > before);
  }
  await terminal.until(() => typedIn(terminal, text) === text.length);
  expect(waits).toHaveLength(text.length);
  expect(Math.max(...waits)).toBeLessThanOrEqual(MAX_FRAMES_UNTIL_SHOWN);
  expect(busiestSecond(marks)).toBeLessThanOrEqual(MAX_FRAMES_PER_SECOND + EDGE);
  expect(countFullClears(terminal.raw)).toBe(0);
  terminal.press("escape");
  await over(terminal);
  terminal.press("enter");
  await terminal.until(`You said ${text.length} characters`);
  await leave(terminal);
});

/** How many characters of the text are in the composer. Blanks do not count. */
function typedIn(terminal: Terminal, text: string): number {
  const typed = withoutBlanks(composer(terminal));
  return text.startsWith(typed) ? typed.length : 0;
}
