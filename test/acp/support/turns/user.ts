import { dirname } from "node:path";
import type { AcpClient, AcpOptions } from "agentwire/acp";
import type { ManualClock } from "agentwire/testing";
import type { Book } from "../../../soak/book.ts";
import { callNamed, member } from "../../../soak/driver.ts";
import { type AcpChapterPlan, type Verdict, verdictOn } from "./plan.ts";

type Callback = Exclude<NonNullable<AcpOptions["onToolApproval"]>, "manual">;
type Call = Parameters<Callback>[0];
type Context = Parameters<Callback>[1];
type Decision = Awaited<ReturnType<Callback>>;

/** ms of a user who thinks. */
const THINKS = 1_000;

const DECISIONS: Readonly<Record<Exclude<Verdict, "throw" | "never">, Decision>> = {
  once: "once",
  always: "always",
  turn: { decision: "once", scope: "turn" },
  reject: { decision: "reject", reason: "no" },
  late: true,
  cancel: false,
  twice: true,
};

/** The one who is asked: by callback, by events, or by rules. Notes what was said. */
export class AcpUser {
  /** Names of calls that the user or a rule allows, and the commands and names that a grant may cover. */
  readonly allowed = new Set<string>();
  /** Names of calls that the user refuses, to the calls' last word. */
  readonly refused = new Set<string>();
  /** Requests that wait for the user. */
  readonly open = new Set<string>();
  /** Everything that was asked. */
  count = 0;
  readonly #ids = new Set<string>();
  readonly #cancels = new Set<() => void>();
  readonly #plan: AcpChapterPlan;
  readonly #seed: number;
  readonly #clock: ManualClock;
  readonly #book: Book;
  readonly #stop: (turnId: string | undefined) => void;

  /** @param stop cancels a turn */
  constructor(
    plan: AcpChapterPlan,
    seed: number,
    { clock, book, stop }: { clock: ManualClock; book: Book; stop: (turnId: string | undefined) => void },
  ) {
    this.#plan = plan;
    this.#seed = seed;
    this.#clock = clock;
    this.#book = book;
    this.#stop = stop;
  }

  get options(): Pick<AcpOptions, "toolPolicy" | "onToolApproval" | "onQuestion"> {
    const { approvals } = this.#plan;
    const rules = [{ tool: /./, when: (call: Call) => this.#rule(call), then: "allow" as const }];
    const manual = { onToolApproval: "manual", onQuestion: "manual" } as const;
    if (approvals === "nobody") return {};
    if (approvals === "manual") return manual;
    return {
      ...(approvals === "rules" ? { toolPolicy: rules } : {}),
      onToolApproval: (call, context) => this.#decide(call, context),
      onQuestion: (question, context) => this.#answer(question.id, context),
    };
  }

  /** Decides by events, where the plan says so. */
  listen(client: Pick<AcpClient, "on" | "decide" | "answer">): void {
    if (this.#plan.approvals !== "manual") return;
    client.on("approval", (call) => {
      const verdict = this.#asked(call);
      this.#by(verdict, () => {
        if (verdict === "throw" || verdict === "never") return;
        client.decide(call.id, DECISIONS[verdict]);
        if (verdict === "twice") client.decide(call.id, false);
      });
    });
    client.on("question", ({ id }) => {
      const verdict = this.#verdict(id);
      this.#by(verdict, () => void client.answer(id, verdict === "reject" ? null : [["a"]]));
    });
    client.on("settled", ({ id }) => void this.open.delete(id));
  }

  /** Ends the user's own timers. */
  leave(): void {
    for (const cancel of this.#cancels) cancel();
  }

  #by(verdict: Verdict, say: () => void): void {
    if (verdict === "never" || verdict === "throw") return;
    if (verdict === "late") this.#later(say);
    else say();
  }

  #later(say: () => void): () => void {
    const cancel = this.#clock.setTimeout(() => {
      this.#cancels.delete(cancel);
      say();
    }, THINKS);
    this.#cancels.add(cancel);
    return cancel;
  }

  #rule(call: Call): boolean {
    const isAllowed = call.id.length % 2 === 0;
    if (isAllowed) this.#note(call, "once");
    return isAllowed;
  }

  #verdict(id: string): Verdict {
    if (this.#ids.has(id)) this.#book.note("asked-twice", `the user was asked about ${id} twice`);
    this.#ids.add(id);
    this.open.add(id);
    return verdictOn(this.#seed, this.#plan.number, this.count++);
  }

  #asked(call: Call): Verdict {
    const verdict = this.#verdict(call.id);
    this.#note(call, verdict);
    if (verdict === "cancel") this.#stop(call.turnId);
    return verdict;
  }

  #note(call: Call, verdict: Verdict): void {
    const { turn, call: number } = namedIn(call) ?? {};
    const name = turn === undefined ? call.name : `${turn}.${number}`;
    if (verdict === "reject" || verdict === "throw" || verdict === "never" || verdict === "cancel") {
      this.refused.add(name);
      return;
    }
    this.allowed.add(name);
    if (verdict === "always" || verdict === "turn") this.allowed.add(coveredBy(call.input));
  }

  async #decide(call: Call, { signal }: Context): Promise<Decision> {
    const verdict = this.#asked(call);
    try {
      await this.#pause(verdict, signal);
      if (verdict === "throw") throw new Error("the user's handler fails");
      return verdict === "never" ? false : DECISIONS[verdict];
    } finally {
      this.open.delete(call.id);
    }
  }

  async #answer(id: string, { signal }: Context): Promise<string[][] | null> {
    const verdict = this.#verdict(id);
    try {
      await this.#pause(verdict, signal);
      if (verdict === "throw") throw new Error("the user's handler fails");
      return verdict === "reject" ? null : [["a"]];
    } finally {
      this.open.delete(id);
    }
  }

  /** `never` and `late` wait, at most until nobody needs an answer. */
  #pause(verdict: Verdict, signal: AbortSignal): Promise<void> {
    if (verdict !== "never" && verdict !== "late") return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = verdict === "late" ? this.#later(resolve) : () => {};
      const abort = (): void => {
        cancel();
        resolve();
      };
      if (signal.aborted) abort();
      else signal.addEventListener("abort", abort, { once: true });
    });
  }
}

/** The turn and the number of a call, by its id or its input. */
export function namedIn({ id, input }: { readonly id: string; readonly input: unknown }) {
  return callNamed(id) ?? callNamed(JSON.stringify(input));
}

/** What a grant for a call covers: of a reading its folder, else the same input. */
export function coveredBy(input: unknown): string {
  const names = typeof input === "object" && input !== null ? Object.keys(input) : [];
  const [name = ""] = names;
  const path = names.length === 1 && /path$/i.test(name) ? member(input, name) : undefined;
  return typeof path === "string" ? `reading in ${dirname(path)}` : JSON.stringify(input);
}
