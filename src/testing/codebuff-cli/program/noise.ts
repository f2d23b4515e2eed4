// Writes noise to stderr.
import { Buffer } from "node:buffer";
import type { FakeCodebuffScenario } from "../scenario.ts";
import { breathe, pause } from "./pause.ts";
import type { Sink } from "./sink.ts";

/** As much as is written at once: a whole number of lines, near what a pipe holds. */
const LINE = `${"noise ".repeat(13)}\n`;
const BLOCK = Buffer.from(LINE.repeat(800));

/** What goes to stderr beside the events; resolves once all of it has. */
export async function makeNoise(
  { stderr: texts = [], stderrFlood = 0 }: FakeCodebuffScenario,
  stderr: Sink,
): Promise<void> {
  const saying = texts.map(async ({ text, atMs = 0 }) => {
    // The clock of a process starts before its first statement.
    if (atMs > 0) await pause(Math.max(0, atMs - performance.now()));
    await stderr.write(Buffer.from(text));
  });
  for (let left = stderrFlood; left > 0 && !stderr.broken; left -= BLOCK.length) {
    await stderr.write(BLOCK.subarray(0, left));
    await breathe();
  }
  await Promise.all(saying);
}
