import {
  agentStep,
  ManualClock,
  MockAgent,
  type MockAgentClient,
  type MockAgentScript,
  type MockAgentStep,
  type MockAgentSwitches,
  type UpgradeRefusal,
} from "agentwire/testing";
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
  Step,
  Universal,
  World,
} from "./fixture.ts";
import { SIGN, usual } from "./fixture.ts";

/** A fixture for the agent of tests, which has no wire. */
export function withoutWire(name: string, facts: Facts): Fixture {
  return { name, facts, start: async () => new AgentWorld() };
}

/** A link that nobody can cut in the middle of a frame, or put a frame on. */
const NO_FRAMES = "there are no frames";

/** What agents without a wire answer, and what they were asked. */
export class AgentScript {
  answer: Answer = usual;
  readonly prompts: Received[] = [];
  readonly #silence = new AbortController();
  #arrived: (() => void)[] = [];

  /** The script of a `MockAgent`. */
  readonly play = ({
    text,
    messages,
  }: Parameters<Extract<MockAgentScript, (...given: never) => unknown>>[0]): AsyncIterable<MockAgentStep> => {
    const known = messages.filter(({ role }) => role === "user").map(({ content }) => String(content));
    this.prompts.push({ text, known });
    for (const tell of this.#arrived.splice(0)) tell();
    return this.#steps(this.answer(text));
  };

  async received(count: number): Promise<void> {
    while (this.prompts.length < count) await new Promise<void>((resolve) => this.#arrived.push(resolve));
  }

  fallSilent(): void {
    this.#silence.abort();
  }

  async *#steps(steps: Iterable<Step> | AsyncIterable<Step>): AsyncGenerator<MockAgentStep> {
    for await (const step of steps) {
      if (this.#silence.signal.aborted) yield agentStep.hang();
      yield wordOf(step);
    }
    if (this.#silence.signal.aborted) yield agentStep.hang();
  }
}

/** Each client has an agent of its own, and all have one script. */
class AgentWorld implements World, Backend, Link {
  readonly clock = new ManualClock();
  readonly mistakes: readonly string[] = [];
  readonly #script = new AgentScript();
  readonly #agents: MockAgent[] = [];
  readonly #clients: MockAgentClient[] = [];
  #isGone = false;

  get backend(): Backend {
    return this;
  }

  get link(): Link {
    return this;
  }

  client(options: ContractOptions = {}): AnyClient {
    const agent = new MockAgent({
      clock: this.clock,
      deltas: "whole",
      script: this.#script.play,
      ...switchesOf(options),
      ...(options.files ? { files: options.files } : {}),
      modes: { current: "ask", available: [{ id: "ask", name: "Ask" }] },
      refuseConnect: this.#isGone,
    });
    const client = agent.client();
    this.#agents.push(agent);
    this.#clients.push(client);
    return client;
  }

  toUniversal(of: Parameters<Universal["toUniversal"]>[0]): ReturnType<Universal["toUniversal"]> {
    const [agent] = this.#agents;
    if (!agent) throw new Error("there is no client yet");
    return agent.toUniversal(of as MockAgentClient); // of the first client, or a turn or conversation of it
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close({ force: true })));
  }

  get answer(): Answer {
    return this.#script.answer;
  }

  set answer(answer: Answer) {
    this.#script.answer = answer;
  }

  get prompts(): readonly Received[] {
    return this.#script.prompts;
  }

  received(count: number): Promise<void> {
    return this.#script.received(count);
  }

  get calls(): number {
    return this.#agents.reduce((sum, { attempts }) => sum + attempts, 0);
  }

  async start(): Promise<void> {
    this.#isGone = false;
    for (const agent of this.#agents) agent.set({ refuseConnect: false });
  }

  async stop(): Promise<void> {
    this.#isGone = true;
    for (const agent of this.#agents) {
      agent.set({ refuseConnect: true });
      agent.disconnect();
    }
  }

  fallSilent(): void {
    this.#script.fallSilent();
  }

  // --- the link ---

  get heard(): string {
    return this.#script.prompts.map(({ text }) => text).join("\n");
  }

  get frames(): number {
    throw new Error(NO_FRAMES);
  }

  say(): void {
    throw new Error(NO_FRAMES);
  }

  end(how: LinkEnd): void {
    if (how !== "cut") throw new Error(NO_FRAMES);
    for (const agent of this.#agents) agent.disconnect();
  }

  endNextBehind(): void {
    throw new Error(NO_FRAMES);
  }

  refuse(how: UpgradeRefusal | undefined): void {
    const isMute = how === "never-answered";
    const switches = { refuseConnect: how !== undefined && !isMute, connectDelay: isMute ? FOR_EVER : 0 };
    for (const agent of this.#agents) agent.set(switches);
  }

  async tried(times: number): Promise<void> {
    await Promise.all(this.#agents.map((agent) => agent.waitFor(({ attempts }) => attempts >= times)));
  }
}

function wordOf(step: Step): MockAgentStep {
  if (typeof step === "string") return step;
  return step === SIGN ? agentStep.status("at work") : agentStep.fail(step.fails);
}

/** ms; as long as a timer can be. */
const FOR_EVER = 2 ** 31 - 1;

/** The delay before each attempt, if a promise asks for a client that comes back. */
const DELAY = 250;

function switchesOf({ reconnect, idleTimeout, oneAtATime }: ContractOptions): MockAgentSwitches {
  return {
    turnsAtOnce: oneAtATime ? 1 : 4,
    ...(idleTimeout === undefined ? {} : { idleTimeout }),
    reconnect:
      reconnect === false
        ? false
        : {
            delay: DELAY,
            ...(reconnect?.maxAttempts === undefined ? {} : { maxAttempts: reconnect.maxAttempts }),
          },
  };
}
