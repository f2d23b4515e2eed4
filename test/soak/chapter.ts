import { setImmediate, setTimeout } from "node:timers/promises";
import { countingController } from "../helpers/codebuff.ts";
import { Book, TurnFacts, type Violation } from "./book.ts";
import { CountingClock } from "./counting-clock.ts";
import { add, type Counts, countTurns, NOTHING } from "./counts.ts";
import type { AskedUser, Driver, Server, SoakClient } from "./driver.ts";
import { judge } from "./judge.ts";
import { answerOf, type ChapterPlan, linkPlan, type ProtocolName, promptOf, type TurnPlan } from "./plan.ts";
import { ChaosProxy } from "./proxy.ts";
import { codeOf, type Played, play } from "./user.ts";
import { Witness } from "./witness.ts";

/** ms after its close in which a client lets go of its sockets. */
const LET_GO = 1_000;

/** How often it is looked for them, at least. */
const LOOKS = 50;

/** What short limits are multiplied by where nothing is cut: none of them is to come into it. */
const CALM_PATIENCE = 200;

/** Frames that are shown beside a violation. */
const SHOWN_FRAMES = 14;

export interface ChapterSetup {
  readonly seed: number;
  readonly protocol: ProtocolName;
  readonly driver: Driver;
  readonly strictLine: boolean;
  /** ms in which a turn settles, and a client closes. */
  readonly bound: number;
  /** Called for each turn that has settled. */
  readonly progress: () => void;
}

export interface Finding extends Violation {
  readonly chapter: number;
  readonly frames: readonly string[];
}

export interface ChapterReport {
  readonly counts: Counts;
  readonly findings: readonly Finding[];
}

/** Plays one chapter: a server, a proxy before it, a client, its turns, and its end. */
export async function playChapter(plan: ChapterPlan, setup: ChapterSetup): Promise<ChapterReport> {
  const chapter = new Chapter(plan, setup);
  return chapter.play();
}

class Chapter {
  readonly #plan: ChapterPlan;
  readonly #setup: ChapterSetup;
  readonly #book = new Book();
  readonly #witness: Witness;
  readonly #plans: ReadonlyMap<number, TurnPlan>;
  readonly #played: Played[] = [];
  /** The turn that a promise of `settled` belongs to, by the id that the client gave it. */
  readonly #factsById = new Map<string, TurnFacts>();
  #server: Server | undefined;
  /** Calls that have run on this machine. */
  readonly #calls = new Set<string>();
  #restarts = 0;
  #reconnects = 0;

  constructor(plan: ChapterPlan, setup: ChapterSetup) {
    this.#plan = plan;
    this.#setup = setup;
    this.#witness = new Witness(setup.driver, this.#book, setup.strictLine);
    this.#plans = new Map(plan.turns.map((turn) => [turn.number, turn]));
  }

  async play(): Promise<ChapterReport> {
    const { seed, protocol, driver } = this.#setup;
    const proxy = await ChaosProxy.start(
      (link) => linkPlan(seed, protocol, this.#plan, link),
      driver.isPooled,
    );
    // What is asked over HTTP is delayed and cut into pieces, and never lost: a reply that is looked for can be found.
    const rest = await ChaosProxy.start((link) =>
      linkPlan(seed, protocol, { ...this.#plan, weather: "calm" }, 1_000 + link),
    );
    await this.#startServer(proxy, rest);
    const clock = new CountingClock(() => Math.random());
    const { controller, listeners } = countingController();
    const { signal } = controller;
    const client = this.#client(proxy, rest, clock, signal);
    await this.#turns(client, proxy, rest);
    await this.#end(client, () => controller.abort(new Error("as planned")));
    await this.#leftovers(clock, proxy, () => (signal.aborted ? 0 : listeners()));
    await proxy.stop();
    await rest.stop();
    await this.#stopServer();
    return this.#report(proxy);
  }

  #client(proxy: ChaosProxy, rest: ChaosProxy, clock: CountingClock, signal: AbortSignal): SoakClient {
    const { driver } = this.#setup;
    const plan = this.#plan;
    const client = driver.client({
      port: proxy.port,
      restPort: rest.port,
      token: this.#server?.token ?? "",
      program: this.#server?.program,
      plan,
      clock,
      signal,
      patience: plan.weather === "calm" ? CALM_PATIENCE : 1,
      ask: plan.approvals === "callback" ? (call) => this.#asked(call) : undefined,
      ran: (turn, call) => this.#ran(turn, call),
    });
    client.on("reconnected", () => void this.#reconnects++);
    client.on("protocolWarning", ({ kind, message }) => {
      if (kind === "listener-threw") this.#book.note(kind, message);
    });
    client.on("event", (event, turn) => {
      const facts = this.#factsById.get(turn.id);
      // The first events of a turn can only come once it was made, so its id is known by then.
      if (!facts?.expected.includes(driver.textOf(event))) this.#stray(facts);
    });
    if (plan.approvals === "manual")
      client.on("approval", (call) => {
        void this.#asked(call).then((approve) => {
          if (client.status !== "closed") client.decide(call.id, approve);
        });
      });
    return client;
  }

  #stray(facts: TurnFacts | undefined): void {
    if (facts) facts.strayEvents++;
    else this.#book.note("stray-event", "the client told an event of a turn that nobody had begun");
  }

  /** The user thinks, and decides. */
  async #asked(call: AskedUser): Promise<boolean> {
    const named = this.#setup.driver.callOf(call);
    const planned = named && this.#plans.get(named.turn)?.calls[named.call];
    const facts = named && this.#book.turns.get(named.turn);
    if (!named || !planned || !facts) {
      this.#book.note("call-unknown", `the user was asked about ${JSON.stringify(call.input)}`);
      return false;
    }
    if (planned.delay > 0) await setTimeout(planned.delay);
    facts.decided.set(named.call, planned.approve);
    return planned.approve;
  }

  #ran(turn: number, call: number): void {
    const name = `${turn}.${call}`;
    if (this.#calls.has(name)) this.#book.note("ran-twice", `call ${name} ran again`, turn);
    this.#calls.add(name);
    const approved = this.#book.turns.get(turn)?.decided.get(call);
    if (approved !== true)
      this.#book.note("ran-unapproved", `call ${turn}.${call} ran; the user said ${approved}`, turn);
  }

  async #turns(client: SoakClient, proxy: ChaosProxy, rest: ChaosProxy): Promise<void> {
    let conversation = client.conversation();
    for (const plan of this.#plan.turns) {
      if (plan.restart === "hard" && !this.#server?.program) await this.#restart(proxy, rest);
      else if (plan.restart !== "none") this.#server?.restart();
      if (plan.restart !== "none") this.#restarts++;
      if (client.status === "closed") return; // for good: the next chapter has a new one
      const facts = new TurnFacts({
        number: plan.number,
        expected: answerOf(plan),
        isAnswered: plan.ending === "answer",
        isCalm: this.#plan.weather === "calm" && plan.stop?.by !== "timeout",
      });
      this.#book.turns.set(plan.number, facts);
      let played: Played;
      try {
        played = play(
          plan,
          facts,
          (options) => {
            const speaker = plan.channel === "conversation" ? conversation : client;
            const turn = speaker.prompt(promptOf(plan.number), options);
            this.#factsById.set(turn.id, facts);
            return turn;
          },
          this.#setup.driver.textOf,
        );
      } catch (error) {
        this.#book.turns.delete(plan.number);
        const code = codeOf(error);
        if (code === "context-lost") conversation = client.conversation();
        else if (code !== "closed")
          this.#book.note("prompt-threw", `\`prompt()\` threw ${String(error)}`, plan.number);
        continue;
      }
      this.#played.push(played);
      void played.settled.then(this.#setup.progress);
      if (plan.gap === "settle") await this.#bounded(played.settled, client);
      else if (plan.gap > 0) await setTimeout(plan.gap);
    }
  }

  /** Waits for turns that have to settle by now. */
  async #bounded(settled: Promise<unknown>, client: SoakClient): Promise<void> {
    const { bound } = this.#setup;
    if (await within(bound, settled)) return;
    const waits = client.pending.map(({ type, id }) => `${type} ${id}`).join(", ") || "nothing";
    for (const { turn } of this.#played) {
      const facts = this.#factsById.get(turn.id);
      if (facts?.endings.length !== 0) continue;
      const state = `it is ${turn.status}, the client is ${client.status}, and the user is asked: ${waits}`;
      this.#book.note("settles-late", `it has not settled within ${bound} ms; ${state}`, facts.number);
    }
  }

  async #end(client: SoakClient, abort: () => void): Promise<void> {
    const { ending } = this.#plan;
    const all = Promise.all(this.#played.map(({ done }) => done));
    if (ending === "settled") await this.#bounded(all, client);
    for (const facts of this.#book.turns.values()) if (facts.endings.length === 0) facts.closed = true;
    if (ending === "signal") abort();
    if (!(await within(this.#setup.bound, client.close({ force: ending === "force" }))))
      this.#book.note("close-hangs", `\`close()\` has not resolved within ${this.#setup.bound} ms`);
    await within(this.#setup.bound, all);
    for (const { turn } of this.#played) {
      const facts = this.#factsById.get(turn.id);
      if (facts && facts.endings.length === 0) facts.status = turn.status;
    }
  }

  /** What is left behind the client's close, once its sockets had their time. */
  async #leftovers(clock: CountingClock, proxy: ChaosProxy, listeners: () => number): Promise<void> {
    await setImmediate(); // a link of the last moment is seen by then
    const end = performance.now() + LET_GO;
    // A busy machine may let the time pass in one go, with what has come from the network still unread.
    const left = (): readonly string[] => this.#server?.left?.() ?? [];
    for (
      let looks = 0;
      (proxy.open > 0 || left().length > 0) && (performance.now() < end || looks < LOOKS);
      looks++
    )
      await setTimeout(5);
    const onTurns = this.#played.reduce((sum, played) => sum + played.listeners(), 0);
    this.#book.leftovers.push({
      timers: clock.pending,
      sockets: proxy.openLinks,
      programs: left(),
      listeners: listeners() + onTurns,
    });
  }

  async #restart(proxy: ChaosProxy, rest: ChaosProxy): Promise<void> {
    proxy.target = undefined;
    rest.target = undefined;
    await this.#stopServer();
    await setTimeout(20);
    await this.#startServer(proxy, rest);
  }

  async #startServer(proxy: ChaosProxy, rest: ChaosProxy): Promise<void> {
    const { driver } = this.#setup;
    const planOf = (turn: number | undefined) => (turn === undefined ? undefined : this.#plans.get(turn));
    this.#server = await driver.serve({ book: this.#book, chapter: this.#plan, planOf });
    proxy.target = this.#server.port;
    rest.target = this.#server.port;
  }

  async #stopServer(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    await server.stop();
    this.#witness.hear(server);
  }

  #report(proxy: ChaosProxy): ChapterReport {
    const findings = [...judge(this.#book)].map(
      (violation): Finding => ({
        ...violation,
        chapter: this.#plan.number,
        frames: this.#witness.last(violation.turn, SHOWN_FRAMES),
      }),
    );
    const decisions = [...this.#book.asked.values()].reduce((sum, asked) => sum + asked.decisions.length, 0);
    const own: Counts = {
      ...NOTHING,
      chapters: 1,
      cuts: proxy.cuts,
      links: proxy.links,
      restarts: this.#restarts,
      reconnects: this.#reconnects,
      decisions,
      faults: this.#faults(proxy),
    };
    return { counts: add(countTurns(this.#book.turns.values()), own), findings };
  }

  /** What has happened to links, and what the servers did to prompts that they had got. */
  #faults(proxy: ChaosProxy): Readonly<Record<string, number>> {
    const faults: Record<string, number> = { ...proxy.faults };
    const count = (name: string): void => {
      faults[name] = (faults[name] ?? 0) + 1;
    };
    for (const number of new Set(this.#book.received.map(({ turn }) => turn))) {
      const ending = this.#plans.get(number)?.ending ?? "answer";
      if (ending !== "answer") count(`answer ${ending}`);
    }
    for (let restart = 0; restart < this.#restarts; restart++) count("restart");
    return faults;
  }
}

/** Whether a promise settles in time. */
async function within(ms: number, promise: Promise<unknown>): Promise<boolean> {
  const controller = new AbortController();
  const late = setTimeout(ms, false, { signal: controller.signal }).catch(() => false);
  const inTime = promise.then(() => true);
  try {
    return await Promise.race([inTime, late]);
  } finally {
    controller.abort();
  }
}
