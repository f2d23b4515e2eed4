/**
 * One protocol of the soak, in a process of its own: `Child` forks it with an {@link Order}, and requires that it ends
 * by itself once it has said `done`.
 */
import { type ChapterSetup, type Finding, playChapter } from "./chapter.ts";
import { add, type Counts, NOTHING } from "./counts.ts";
import { DRIVERS } from "./drivers.ts";
import { chapterPlan, type ProtocolName, type SoakedName } from "./plan.ts";

/** What a child is to do. */
export interface Order {
  readonly protocol: SoakedName;
  readonly seed: number;
  /** The one chapter to play; undefined for one after the other. */
  readonly only?: number | undefined;
  /** ms after which no chapter is begun any more. */
  readonly time: number;
  /** Turns after which none is begun any more. */
  readonly turns: number;
  /** Chapters after which none is begun any more. */
  readonly times: number;
  readonly strictLine: boolean;
}

/** What a child says. */
export type Message =
  /** `chapters`: those under way. */
  | { readonly type: "progress"; readonly turns: number; readonly chapters?: readonly number[] }
  | { readonly type: "chapter"; readonly counts: Counts }
  | { readonly type: "finding"; readonly finding: Finding }
  | { readonly type: "done" }
  /** It should have ended by itself; this is what holds it. */
  | { readonly type: "held"; readonly by: readonly string[] };

/** Clients at a time: most of their time they wait. */
const LANES = 4;

/** ms in which a turn settles, and a client closes: with the short limits of the soak it takes a few seconds at most. */
const BOUND = 30_000;

/** ms between two words of progress. */
const TELLING = 500;

/** ms after which a child that has not ended says what holds it; less than its parent allows. */
const HELD = 5_000;

const order: Order & { readonly protocol: ProtocolName } = JSON.parse(process.argv[2] ?? "{}");
const say = (message: Message): void => void process.send?.(message);

/** Chapters under way, for what cannot be laid to one of them. */
const running = new Set<number>();
let stopped = false;
let settled = 0;
let total = NOTHING;

function find(finding: Finding): void {
  stopped = true;
  say({ type: "finding", finding });
}

function uncaught(kind: string): (error: unknown) => void {
  return (error) => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const message = `${text}\n  in one of the chapters ${[...running].join(", ")}`;
    find({ kind, message, turn: undefined, chapter: Math.min(...running), frames: [] });
  };
}
process.on("unhandledRejection", uncaught("unhandled-rejection"));
process.on("uncaughtException", uncaught("uncaught-exception"));

const telling = setInterval(() => say({ type: "progress", turns: settled, chapters: [...running] }), TELLING);
const { protocol, seed, strictLine } = order;
const setup: ChapterSetup = {
  seed,
  protocol,
  driver: DRIVERS[protocol],
  strictLine,
  bound: BOUND,
  progress: () => {
    settled++;
  },
};

let begun = 0;
const end = performance.now() + order.time;

async function lane(): Promise<void> {
  while (!stopped && performance.now() < end && settled < order.turns && begun < order.times) {
    const number = order.only ?? begun;
    begun++;
    running.add(number);
    const { counts, findings } = await playChapter(chapterPlan(seed, protocol, number), setup);
    running.delete(number);
    total = add(total, counts);
    say({ type: "chapter", counts });
    for (const finding of findings) find(finding);
  }
}

await Promise.all(Array.from({ length: LANES }, lane));
clearInterval(telling);
say({ type: "done" });
setTimeout(() => say({ type: "held", by: process.getActiveResourcesInfo() }), HELD).unref();
