import type { AnyClientEvents, Capabilities } from "../../src/core/client/agent-client.ts";
import type { AnyAgentClient, AnyConversation } from "../../src/core/client/any-client.ts";
import {
  type AnyAgentwireError,
  ClosedError,
  InvalidInputError,
  UnsupportedError,
} from "../../src/core/errors.ts";
import type { ConversationState } from "../../src/core/turn/conversation.ts";
import type { PromptInput } from "../../src/core/turn/prompt-input.ts";
import type { TurnOptions } from "../../src/core/turn/turn.ts";
import type { ClientStatus, Grant, PendingRequest } from "../../src/core/values.ts";
import type { AgentSource, UniversalOptions } from "../../src/universal/stream.ts";
import { FakeStream } from "./fake-stream.ts";
import { FakeTurn } from "./fake-turn.ts";

export const FAKE_CAPABILITIES: Capabilities = {
  textDeltas: true,
  reasoning: true,
  toolCalls: true,
  toolOutputDeltas: false,
  subagents: false,
  permissions: "client",
  questions: true,
  usage: "tokens",
  images: true,
  cancelOnWire: true,
  history: "client",
  conversations: "many",
  survivesReconnect: true,
  reopens: true,
  recovers: false,
  plan: true,
  context: true,
  branches: true,
  preview: true,
  modes: false,
  models: false,
  files: false,
};

/** How a fake backend behaves. */
export interface FakeOptions {
  readonly capabilities?: Partial<Capabilities>;
  /** Whether a prompt is sent inside of `prompt()`. Otherwise `turn.send()` sends it. @default true */
  readonly sendsAtOnce?: boolean;
  /** Whether a cancelled turn has stopped at once. Otherwise `turn.stopped()` says so. @default true */
  readonly stopsAtOnce?: boolean;
  /** Whether a conversation can go on from a state. @default true */
  readonly goesOn?: boolean;
  /** Whether the client can cancel turns of others. @default false */
  readonly cancelsOthers?: boolean;
  /** When the streams have told again what was told before. @default they tell nothing again */
  readonly caughtUp?: Promise<void>;
}

/** A source whose backend says what the test says, at the very moment at which it says it. */
export class FakeSource implements AgentSource<FakeAgent> {
  readonly name: string = "fake";
  readonly options: FakeOptions;
  readonly agents: FakeAgent[] = [];
  /** What `client()` throws, if anything. */
  refusal: unknown;

  constructor(options: FakeOptions = {}) {
    this.options = options;
  }

  client(): FakeAgent {
    if (this.refusal !== undefined) throw this.refusal;
    const agent = new FakeAgent(this.options);
    this.agents.push(agent);
    return agent;
  }

  toUniversal(of: unknown, options?: UniversalOptions): FakeStream {
    if (!(of instanceof FakeConversation)) throw new Error("the fake tells events of conversations alone");
    return of.universal(options);
  }

  /** The newest client. */
  get agent(): FakeAgent {
    const agent = this.agents.at(-1);
    if (!agent) throw new Error("there is no client");
    return agent;
  }

  /** The newest conversation of the newest client. */
  get conversation(): FakeConversation {
    const conversation = this.agent.conversations.at(-1);
    if (!conversation) throw new Error("there is no conversation");
    return conversation;
  }

  /** The newest turn of all. */
  get turn(): FakeTurn {
    const turn = this.turns.at(-1);
    if (!turn) throw new Error("there is no turn");
    return turn;
  }

  get turns(): readonly FakeTurn[] {
    return this.agents.flatMap(({ conversations }) => conversations.flatMap(({ turns }) => turns));
  }
}

type Listener = (...values: never) => void;

export class FakeAgent implements AnyAgentClient {
  readonly options: FakeOptions;
  readonly conversations: FakeConversation[] = [];
  readonly listeners = new Set<readonly [name: string, listener: Listener]>();
  readonly pending: PendingRequest[] = [];
  readonly decided: unknown[] = [];
  /** The turns of others that were cancelled. */
  readonly cancelled: string[] = [];
  grants: readonly Grant[] = [];
  status: ClientStatus = "idle";
  closedBy: AnyAgentwireError | undefined;
  closes = 0;
  /** What `prompt()` of the next conversation throws, if anything. */
  refuseNext: unknown;

  constructor(options: FakeOptions) {
    this.options = options;
  }

  get capabilities(): Capabilities {
    return { ...FAKE_CAPABILITIES, ...this.options.capabilities };
  }

  on<Name extends keyof AnyClientEvents>(
    name: Name,
    listener: (...values: AnyClientEvents[Name]) => void,
  ): () => void {
    const entry: readonly [string, Listener] = [name, listener];
    this.listeners.add(entry);
    return () => void this.listeners.delete(entry);
  }

  emit<Name extends keyof AnyClientEvents>(name: Name, ...values: AnyClientEvents[Name]): void {
    for (const [event, listener] of [...this.listeners]) if (event === name) listener(...(values as never));
  }

  get cancel(): ((turnId: string) => void) | undefined {
    return this.options.cancelsOthers ? (turnId) => void this.cancelled.push(turnId) : undefined;
  }

  universal(): never {
    throw new Error("the fake tells events of conversations alone");
  }

  is(status: ClientStatus): void {
    this.status = status;
    this.emit("status", status);
  }

  /** The link is lost. The running turn fails. */
  loses(error: AnyAgentwireError): void {
    for (const turn of this.openTurns) turn.fails(error);
    this.emit("disconnected", error);
  }

  /** The link is lost, and the client gives up. */
  givesUp(error: AnyAgentwireError): void {
    this.loses(error);
    this.closedBy = error;
    this.is("closed");
  }

  /** Returns the request's id in the events of the newest conversation. */
  asks(request: PendingRequest): string {
    this.pending.push(request);
    if (request.type === "approval") this.emit("approval", request.call);
    else this.emit("question", request.question);
    const stream = this.conversations.at(-1)?.stream;
    if (!stream) throw new Error("nobody hears the request");
    return stream.asks(request);
  }

  /** A request ends. */
  withdraws(id: string): void {
    const at = this.pending.findIndex((request) => request.id === id);
    const [request] = this.pending.splice(at, 1);
    if (request?.type === "approval")
      this.emit("settled", { ...request, ruling: { decision: "once", by: "reply" } });
    if (request?.type === "question")
      this.emit("settled", { ...request, reply: { answers: undefined, by: "reply" } });
  }

  revoke(id: string): boolean {
    const stood = this.grants.some((grant) => grant.id === id);
    this.grants = this.grants.filter((grant) => grant.id !== id);
    return stood;
  }

  decide(id: string, decision: unknown): never {
    return this.#settle(id, "approval", decision);
  }

  answer(id: string, answer: unknown): never {
    return this.#settle(id, "question", answer);
  }

  #settle(id: string, type: PendingRequest["type"], value: unknown): never {
    const at = this.pending.findIndex((request) => request.id === id && request.type === type);
    if (at < 0) throw new InvalidInputError("no request has this id.", "Pass another.");
    this.decided.push([id, value]);
    this.withdraws(id);
    return undefined as never; // the chat takes no notice of the ruling
  }

  prompt(): never {
    throw new Error("a chat prompts its conversation");
  }

  conversation({ from }: { readonly from?: ConversationState } = {}): FakeConversation {
    if (this.status === "closed") throw new ClosedError("this client was closed");
    if (from !== undefined && this.options.goesOn === false)
      throw new UnsupportedError("the server forgets.", "Begin anew.");
    const conversation = new FakeConversation(this, from);
    conversation.refusal = this.refuseNext;
    this.refuseNext = undefined;
    this.conversations.push(conversation);
    return conversation;
  }

  async connect(): Promise<void> {
    this.is("ready");
  }

  async close(): Promise<void> {
    this.closes++;
    if (this.status === "closed") return;
    for (const turn of this.openTurns)
      turn.fails(new ClosedError("the client was closed while the turn ran"));
    this.is("closed");
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get openTurns(): readonly FakeTurn[] {
    return this.conversations.flatMap(({ turns }) => turns.filter((turn) => turn.isOpen));
  }
}

export interface FakeState extends ConversationState {
  readonly said: readonly string[];
}

/** Its state lists the prompts that were answered. */
export class FakeConversation implements AnyConversation {
  readonly agent: FakeAgent;
  readonly from: ConversationState | undefined;
  readonly turns: FakeTurn[] = [];
  readonly messages = [];
  readonly shared = false;
  readonly said: string[];
  stream: FakeStream | undefined;
  /** What `prompt()` throws, if anything. */
  refusal: unknown;

  constructor(agent: FakeAgent, from: ConversationState | undefined) {
    this.agent = agent;
    this.from = from;
    const said = from && "said" in from ? from.said : [];
    this.said = Array.isArray(said) ? said.map(String) : [];
  }

  universal(options?: UniversalOptions): FakeStream {
    this.stream = new FakeStream(options, this.agent.options.caughtUp);
    return this.stream;
  }

  get state(): FakeState {
    return { protocol: "fake", version: 1, said: [...this.said] };
  }

  earlier(turns: number): FakeState | undefined {
    return turns > this.said.length
      ? undefined
      : { ...this.state, said: this.said.slice(0, this.said.length - turns) };
  }

  get stopsAtOnce(): boolean {
    return this.agent.options.stopsAtOnce !== false;
  }

  answered(prompt: string): void {
    this.said.push(prompt);
  }

  prompt(input: string | PromptInput, options: TurnOptions = {}): FakeTurn {
    if (this.refusal !== undefined) throw this.refusal;
    if (this.agent.status === "closed")
      throw new ClosedError("this client was closed", { delivery: "not-sent" });
    const turn = new FakeTurn(this, input, options);
    this.turns.push(turn);
    if (this.agent.options.sendsAtOnce !== false) turn.send();
    return turn;
  }
}
