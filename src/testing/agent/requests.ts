// The mock agent's tool calls and questions that wait for the user.
import type { CancelTimer, Clock } from "../../core/clock.ts";
import type {
  DecidedBy,
  PendingRequest,
  Question,
  Reply,
  Ruling,
  SettledRequest,
  ToolCall,
} from "../../core/values.ts";
import { InvalidMockInput } from "../names.ts";
import { Grants } from "./grants.ts";
import { lasting, readAnswer, readDecision } from "./replies.ts";
import type { MockTurn } from "./turn.ts";

/** The client of the requests. */
export interface RequestsHost {
  /** Its timers are inputs. */
  readonly clock: Clock;
  readonly settings: { readonly approvalTimeout: number };
  /** The id of a new grant. */
  newGrantId(): string;
  opened(request: PendingRequest, turn: MockTurn): void;
  settled(request: SettledRequest, turn: MockTurn): void;
}

/** A request that waits for the user. */
interface Open {
  readonly request: PendingRequest;
  readonly turn: MockTurn;
  /** Reads a decision or an answer. @throws InvalidInputError for any other value */
  readonly reply: (value: unknown) => SettledRequest;
  readonly refuse: (by: DecidedBy, reason: string) => SettledRequest;
  readonly settled: (request: SettledRequest) => void;
  readonly cancelTimer: CancelTimer;
}

/** The tool calls and the questions of one client that wait for the user, and those that are settled. Each is settled once. */
export class Requests {
  readonly #host: RequestsHost;
  readonly #open = new Map<string, Open>();
  readonly #settled = new Map<string, SettledRequest>();
  readonly grants: Grants;
  /** How often each wanted id was given, suffixed ids included. */
  readonly #uses = new Map<string, number>();

  constructor(host: RequestsHost) {
    this.#host = host;
    this.grants = new Grants(() => host.newGrantId());
  }

  /** Oldest first. */
  get pending(): readonly PendingRequest[] {
    return [...this.#open.values()].map(({ request }) => request);
  }

  isOpen(id: string): boolean {
    return this.#open.has(id);
  }

  turnOf(id: string): MockTurn | undefined {
    return this.#open.get(id)?.turn;
  }

  /** An id that no request of this client has had. */
  idFor(wanted: string): string {
    let use = this.#uses.get(wanted) ?? 0;
    let id: string;
    do id = ++use === 1 ? wanted : `${wanted}~${use}`;
    while (this.#uses.has(id));
    this.#uses.set(id, 1).set(wanted, use);
    return id;
  }

  /** Asks whether a call may run. `decided` is called once, before any code can see that the request is settled. */
  approve(call: ToolCall, turn: MockTurn, decided: (ruling: Ruling) => void): void {
    const settle = (ruling: Ruling): SettledRequest => ({ type: "approval", id: call.id, call, ruling });
    const settled = (request: SettledRequest): void => {
      if (request.type !== "approval") return;
      this.grants.add(call, turn, request.ruling);
      decided(request.ruling);
    };
    const refuse = (by: DecidedBy, reason: string): SettledRequest =>
      settle({ decision: "reject", by, reason });
    const reply = (value: unknown): SettledRequest =>
      settle({ ...lasting(readDecision(value), call), by: "reply" });
    const request: PendingRequest = { type: "approval", id: call.id, call };
    const granted = this.grants.rulingOn(call);
    if (granted) this.#remember(settle(granted), turn, settled);
    else this.#wait({ request, turn, reply, refuse, settled });
  }

  ask(question: Question, turn: MockTurn, answered: (reply: Reply) => void): void {
    const settle = (reply: Reply): SettledRequest => ({ type: "question", id: question.id, question, reply });
    this.#wait({
      request: { type: "question", id: question.id, question },
      turn,
      reply: (value) => settle({ answers: readAnswer(question, value), by: "reply" }),
      refuse: (by, reason) => settle({ answers: undefined, by, reason }),
      settled: (request) => {
        if (request.type === "question") answered(request.reply);
      },
    });
  }

  /** @throws InvalidInputError as `client.decide` */
  decide(id: string, decision: unknown): Ruling {
    const settled = this.#replied("approval", id, decision);
    if (settled?.type === "approval") return settled.ruling;
    throw this.#mistaken(id, "a question", "client.answer");
  }

  /** @throws InvalidInputError as `client.answer` */
  answer(id: string, answer: unknown): Reply {
    const settled = this.#replied("question", id, answer);
    if (settled?.type === "question") return settled.reply;
    throw this.#mistaken(id, "a tool call", "client.decide");
  }

  /** Refuses what is open of a turn. */
  withdraw(turn: MockTurn, by: DecidedBy, reason: string): void {
    for (const open of [...this.#open.values()]) {
      if (open.turn === turn) this.#settle(open, open.refuse(by, reason));
    }
  }

  #wait(waiting: Omit<Open, "cancelTimer">): void {
    const { request, turn, refuse } = waiting;
    const { clock, settings } = this.#host;
    const { approvalTimeout } = settings;
    const expire = (): void =>
      this.#settle(open, refuse("timeout", `nobody decided within ${approvalTimeout} ms`));
    const cancelTimer = approvalTimeout > 0 ? clock.setTimeout(expire, approvalTimeout) : () => {};
    const open: Open = { ...waiting, cancelTimer };
    this.#open.set(request.id, open);
    turn.opened(request);
    this.#host.opened(request, turn);
  }

  #replied(type: PendingRequest["type"], id: string, value: unknown): SettledRequest | undefined {
    const open = this.#open.get(id);
    if (open?.request.type === type) this.#settle(open, open.reply(value));
    return this.#settled.get(id);
  }

  #settle(open: Open, outcome: SettledRequest): void {
    if (!this.#open.delete(outcome.id)) return;
    open.cancelTimer();
    open.turn.closed(outcome.id);
    this.#remember(outcome, open.turn, open.settled);
  }

  #remember(outcome: SettledRequest, turn: MockTurn, settled: Open["settled"]): void {
    this.#settled.set(outcome.id, outcome);
    this.#host.settled(outcome, turn);
    settled(outcome);
  }

  #mistaken(id: string, what: string, taker: string): InvalidMockInput {
    if (this.#open.has(id) || this.#settled.has(id))
      return new InvalidMockInput(`the id \`${id}\` names ${what}.`, `Pass it to \`${taker}\`.`);
    return new InvalidMockInput(
      `nothing was asked with the id \`${String(id)}\`.`,
      "Pass the `id` of a call or question from `client.pending` or an event.",
    );
  }
}
