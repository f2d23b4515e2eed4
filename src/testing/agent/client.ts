// A client of the mock agent, which behaves like the real clients.
import type {
  AgentClient,
  AnyClientEvents,
  Capabilities,
  ClientEvents,
  CloseOptions,
  ConnectOptions,
} from "../../core/client/agent-client.ts";
import type { ListenOptions, Unsubscribe } from "../../core/client/events.ts";
import type { CancelTimer, Clock } from "../../core/clock.ts";
import type { AnyAgentwireError } from "../../core/errors.ts";
import type { ConversationState } from "../../core/turn/conversation.ts";
import type { PromptInput } from "../../core/turn/prompt-input.ts";
import type { TurnOptions } from "../../core/turn/turn.ts";
import type {
  Answer,
  ClientStatus,
  Decision,
  Grant,
  PendingRequest,
  Reply,
  Ruling,
} from "../../core/values.ts";
import type { Backend } from "./backend.ts";
import { askedIn } from "./calls.ts";
import { checkValues, isAnything, isDelay, isFlag, isSignal } from "./checks.ts";
import { type ConversationHost, MockConversation, readState } from "./conversation.ts";
import { again, closed, unsupported } from "./errors.ts";
import type { MockAgentEvent, MockAgentResult } from "./events.ts";
import { checkTurnOptions, readPrompt } from "./input.ts";
import { Link } from "./link.ts";
import { Listeners } from "./listeners.ts";
import { Requests } from "./requests.ts";
import type { MockLoss } from "./script.ts";
import { Tells } from "./tells.ts";
import type { MockTurn } from "./turn.ts";
import { Turns } from "./turns.ts";

/** The events of a {@link MockAgentClient}. */
export type MockAgentClientEvents = ClientEvents<MockAgentEvent, MockAgentResult>;

const EVENTS: Readonly<Record<keyof MockAgentClientEvents, true>> = {
  status: true,
  reconnecting: true,
  reconnected: true,
  disconnected: true,
  protocolWarning: true,
  turn: true,
  event: true,
  approval: true,
  question: true,
  settled: true,
  message: true,
  frame: true,
};

const CONNECT = { signal: isSignal };
const CLOSE = { force: isFlag, drainTimeout: isDelay };
const CONVERSATION = { from: isAnything };

const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose");

/** For the agent alone: the link of a client is lost. */
export let loseLink: (client: MockAgentClient, loss: MockLoss) => void;

/** For the agent alone: whether the backend forgot everything with the last loss of the client. */
export let hasForgotten: (client: MockAgentClient) => boolean;

/**
 * A client of a `MockAgent`: behaves as the clients of the backends do, without a wire. It tells no `message` and no `frame`. `close()`
 * ends running turns at once; with `drainTimeout` it waits for them.
 */
export class MockAgentClient implements AgentClient<MockAgentEvent, MockAgentResult, object, PromptInput> {
  static {
    loseLink = (client, loss) => client.#turns.lose(loss);
    hasForgotten = (client) => client.#turns.hasForgotten;
  }

  readonly #backend: Backend;
  readonly #tells = new Tells();
  readonly #listeners: Listeners<MockAgentClientEvents>;
  readonly #link: Link;
  readonly #requests: Requests;
  readonly #turns: Turns;
  readonly #conversationHost: ConversationHost;
  /** The turns that were made in this tick: a late listener is told them. */
  readonly #newTurns: MockTurn[] = [];
  /** The conversations that the backend remembers. */
  #conversations = new Set<MockConversation>();
  #isClosing = false;
  #closed: Promise<void> | undefined;
  #closedBy: AnyAgentwireError | undefined;
  #end: () => void = () => {};
  #cancelDrain: CancelTimer | undefined;

  constructor(backend: Backend) {
    this.#backend = backend;
    const tells = this.#tells;
    const listeners = new Listeners<MockAgentClientEvents>(EVENTS, tells, (error, name) =>
      this.#threw(error, name),
    );
    const clock = inputClock(backend.clock, tells);
    this.#listeners = listeners;
    this.#link = new Link({
      clock,
      tells,
      get settings() {
        return backend.settings;
      },
      tried: () => backend.tried(),
      refuse: () => backend.refuse(),
      tellStatus: (status) => this.#tellStatus(status),
      tellReconnecting: (attempt, delay, error) =>
        listeners.emit("reconnecting", [{ attempt, delay, error }]),
      tellReconnected: () => listeners.emit("reconnected", []),
      ready: () => this.#turns.pump(),
      unavailable: (error) => this.#turns.unavailable(error),
    });
    this.#requests = new Requests({
      clock,
      get settings() {
        return backend.settings;
      },
      newGrantId: () => backend.newId("grant"),
      opened: (request, turn) => this.#opened(request, turn),
      settled: (request, turn) => {
        backend.noteSettled(request, turn.id);
        listeners.emit("settled", [request, turn]);
      },
    });
    this.#turns = new Turns(
      {
        client: this,
        tells,
        clock,
        threw: (error, name) => this.#threw(error, name),
        tellTurn: (turn) => this.#tellTurn(turn),
        tellEvent: (event, turn, stands) => listeners.emit("event", [event, turn], stands),
        tellDisconnected: (error) => listeners.emit("disconnected", [error]),
        forget: (error) => this.#forget(error),
        idle: () => {
          if (this.#link.status === "draining") this.#end();
        },
      },
      { backend, link: this.#link, requests: this.#requests },
    );
    this.#conversationHost = {
      client: this,
      name: backend.name,
      shared: backend.capabilities.conversations === "one",
      prompt: (input, options, conversation) => this.#prompt(input, options, conversation),
    };
  }

  get status(): ClientStatus {
    return this.#link.status;
  }

  get capabilities(): Capabilities {
    return this.#backend.capabilities;
  }

  get closedBy(): AnyAgentwireError | undefined {
    return this.#link.status === "closed" ? (this.#link.cause ?? this.#closedBy) : undefined;
  }

  get pending(): readonly PendingRequest[] {
    return this.#requests.pending;
  }

  /** @throws InvalidInputError or UnsupportedError for wrong input; ClosedError on a closed client */
  prompt(input: string | PromptInput, options?: TurnOptions): MockTurn {
    return this.#prompt(input, options, this.#conversationHost.shared ? this.conversation() : undefined);
  }

  /** @throws InvalidInputError for a `from` that is no state; UnsupportedError for any `from` where the client has one conversation */
  conversation(options: { readonly from?: ConversationState } = {}): MockConversation {
    checkValues(options, CONVERSATION, "option");
    const { from } = options;
    const { shared, name } = this.#conversationHost;
    if (shared && from !== undefined)
      throw unsupported("this backend cannot go on from an earlier conversation.", "Leave `from` out.");
    const messages = from === undefined ? [] : readState(from, name);
    const [existing] = this.#conversations;
    if (shared && existing) return existing;
    const conversation = new MockConversation(this.#conversationHost, messages);
    this.#conversations.add(conversation);
    return conversation;
  }

  decide(id: string, decision: Decision): Ruling {
    return this.#tells.run(() => this.#requests.decide(id, decision));
  }

  answer(id: string, answer: Answer): Reply {
    return this.#tells.run(() => this.#requests.answer(id, answer));
  }

  get grants(): readonly Grant[] {
    return this.#requests.grants.list;
  }

  revoke(id: string): boolean {
    return this.#requests.grants.revoke(id);
  }

  connect(options: ConnectOptions = {}): Promise<void> {
    checkValues(options, CONNECT, "option");
    if (this.#isClosing) return Promise.reject(this.#closedError());
    return this.#tells.run(() => this.#link.connect(options.signal));
  }

  close(options: CloseOptions = {}): Promise<void> {
    checkValues(options, CLOSE, "option");
    const { force = false, drainTimeout = 0 } = options;
    return this.#tells.run(() => {
      this.#isClosing = true;
      this.#turns.giveBack();
      const waits = !force && drainTimeout > 0 && !this.#turns.isIdle && this.#link.isReady;
      if (waits && !this.#closed) this.#drain(drainTimeout);
      else if (!waits) this.#close();
      this.#closed ??= Promise.resolve();
      return this.#closed;
    });
  }

  on<Name extends keyof MockAgentClientEvents & string>(
    name: Name,
    listener: (...values: MockAgentClientEvents[Name]) => void,
    options?: ListenOptions,
  ): Unsubscribe;
  on<Name extends keyof AnyClientEvents>(
    name: Name,
    listener: (...values: AnyClientEvents[Name]) => void,
    options?: ListenOptions,
  ): Unsubscribe;
  on(
    name: keyof MockAgentClientEvents,
    listener: (...values: never) => void,
    options?: ListenOptions,
  ): Unsubscribe {
    if (name === "turn") {
      const made = this.#newTurns.map((turn) => [turn]);
      return this.#listeners.on(name, listener, options, () => made);
    }
    if (name !== "approval" && name !== "question") return this.#listeners.on(name, listener, options);
    const open = this.pending.filter(({ type }) => type === name);
    const present = this.#stillOpen(open);
    return this.#listeners.on(name, listener, options, () => present);
  }

  [asyncDispose](): Promise<void> {
    return this.close();
  }

  #prompt(
    input: string | PromptInput,
    options: TurnOptions | undefined,
    conversation: MockConversation | undefined,
  ): MockTurn {
    const checked = checkTurnOptions(options);
    const { text, images } = readPrompt(input, this.capabilities.images);
    if (this.#isClosing || this.#link.status === "closed") throw this.#closedError();
    if (conversation?.lost) throw Object.assign(again(conversation.lost, "not-sent"), { input });
    return this.#tells.run(() => {
      this.#link.hurry();
      return this.#turns.make(input, checked, { text, images, conversation });
    });
  }

  #closedError(): AnyAgentwireError {
    return closed("not-sent", this.#link.cause);
  }

  /** Waits for the running turns. */
  #drain(timeout: number): void {
    this.#closed = new Promise((resolve) => {
      this.#end = () => {
        this.#close();
        resolve();
      };
    });
    this.#link.drain();
    const end = (): void => this.#tells.run(() => this.#end());
    this.#cancelDrain = this.#backend.clock.setTimeout(end, timeout);
  }

  #close(): void {
    this.#cancelDrain?.();
    this.#closedBy ??= closed("not-sent");
    this.#turns.end();
    this.#link.close();
    this.#end = () => {};
  }

  /** The backend has forgotten all conversations. */
  #forget(error: AnyAgentwireError): void {
    this.#requests.grants.clear();
    for (const conversation of this.#conversations) conversation.lost = error;
    this.#conversations = new Set();
  }

  #tellTurn(turn: MockTurn): void {
    if (this.#newTurns.length === 0) queueMicrotask(() => this.#newTurns.splice(0));
    this.#newTurns.push(turn);
    this.#listeners.emit("turn", [turn]);
  }

  #tellStatus(status: ClientStatus): void {
    if (status === "closed") this.#requests.grants.clear();
    this.#listeners.emit("status", [status]);
    if (status === "closed") this.#listeners.close();
  }

  #opened(request: PendingRequest, turn: MockTurn): void {
    const stands = (): boolean => this.#requests.isOpen(request.id);
    if (request.type === "approval") this.#listeners.emit("approval", [request.call, turn], stands);
    else this.#listeners.emit("question", [request.question, turn], stands);
  }

  *#stillOpen(requests: readonly PendingRequest[]): Iterable<readonly unknown[]> {
    for (const request of requests) {
      const turn = this.#requests.turnOf(request.id);
      if (turn) yield [askedIn(request), turn];
    }
  }

  #threw(cause: unknown, name: string): void {
    if (name === "protocolWarning") return; // the event cannot report its own listener
    const message = `the listener for \`${name}\` threw: ${String(cause)}`;
    this.#listeners.emitThrown("protocolWarning", [{ kind: "listener-threw", message, cause }]);
  }
}

/** A clock whose timers are inputs. */
function inputClock(clock: Clock, tells: Tells): Clock {
  return {
    now: () => clock.now(),
    wallTime: () => clock.wallTime(),
    random: () => clock.random(),
    setTimeout: (callback, delay, options) => clock.setTimeout(() => tells.run(callback), delay, options),
  };
}
