/** The relay over one kind of log, in a process of its own, as `../player.ts` is for a protocol: the same orders and words. */
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { endOnSignal } from "../../../scripts/support/run.ts";
import { tempFolder } from "../../../scripts/support/temp-folder.ts";
import { SOURCES } from "../../helpers/sources.ts";
import { add, NOTHING } from "../counts.ts";
import type { Message, Order } from "../player.ts";
import { playRelay } from "./chapter.ts";
import { countsOf, evidence } from "./report.ts";

/** ms of the faults in a chapter. Chapters are judged at their ends, so one must not be too long. */
const CHAPTER = 60_000;

/** ms that a chapter needs behind its faults, about. */
const END = 8_000;

/** ms after which a process that has not ended says what holds it; less than its parent allows. */
const HELD = 5_000;

const ROOT = join(import.meta.dirname, "../../..");

const order: Order = JSON.parse(process.argv[2] ?? "{}");
const log = order.protocol === "relay-redis" ? "redis" : "sqlite";
const say = (message: Message): void => void process.send?.(message);

/** The program of the servers as one file: they start often. */
async function bundle(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"), "dir");
  const outfile = join(folder, "server.mjs");
  await build({
    entryPoints: [join(import.meta.dirname, "server.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "es2022",
    alias: { ...SOURCES },
    external: ["redis", "ws", "isomorphic-ws"],
    logLevel: "error",
  });
  return outfile;
}

async function play(): Promise<void> {
  await using folder = await tempFolder();
  const program = await bundle(folder.path);
  const end = performance.now() + order.time;
  let before = NOTHING;
  for (let played = 0; played < order.times && before.turns < order.turns; played++) {
    const left = end - performance.now() - (played > 0 ? END : 0);
    if (played > 0 && left < CHAPTER / 4) break;
    const number = order.only ?? played;
    const turns = before.turns;
    const report = await playRelay({
      log,
      seed: order.seed,
      number,
      time: Math.min(CHAPTER, Math.max(CHAPTER / 12, left)),
      program,
      progress: (prompts) => say({ type: "progress", turns: turns + prompts }),
    });
    const counts = countsOf(report);
    before = add(before, counts);
    say({ type: "chapter", counts });
    const { violations } = report;
    for (const violation of violations)
      say({
        type: "finding",
        finding: { ...violation, turn: undefined, chapter: number, frames: evidence(violation, report) },
      });
    if (violations.length > 0) break;
  }
}

endOnSignal();
await play();
say({ type: "done" });
setTimeout(() => say({ type: "held", by: process.getActiveResourcesInfo() }), HELD).unref();
