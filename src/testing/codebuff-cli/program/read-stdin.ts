// Reads stdin to its end or a time limit.
import { fstatSync } from "node:fs";
import { isatty } from "node:tty";
import type { FakeCodebuffRecord } from "../record.ts";
import { pause } from "./pause.ts";

/** The kind of fd 0. */
export function stdinKind(): FakeCodebuffRecord["stdin"]["kind"] {
  if (isatty(0)) return "tty";
  try {
    const stat = fstatSync(0);
    if (stat.isFIFO() || stat.isSocket()) return "pipe";
    return stat.isFile() ? "file" : "closed";
  } catch {
    return "closed"; // Windows has no such descriptor then
  }
}

/**
 * Reads stdin to its end. Gives up if no byte arrives within a number of ms. Does not read a terminal, whose user
 * expects an interactive program.
 */
export async function readStdin(kind: FakeCodebuffRecord["stdin"]["kind"], waitMs: number): Promise<string> {
  if (kind === "tty" || kind === "closed") return "";
  const received: Uint8Array[] = [];
  const late = new AbortController();
  const all = (async () => {
    for await (const bytes of process.stdin) {
      received.push(bytes);
      late.abort();
    }
    late.abort();
  })();
  all.catch(() => late.abort()); // a broken pipe counts as ended
  await pause(waitMs, late.signal);
  if (received.length === 0) return "";
  await all.catch(() => {});
  return Buffer.concat(received).toString("utf8");
}
