import type { AcpStream } from "agentwire/acp";
import { ManualClock, type UpgradeRefusal } from "agentwire/testing";
import { type AgentTurn, END, ScriptedAgent } from "../acp/support/agent.ts";
import type {
  Answer,
  AnyClient,
  Backend,
  ContractOptions,
  Facts,
  Fixture,
  Link,
  LinkEnd,
  Received,
  Universal,
  World,
} from "./fixture.ts";
import { SIGN, usual } from "./fixture.ts";

/** What differs between the protocols whose backend is at the other end of a pair of streams. */
export interface StreamProtocol extends Universal {
  readonly name: string;
  readonly facts: Facts;
  client(options: ContractOptions, createStream: () => AcpStream, clock: ManualClock): AnyClient;
}

export function overStreams(protocol: StreamProtocol): Fixture {
  const { name, facts } = protocol;
  return { name, facts, start: async () => new StreamWorld(protocol) };
}

/** A stream has lines, and nobody to refuse it. */
const NO_FRAMES = "there are no frames";

class StreamWorld implements World, Backend, Link {
  readonly clock = new ManualClock();
  answer: Answer = usual;
  readonly prompts: Received[] = [];
  readonly #protocol: StreamProtocol;
  readonly #agents: ScriptedAgent[] = [];
  readonly #clients: AnyClient[] = [];
  /** What users have said, by session. */
  readonly #said = new Map<string, readonly string[]>();
  #arrived: (() => void)[] = [];
  #tried: (() => void)[] = [];
  #isGone = false;
  #isSilent = false;
  #sessions = 0;

  constructor(protocol: StreamProtocol) {
    this.#protocol = protocol;
  }

  get backend(): Backend {
    return this;
  }

  get link(): Link {
    return this;
  }

  get mistakes(): readonly string[] {
    return this.#agents.flatMap(({ odd }) => odd);
  }

  client(options: ContractOptions = {}): AnyClient {
    const createStream = (): AcpStream => {
      const agent = new ScriptedAgent({
        script: (turn) => this.#play(turn),
        capabilities: { sessionCapabilities: { resume: {} } },
        answers: {
          "session/new": () => (this.#isSilent ? undefined : { sessionId: `s${++this.#sessions}` }),
          ...(this.#isSilent ? { initialize: () => undefined } : {}),
        },
      });
      this.#agents.push(agent);
      for (const tell of this.#tried.splice(0)) tell();
      const stream = agent.createStream();
      if (this.#isGone) agent.end();
      return stream;
    };
    const client = this.#protocol.client(options, createStream, this.clock);
    this.#clients.push(client);
    return client;
  }

  toUniversal(of: Parameters<Universal["toUniversal"]>[0]): ReturnType<Universal["toUniversal"]> {
    return this.#protocol.toUniversal(of);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close({ force: true })));
  }

  async #play({ text, sessionId, update, say, cancelled }: AgentTurn): Promise<unknown> {
    const known = this.#said.get(sessionId) ?? [];
    this.prompts.push({ text, known });
    this.#said.set(sessionId, [...known, text]);
    for (const tell of this.#arrived.splice(0)) tell();
    let isCancelled = false;
    const stop = cancelled.then(() => {
      isCancelled = true;
      return CANCELLED;
    });
    const play = async (): Promise<unknown> => {
      for await (const step of this.answer(text)) {
        if (this.#isSilent) return new Promise(() => {});
        if (isCancelled) return CANCELLED;
        if (step === SIGN)
          update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "hm" } });
        else if (typeof step === "string") say(step);
        else throw new Error(step.fails);
      }
      return this.#isSilent ? new Promise(() => {}) : END;
    };
    return this.#isSilent
      ? new Promise(() => {})
      : Promise.race([play(), stop.then((end) => (this.#isSilent ? new Promise(() => {}) : end))]);
  }

  async received(count: number): Promise<void> {
    while (this.prompts.length < count) await new Promise<void>((resolve) => this.#arrived.push(resolve));
  }

  get calls(): number {
    return this.#agents.length;
  }

  async start(): Promise<void> {
    this.#isGone = false;
  }

  async stop(): Promise<void> {
    this.#isGone = true;
    for (const agent of this.#agents) agent.end();
  }

  fallSilent(): void {
    this.#isSilent = true;
  }

  get heard(): string {
    return this.#agents.flatMap(({ heard }) => heard.map((message) => JSON.stringify(message))).join("\n");
  }

  get frames(): number {
    throw new Error(NO_FRAMES);
  }

  say(frame: string | Uint8Array): void {
    const agent = this.#agents.at(-1);
    agent?.raw(frame);
    agent?.raw("\n");
  }

  end(how: LinkEnd): void {
    if (how === "silence") this.fallSilent();
    else if (how === "cut") for (const agent of this.#agents) agent.end();
    else throw new Error(NO_FRAMES);
  }

  endNextBehind(): void {
    throw new Error(NO_FRAMES);
  }

  refuse(how: UpgradeRefusal | undefined): void {
    this.#isGone = how !== undefined && how !== "never-answered";
    this.#isSilent = how === "never-answered";
  }

  async tried(times: number): Promise<void> {
    while (this.calls < times) await new Promise<void>((resolve) => this.#tried.push(resolve));
  }
}

const CANCELLED = { stopReason: "cancelled" };
