import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AcpClient, type AcpConversation, type AcpOptions, acp, toUniversal } from "agentwire/acp";
import { nodeTools } from "agentwire/codebuff-run/tools";
import { ManualClock, MockAcpAgent } from "agentwire/testing";
import type { UniversalEvent } from "agentwire/universal";
import { Book, TurnFacts, type Violation } from "../../../soak/book.ts";
import { CountingClock } from "../../../soak/counting-clock.ts";
import { add, type Counts, countTurns, NOTHING } from "../../../soak/counts.ts";
import { member } from "../../../soak/driver.ts";
import { judge } from "../../../soak/judge.ts";
import { promptOf, turnNamedIn } from "../../../soak/plan.ts";
import { codeOf, type Played, play } from "../../../soak/user.ts";
import { ChatUser } from "./chat.ts";
import { judgeAgent, judgeEvents } from "./judge.ts";
import { type AcpChapterPlan, type AcpTurnPlan, acpChapterPlan } from "./plan.ts";
import { pump, type World } from "./pump.ts";
import { AcpUser } from "./user.ts";

/** What came of a chapter. */
export interface AcpReport {
  readonly counts: Counts;
  readonly findings: readonly Violation[];
  /** The agent's lines, for a report. */
  readonly lines: readonly string[];
}

/**
 * Plays one chapter.
 * @param folder of the run; the chapter makes its own in it, and removes it
 */
export async function playAcpChapter(seed: number, number: number, folder: string): Promise<AcpReport> {
  const root = join(folder, String(number));
  mkdirSync(root);
  try {
    return await new AcpChapter(acpChapterPlan(seed, number, root), seed, root).play();
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

class AcpChapter {
  readonly #plan: AcpChapterPlan;
  readonly #book = new Book();
  readonly #clock = new ManualClock({ epoch: 0 });
  /** Of the client alone. */
  readonly #timers = new CountingClock(() => 0.5, this.#clock);
  readonly #agent: MockAcpAgent;
  readonly #user: AcpUser;
  #client: AcpClient;
  readonly #options: AcpOptions;
  readonly #world: World;
  readonly #played: Played[] = [];
  readonly #factsById = new Map<string, TurnFacts>();
  readonly #turns = new Map<string, Played["turn"]>();
  readonly #events: UniversalEvent[] = [];
  readonly #calls: Promise<unknown>[] = [];
  readonly #conversations = new Map<number, AcpConversation>();
  #stirred = 0;

  constructor(plan: AcpChapterPlan, seed: number, root: string) {
    this.#plan = plan;
    const clock = this.#clock;
    const plans = new Map(plan.turns.map((turn) => [turn.number, turn]));
    let sessions = 0;
    this.#agent = new MockAcpAgent({
      ...plan.mock,
      clock,
      sessionId: () => `session-${plan.number}-${++sessions}`,
      answer: ({ text }) => plans.get(turnNamedIn(text) ?? -1)?.steps ?? [],
    });
    this.#user = new AcpUser(plan, seed, { clock, book: this.#book, stop: (id) => this.#stop(id) });
    this.#options = this.#optionsIn(root);
    this.#client = this.#newClient();
    this.#world = {
      clock,
      agent: this.#agent,
      stir: () => this.#stirred,
      isAtWork: () => this.#agent.requests.filter(isOfMachine).length > this.#user.open.size,
    };
  }

  async play(): Promise<AcpReport> {
    const done = this.#plan.through === "chat" ? this.#liveInChat() : this.#live();
    if (!(await pump(done, this.#world))) this.#hangs();
    this.#user.leave();
    await this.#agent.stop();
    this.#book.leftovers.push({
      timers: this.#timers.pending,
      sockets: [],
      listeners: this.#played.reduce((sum, played) => sum + played.listeners(), 0),
    });
    judgeAgent(this.#book, this.#agent, this.#user, this.#excused);
    judgeEvents(this.#book, this.#events);
    return {
      counts: add(countTurns(this.#book.turns.values()), {
        ...NOTHING,
        chapters: 1,
        decisions: this.#user.count,
      }),
      findings: [...judge(this.#book)],
      lines: this.#agent.lines.map(({ link, direction, raw }) => `${link.id} ${direction} ${raw}`),
    };
  }

  /** Mistakes that the mock notes where the client could not do otherwise. */
  get #excused(): ReadonlySet<string> {
    const { ending, isCalm } = this.#plan;
    return new Set([
      ...(ending === "force" ? ["request-unanswered"] : []),
      ...(ending === "force" || !isCalm ? ["left-mid-turn"] : []), // an agent that ignores a cancel is killed
      ...(ending === "settled" ? [] : ["unknown-session"]), // `setMode` at the moment of the end
    ]);
  }

  #optionsIn(cwd: string): AcpOptions {
    const { door, always, mode } = this.#plan;
    return {
      createStream: () => this.#agent.connect(),
      cwd,
      clock: this.#timers,
      always,
      mode,
      ...this.#user.options,
      approvalTimeout: 60_000,
      ...(door === "none" ? {} : { files: nodeTools({ root: cwd, terminal: door === "terminal" }) }),
      readFiles: door === "read",
    };
  }

  #newClient(): AcpClient {
    const client = new AcpClient(this.#options);
    this.#user.listen(client);
    client.on("frame", () => void this.#stirred++);
    client.on("protocolWarning", ({ kind, message }) => {
      if (kind === "listener-threw") this.#book.note(kind, message);
    });
    client.on("event", (_, turn) => {
      if (this.#plan.through === "client" && !this.#factsById.has(turn.id))
        this.#book.note("stray-event", "the client told an event of a turn that nobody had begun");
    });
    toUniversal(client).on("event", (event) => this.#events.push(event));
    return client;
  }

  /** The user's whole life with the client, up to its end. */
  async #live(): Promise<void> {
    const { turns, ending } = this.#plan;
    for (const plan of turns) {
      this.#before(plan);
      const played = this.#begin(plan);
      if (played && plan.gap === "settle") await played.settled;
    }
    const all = Promise.all(this.#played.map(({ done }) => done));
    if (ending === "settled") {
      await all;
      await Promise.allSettled(this.#calls);
      await this.#unanswered();
    }
    for (const facts of this.#book.turns.values()) if (facts.endings.length === 0) facts.closed = true;
    await this.#client.close({ force: ending === "force" });
    await all;
    await Promise.allSettled(this.#calls);
  }

  /** The same in a chat, which has one conversation and one turn at a time. */
  async #liveInChat(): Promise<void> {
    const { turns, ending } = this.#plan;
    let first: AcpClient | undefined = this.#client;
    const client = (): AcpClient => {
      this.#client = first ?? this.#newClient();
      first = undefined;
      return this.#client;
    };
    const user = new ChatUser(
      { ...acp(this.#options), client },
      { book: this.#book, clock: this.#clock, stirred: () => void this.#stirred++ },
    );
    for (const plan of turns) {
      user.send(plan);
      if (plan.gap === "settle") await user.idle();
    }
    if (ending === "settled") {
      await user.idle();
      await this.#unanswered();
    } else for (const facts of this.#book.turns.values()) facts.closed = true;
    await user.chat.close();
    await this.#client.close();
    user.read();
  }

  #begin(plan: AcpTurnPlan): Played | undefined {
    const { number, steps, stop } = plan;
    const facts = new TurnFacts({
      number,
      expected: "",
      isAnswered: false,
      isCalm: this.#plan.isCalm && stop?.by !== "timeout" && steps.length > 0,
    });
    this.#book.turns.set(number, facts);
    try {
      const played = play(
        plan,
        facts,
        (options) => {
          const turn = this.#speaker(plan.channel).prompt(promptOf(number), options);
          this.#factsById.set(turn.id, facts);
          this.#turns.set(turn.id, turn);
          return turn;
        },
        textOf,
      );
      this.#played.push(played);
      void played.settled.then(() => {
        this.#stirred++;
        // A process that dies at each start is of no use for long.
        if (facts.endings[0]?.code === "connection-lost") this.#agent.set({ dieAt: "off" });
      });
      return played;
    } catch (error) {
      this.#book.turns.delete(number);
      this.#book.note("prompt-threw", `\`prompt()\` threw ${codeOf(error)}: ${String(error)}`, number);
      return undefined;
    }
  }

  #speaker(channel: number): AcpClient | AcpConversation {
    return channel < 0 ? this.#client : this.#conversation(channel);
  }

  #conversation(channel: number): AcpConversation {
    const made = this.#conversations.get(channel) ?? this.#client.conversation();
    this.#conversations.set(channel, made);
    return made;
  }

  #before({ before, channel, number }: AcpTurnPlan): void {
    const talk = this.#conversation(Math.max(channel, 0));
    switch (before) {
      case "nothing":
        return;
      case "load":
        this.#calls.push(talk.load());
        break;
      case "reopen":
        this.#conversations.set(Math.max(channel, 0), this.#client.conversation({ from: talk.state }));
        return;
      case "mode":
        if (this.#plan.mock.profile === "gemini") return; // it says so in a text, which may come in the next turn
        this.#calls.push(talk.setMode(talk.session?.modes?.available[number % 2]?.id ?? "default"));
        break;
      case "sessions":
        this.#calls.push(this.#client.sessions());
        break;
      case "connect":
        this.#calls.push(this.#client.connect());
        break;
      case "cancelAll":
        for (const id of this.#turns.keys()) this.#stop(id);
        return;
    }
    void this.#calls.at(-1)?.catch(() => {}); // the agent may refuse it
  }

  #stop(id: string | undefined): void {
    const turn = this.#turns.get(id ?? "");
    const facts = this.#factsById.get(id ?? "");
    if (!turn || !facts || facts.endings.length > 0 || facts.stopped !== "no") return;
    facts.stopped = turn.status === "queued" ? "queued" : "sent";
    if (facts.reading) facts.reading.toTheEnd = false;
    void turn.cancel();
  }

  /** Every turn is over and the agent lives: it must have all of its answers, once the files are written. */
  async #unanswered(): Promise<void> {
    await this.#agent.waitFor(({ requests }) => !requests.some(isOfMachine));
    for (const { method, reply, link, id } of this.#agent.requests)
      if (!reply && link.ended === undefined)
        this.#book.note("unanswered", `${method} ${id} has no answer, and every turn is over`);
  }

  #hangs(): void {
    for (const { turn } of this.#played) {
      const facts = this.#factsById.get(turn.id);
      if (facts && facts.endings.length === 0) facts.status = turn.status;
    }
    this.#book.note("hangs", `nothing moves any more; the client is ${this.#client.status}`);
  }
}

function isOfMachine({ method, reply, link }: MockAcpAgent["requests"][number]): boolean {
  return reply === undefined && link.ended === undefined && /^(fs|terminal)\//.test(method);
}

function textOf(event: unknown): string {
  return member(event, "type") === "text" ? String(member(event, "delta")) : "";
}
