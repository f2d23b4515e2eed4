/** A program that prints so many events, as the Codebuff CLI would, as fast as they are read: `node print-lines.ts <how many>`. */
import { once } from "node:events";
import { TEXTS } from "./frames.ts";

const LINES = TEXTS.map((text) => `${JSON.stringify({ type: "text", text })}\n`);

/** Lines in one write: as many as a pipe takes at once. */
const AT_ONCE = 512;

const count = Number(process.argv[2]);
for (let printed = 0; printed < count; printed += AT_ONCE) {
  const size = Math.min(AT_ONCE, count - printed);
  const lines = Array.from({ length: size }, (_, at) => LINES[(printed + at) % LINES.length]);
  if (!process.stdout.write(lines.join(""))) await once(process.stdout, "drain");
}
process.stdout.write(`${JSON.stringify({ type: "finish", totalCost: 1 })}\n`);
