import type { CodeyClientOptions, CodeyConversation, CodeyEvent, CodeyResult, Turn } from "agentwire/codey";
import { type Deferred, deferred } from "../../../../src/core/deferred.ts";
import { Armed } from "../armed.ts";
import type { Reader } from "../watched-turn.ts";
import type { CodeyWorld } from "./codey-world.ts";
import { type CodeySetting, type Deed, type Given, MOMENTS, type Moment } from "./scenario.ts";
import { WatchedCodeyTurn } from "./watched-turn.ts";

const GIVEN = { approve: true, deny: false, always: "always", nonsense: "perhaps" } as const;

/** A callback that was asked. */
interface Consulted {
  /** The number of the message that asked. */
  readonly question: number;
  readonly turnId: string | undefined;
  readonly signal: AbortSignal;
  readonly later: Deferred<unknown>;
  isDone: boolean;
}

const TURN_MOMENTS = ["status", "event", "toolCall", "approval"] as const;

/** What an application does with a client, also from inside of the client's own events. */
export class CodeyUser {
  readonly consulted: Consulted[] = [];
  readonly #world: CodeyWorld;
  readonly #armed = new Armed<Moment, Deed>();
  /** The questions that the client may say yes to. */
  readonly #allowed = new Set<number>();
  readonly #denied = new Set<number>();
  #allowsAll = false;
  #conversation: CodeyConversation | undefined;
  #count = 0;
  closing = false;
  /** Whether it has acted from inside of the client. */
  interfered = false;

  constructor(world: CodeyWorld) {
    this.#world = world;
    this.#allowsAll = world.setting.rule === "allow";
  }

  listen(): void {
    for (const moment of MOMENTS) this.#world.client.on(moment, () => this.fire(moment));
  }

  /** What decides on calls, as a setting has it. */
  static options(setting: CodeySetting, user: () => CodeyUser): Partial<CodeyClientOptions> {
    const { approver, rule, approvalTimeout } = setting;
    const when = (): boolean => {
      user().fire("rule");
      if (rule === "throws") throw new Error("the rule broke");
      return true;
    };
    return {
      approvalTimeout,
      ...(rule === "none"
        ? {}
        : { toolPolicy: [{ tool: /shell/g, when, then: rule === "throws" ? "allow" : rule }] }),
      ...(approver === "manual" ? { onToolApproval: "manual" } : {}),
      ...(approver === "callback"
        ? { onToolApproval: (call, { signal }) => user().#consult(call, signal) as Promise<boolean> }
        : {}),
    };
  }

  mayApprove(question: number): boolean {
    return this.#allowsAll || this.#allowed.has(question);
  }

  wasDenied(question: number): boolean {
    return this.#denied.has(question);
  }

  prompt(
    step: { readonly reader: Reader; readonly signal: boolean; readonly timeout: number },
    held = false,
  ): void {
    const { client, turns } = this.#world;
    const watched = new WatchedCodeyTurn(`p${this.#count++}`, step);
    const options = {
      timeout: step.timeout,
      ...(watched.abort ? { signal: watched.abort.controller.signal } : {}),
    };
    turns.push(watched); // before the call: it may be sent within it
    const turn = this.#world.allowed("prompt", () => {
      if (!held) return client.prompt(watched.content, options);
      this.#conversation ??= client.conversation();
      return this.#conversation.prompt(watched.content, options);
    });
    if (!turn) {
      this.#conversation = undefined; // the one that was lost takes nothing more
      turns.splice(turns.indexOf(watched), 1);
      if (watched.sent) this.#world.complain(`sent ${watched.content}, and refused it`);
      return;
    }
    watched.begin(turn);
    this.#listenTo(turn);
  }

  /** Decides by `client.reply`. */
  reply(id: string | undefined, question: number, given: Given): void {
    if (id === undefined || given === "throw") return;
    this.#allow(question, given);
    this.#world.allowed("reply", () => this.#world.client.decide(id, GIVEN[given] as never));
  }

  /** The callback comes to its end. */
  answer(consulted: Consulted | undefined, given: Given): void {
    if (!consulted) return;
    consulted.isDone = true;
    this.#allow(consulted.question, given);
    if (given === "throw") consulted.later.reject(new Error("the callback broke"));
    else consulted.later.resolve(GIVEN[given]);
  }

  /** What waits for a decision. */
  get waiting(): readonly Consulted[] {
    return this.consulted.filter(({ isDone }) => !isDone);
  }

  when(moment: Moment, deed: Deed): void {
    this.#armed.when(moment, deed);
  }

  /** Does nothing more by itself. */
  rests(): void {
    this.#armed.clear();
  }

  fire(moment: Moment): void {
    const deed = this.#armed.take(moment);
    if (deed) this.#does(deed, moment);
  }

  #does(deed: Deed, moment: Moment): void {
    const { client, turns, requests } = this.#world;
    this.interfered = true;
    const open = turns.filter((turn) => turn.open);
    const [request] = requests;
    switch (deed) {
      case "prompt":
      case "say":
        this.prompt({ reader: "loop", signal: false, timeout: 0 }, deed === "say");
        return;
      case "cancel first":
        open[0]?.cancel();
        return;
      case "cancel last":
        open.at(-1)?.cancel();
        return;
      case "approve":
      case "deny":
        this.reply(request?.id, request?.question ?? -1, deed);
        return;
      case "answer":
        this.answer(this.waiting[0], "approve");
        return;
      case "ping":
        this.#world.watch("ping", () => client.ping());
        return;
      case "connect":
        this.#world.watch("connect", () => client.connect());
        return;
      case "close":
        this.closing = true;
        this.#world.watch("close", () => client.close());
        return;
      case "cut":
        this.#world.socket?.ends(1006);
        return;
      case "throw":
        // What a listener of an AbortSignal throws is the platform's to report.
        if (moment !== "abort") throw new Error("the user's own");
    }
  }

  #allow(question: number, given: Given): void {
    if (given === "always") this.#allowsAll = true;
    if (given === "approve") this.#allowed.add(question);
    if (given === "deny") this.#denied.add(question);
  }

  #consult(call: { readonly raw: unknown; readonly turnId?: string }, signal: AbortSignal): Promise<unknown> {
    const consulted: Consulted = {
      question: numberOf(call.raw),
      turnId: call.turnId,
      signal,
      later: deferred<unknown>(),
      isDone: false,
    };
    this.consulted.push(consulted);
    signal.addEventListener("abort", () => this.fire("abort"));
    try {
      this.fire("callback");
    } catch (error) {
      consulted.isDone = true;
      throw error;
    }
    return consulted.later.promise;
  }

  #listenTo(turn: Turn<CodeyEvent, CodeyResult>): void {
    for (const name of TURN_MOMENTS) turn.on(name, () => this.fire(`turn ${name}`));
  }
}

/** The number of the message that something was made of. */
export function numberOf(raw: unknown): number {
  return typeof raw === "object" && raw !== null && "n" in raw ? Number(raw.n) : -1;
}
