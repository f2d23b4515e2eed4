import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { add, type Counts, NOTHING } from "./counts.ts";
import type { SoakedName } from "./plan.ts";
import type { Message, Order } from "./player.ts";
import { command, tell } from "./report.ts";

/** ms in which a process ends by itself, once its work is done; on an idle machine it takes a tenth of a second. */
const EXIT_BOUND = 15_000;

/** ms in which a turn settles or a chapter ends; otherwise the process counts as hanging. More than any bound in it. */
const SILENCE = 120_000;

/** Characters of the error output that are kept. */
const KEPT = 4_000;

const PLAYER = join(import.meta.dirname, "player.ts");

/** What a child runs, and how long it may take; only tests have others. */
export interface ChildOptions {
  readonly program?: string;
  /** ms to its end */
  readonly exitBound?: number;
  /** ms to its next settled turn, or the end of a chapter */
  readonly silence?: number;
}

const FROM_SOURCE = new URL("../helpers/from-source.ts", import.meta.url).href;

/** The process of one protocol. */
export class Child {
  readonly protocol: SoakedName;
  readonly over: Promise<void>;
  /** Every violation, told. */
  readonly problems: string[] = [];
  counts: Counts = NOTHING;
  readonly #order: Order;
  readonly #exitBound: number;
  readonly #silence: number;
  readonly #process: ChildProcess;
  #settled = 0;
  #chapters: readonly number[] = [];
  #stderr = "";
  #state: "playing" | "done" | "gone" = "playing";
  #heldBy: readonly string[] | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    order: Order,
    { program = PLAYER, exitBound = EXIT_BOUND, silence = SILENCE }: ChildOptions = {},
  ) {
    this.protocol = order.protocol;
    this.#order = order;
    this.#exitBound = exitBound;
    this.#silence = silence;
    this.#process = fork(program, [JSON.stringify(order)], {
      execArgv: ["--import", FROM_SOURCE],
      stdio: ["ignore", "inherit", "pipe", "ipc"],
    });
    const kill = (): void => void this.#process.kill("SIGKILL");
    process.once("exit", kill);
    this.#await(silence);
    this.#process.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-KEPT);
    });
    this.#process.on("message", (message: Message) => this.#hear(message));
    this.over = new Promise((resolve) => {
      this.#process.once("exit", (code, signal) => {
        process.off("exit", kill);
        this.#ended(code, signal);
        resolve();
      });
    });
  }

  /** How far it is, in a few words. */
  get progress(): string {
    return `${this.protocol} ${this.#settled}${this.#state === "playing" ? "" : " (over)"}`;
  }

  #hear(message: Message): void {
    const isNews = message.type !== "progress" || message.turns !== this.#settled;
    if (this.#state === "playing" && isNews) this.#await(this.#silence);
    switch (message.type) {
      case "progress":
        this.#settled = message.turns;
        this.#chapters = message.chapters ?? [];
        return;
      case "chapter":
        this.counts = add(this.counts, message.counts);
        return;
      case "finding":
        this.problems.push(tell(message.finding, this.protocol, this.#order.seed));
        return;
      case "done":
        this.#state = "done";
        this.#await(this.#exitBound);
        return;
      case "held":
        this.#heldBy = message.by;
        return;
    }
  }

  #await(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const what =
        this.#state === "done"
          ? `the process has not ended within ${ms} ms of its last chapter; it is held by ${this.#heldBy ?? "something"}`
          : `no turn has settled and no chapter has ended for ${ms} ms; under way: ${this.#chapters.join(", ") || "unknown"}`;
      this.#state = "gone";
      this.#fail("process-hangs", what);
      this.#process.kill("SIGKILL");
    }, ms);
  }

  #ended(code: number | null, signal: string | null): void {
    clearTimeout(this.#timer);
    const isFine = this.#state === "done" && code === 0;
    if (this.#state !== "gone" && !isFine)
      this.#fail("process-died", `the process ended with ${signal ?? code}\n${this.#stderr}`);
    this.#state = "gone";
  }

  #fail(kind: string, message: string): void {
    const { seed } = this.#order;
    const again = command(this.protocol, seed);
    this.problems.push(`VIOLATION ${kind}: ${this.protocol}, seed ${seed}\n  ${message}\n  again: ${again}`);
  }
}
