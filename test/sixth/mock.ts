import type { Clock } from "../../src/core/clock.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { describeFrame, type InboundFrame } from "../../src/testing/server/inbound.ts";
import { Journal } from "../../src/testing/server/journal.ts";
import type { LinkMistake, PeerLink } from "../../src/testing/server/link.ts";
import { MockPeer } from "../../src/testing/server/peer.ts";
import { LoopbackPort, type UpgradeAttempt, type UpgradeRefusal } from "../../src/testing/server/port.ts";
import { ProtocolMock } from "../../src/testing/server/protocol-mock.ts";
import { type ConnectionFrame, noted, type ServedConnection } from "../../src/testing/server/record.ts";
import { ScriptRunner, type StepSource } from "../../src/testing/server/script-runner.ts";

// A server of the protocol that the top of messages.ts describes. It shares no code with the client.

interface AskStep {
  readonly kind: "ask";
  readonly name: string;
  readonly input: unknown;
  /** What the tool gives, where it is allowed. */
  readonly output: string;
}

/** A piece of the answer; a tool call; or how the answer fails. */
export type EchoStep = string | AskStep | { readonly kind: "fail"; readonly message: string };

/** A generator is told whether its call was allowed. */
export type EchoAnswer = (text: string) => StepSource<EchoStep, boolean | undefined>;

export interface ReceivedPrompt {
  readonly id: string;
  readonly text: string;
  /** The prompts before it in its conversation. */
  readonly known: readonly string[];
}

export interface MockEchoOptions {
  readonly answer?: EchoAnswer;
  /** Why every `hello` is refused. */
  readonly refuses?: string;
}

class EchoJournal extends Journal<
  ServedConnection,
  string,
  ConnectionFrame<ServedConnection>,
  ServedConnection
> {
  readonly prompts: ReceivedPrompt[] = [];
}

/** What the connections of one server share. */
class EchoBackend {
  readonly withPort = "MockEchoServer";
  readonly clock: Clock = new ManualClock();
  readonly journal = new EchoJournal();
  readonly peers: EchoPeer[] = [];
  /** What was asked in each conversation. */
  readonly conversations = new Map<string, readonly string[]>();
  readonly options: MockEchoOptions;

  constructor(options: MockEchoOptions) {
    this.options = options;
  }

  accept(link: PeerLink): EchoPeer {
    const peer = new EchoPeer(this.peers.length + 1, link, this);
    this.peers.push(peer);
    this.journal.add(this.journal.connections, peer);
    return peer;
  }
}

/** A turn under way; `decisions` are awaited by call id. */
interface Running {
  readonly runner: ScriptRunner<EchoStep, boolean | undefined>;
  readonly decisions: Map<string, (allow: boolean) => void>;
}

class EchoPeer extends MockPeer {
  readonly repliesToClose = true;
  readonly staysWhenMalformed = false;
  readonly #backend: EchoBackend;
  readonly #running = new Map<string, Running>();
  readonly #ids = new Set<string>();
  #greeted = false;
  #calls = 0;

  constructor(id: number, link: PeerLink, backend: EchoBackend) {
    super(id, link, backend);
    this.#backend = backend;
  }

  get state(): string {
    if (this.over) return "closed";
    return this.#greeted ? "ready" : "open";
  }

  receive(frame: InboundFrame): void {
    this.#record("c2s", frame);
    if (!this.over) this.inbox.push(frame);
  }

  blame({ kind, detail }: LinkMistake | { readonly kind: string; readonly detail: string }): void {
    const { journal } = this.#backend;
    journal.add(journal.violations, { connection: this, kind, detail });
  }

  protected handle(frame: InboundFrame): Promise<void> {
    const message = typeof frame === "string" ? fieldsOf(frame) : undefined;
    if (!message) this.blame({ kind: "unreadable", detail: describeFrame(frame) });
    else if (this.#greeted !== (message["type"] !== "hello"))
      this.blame({ kind: "hello-out-of-order", detail: describeFrame(frame) });
    else this.#heed(message, describeFrame(frame));
    return Promise.resolve();
  }

  protected sent(frame: string | Uint8Array): void {
    this.#record("s2c", frame);
  }

  protected release(): void {
    for (const { runner } of this.#running.values()) runner.stop();
    this.#running.clear();
  }

  #heed(message: Readonly<Record<string, unknown>>, detail: string): void {
    const { type, id, text, conversation, callId, allow } = message;
    if (type === "hello") this.#greet();
    else if (type === "ping") this.#say({ type: "pong" });
    else if (type === "prompt" && typeof id === "string" && typeof text === "string")
      this.#prompt(id, text, typeof conversation === "string" ? conversation : undefined);
    else if (type === "cancel" && typeof id === "string") this.#cancel(id);
    else if (type === "decision" && typeof callId === "string" && typeof allow === "boolean")
      this.#decide(callId, allow);
    else this.blame({ kind: "no-such-message", detail });
  }

  #greet(): void {
    const { refuses } = this.#backend.options;
    this.#greeted = refuses === undefined;
    this.#say(refuses === undefined ? { type: "welcome" } : { type: "refused", reason: refuses });
    if (refuses !== undefined) this.close();
  }

  #prompt(id: string, text: string, conversation: string | undefined): void {
    const { journal, conversations } = this.#backend;
    if (this.#ids.has(id)) this.blame({ kind: "id-used-twice", detail: id });
    if (text.trim() === "") this.blame({ kind: "blank-prompt", detail: id });
    this.#ids.add(id);
    const known = conversations.get(conversation ?? "") ?? [];
    if (conversation !== undefined) conversations.set(conversation, [...known, text]);
    journal.add(journal.prompts, { id, text, known });
    void this.#perform(id, text);
  }

  async #perform(id: string, text: string): Promise<void> {
    const { clock, journal, options } = this.#backend;
    const { answer = (said) => [said] } = options;
    const running: Running = { runner: new ScriptRunner(clock), decisions: new Map() };
    this.#running.set(id, running);
    let end: object = { type: "done", id };
    try {
      await running.runner.follow(answer(text), (step) => {
        if (typeof step !== "string" && step.kind === "ask") return this.#ask(id, step, running);
        if (typeof step === "string") this.#say({ type: "delta", id, text: step });
        else end = { type: "error", id, message: step.message };
        return undefined;
      });
    } catch (error) {
      journal.threw(error);
      end = { type: "error", id, message: String(error) };
    }
    if (this.#running.get(id) !== running) return; // it was cancelled
    this.#running.delete(id);
    this.#say(end);
  }

  async #ask(id: string, step: AskStep, { runner, decisions }: Running): Promise<boolean> {
    const callId = `call ${++this.#calls}`;
    const decided = new Promise<boolean>((resolve) => void decisions.set(callId, resolve));
    this.#say({ type: "ask", id, callId, name: step.name, input: step.input });
    const allowed = await runner.unlessStopped(decided);
    if (allowed === true) this.#say({ type: "output", id, callId, text: step.output });
    return allowed === true;
  }

  #decide(callId: string, allow: boolean): void {
    for (const { decisions } of this.#running.values()) {
      const decided = decisions.get(callId);
      if (!decided) continue;
      decisions.delete(callId);
      decided(allow);
      return;
    }
    this.blame({ kind: "decision-for-nothing", detail: callId });
  }

  #cancel(id: string): void {
    if (!this.#ids.has(id)) this.blame({ kind: "cancel-of-nothing", detail: id });
    const running = this.#running.get(id);
    this.#running.delete(id);
    running?.runner.stop();
    this.#say({ type: "cancelled", id });
  }

  #say(message: object): void {
    this.send(JSON.stringify(message));
  }

  #record(direction: "c2s" | "s2c", frame: string | Uint8Array): void {
    const { clock, journal } = this.#backend;
    journal.add(journal.frames, { at: clock.now(), connection: this, direction, raw: noted(frame).raw });
  }
}

function fieldsOf(frame: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const message: unknown = JSON.parse(frame);
    return typeof message === "object" && message !== null ? { ...message } : undefined;
  } catch {
    return undefined;
  }
}

/** The server on `ws://127.0.0.1:PORT`. It records what happens, and what a client does wrong. */
export class MockEchoServer extends ProtocolMock<ServedConnection, string> {
  readonly url: string;
  readonly #port: LoopbackPort;
  readonly #backend: EchoBackend;

  private constructor(backend: EchoBackend, port: LoopbackPort) {
    super(backend);
    this.#backend = backend;
    this.#port = port;
    this.url = `ws://127.0.0.1:${port.number}`;
    port.serve({
      clock: backend.clock,
      refusalOf: () => undefined,
      accept: (link) => backend.accept(link),
      changed: () => backend.journal.changed(),
    });
  }

  static start(options: MockEchoOptions = {}): Promise<MockEchoServer> {
    return LoopbackPort.open(0, (port) => new MockEchoServer(new EchoBackend(options), port));
  }

  /** Every `prompt`, in order. */
  get prompts(): readonly ReceivedPrompt[] {
    return this.#backend.journal.prompts;
  }

  get upgrades(): readonly UpgradeAttempt[] {
    return this.#port.upgrades;
  }

  refuseUpgrades(how: UpgradeRefusal | undefined): void {
    this.#port.refuseUpgrades(how);
  }

  override async stop(): Promise<void> {
    this.dropAll();
    await this.#port.stop();
    await super.stop();
  }
}
