import {
  type FrameRecord,
  ManualClock,
  type ProtocolMock,
  type ServedConnection,
  type UpgradeAttempt,
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
import { usual } from "./fixture.ts";

/** A mock server with a port, whatever its protocol. */
export type MockServer = ProtocolMock<
  ServedConnection,
  string,
  FrameRecord<ServedConnection>,
  ServedConnection | undefined
> & {
  readonly url: string;
  readonly upgrades: readonly UpgradeAttempt[];
  refuseUpgrades(how: UpgradeRefusal | undefined): void;
};

/** What differs between the protocols that have a mock on a port. */
export interface SocketProtocol<Server extends MockServer> extends Universal {
  readonly name: string;
  readonly facts: Facts;
  /** Starts the mock; `answer` is asked for each prompt. */
  start(answer: Answer): Promise<Server>;
  client(
    options: ContractOptions,
    place: { readonly server: () => Server; readonly clock: ManualClock },
  ): AnyClient;
  /** What the mock has got, in order. */
  received(server: Server): readonly Received[];
  /** Kinds of mistakes that are the test's and not the client's: what ends by force leaves in the middle. */
  readonly excused: readonly string[];
}

/** A fixture for a protocol that has a mock on a port. */
export function overSockets<Server extends MockServer>(protocol: SocketProtocol<Server>): Fixture {
  const { name, facts } = protocol;
  return { name, facts, start: () => SocketWorld.start(protocol) };
}

/** The steps of an answer, in the words of a mock. */
export function translated<To>(
  steps: Iterable<Step> | AsyncIterable<Step>,
  word: (step: Step) => To,
): Iterable<To> | AsyncIterable<To> {
  return Symbol.asyncIterator in steps ? later(steps, word) : Array.from(steps, word);
}

async function* later<To>(steps: AsyncIterable<Step>, word: (step: Step) => To): AsyncGenerator<To> {
  for await (const step of steps) yield word(step);
}

const HALF_A_FRAME = '{"type":"of this frame the other half never comes"}';

class SocketWorld<Server extends MockServer> implements World, Backend, Link {
  readonly clock = new ManualClock();
  answer: Answer = usual;
  readonly #protocol: SocketProtocol<Server>;
  readonly #servers: Server[] = [];
  readonly #clients: AnyClient[] = [];

  private constructor(protocol: SocketProtocol<Server>) {
    this.#protocol = protocol;
  }

  static async start<Server extends MockServer>(protocol: SocketProtocol<Server>): Promise<World> {
    const world = new SocketWorld(protocol);
    await world.start();
    return world;
  }

  get backend(): Backend {
    return this;
  }

  get link(): Link {
    return this;
  }

  get mistakes(): readonly string[] {
    return this.#servers
      .flatMap(({ violations }) => violations)
      .filter(({ kind }) => !this.#protocol.excused.includes(kind))
      .map(({ kind, detail }) => `${kind}: ${detail}`);
  }

  client(options: ContractOptions = {}): AnyClient {
    const client = this.#protocol.client(options, { server: () => this.#server, clock: this.clock });
    this.#clients.push(client);
    return client;
  }

  toUniversal(of: Parameters<Universal["toUniversal"]>[0]): ReturnType<Universal["toUniversal"]> {
    return this.#protocol.toUniversal(of);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = this.#clients.map((client) => client.close({ force: true }));
    await this.#server.stop(); // some servers answer no Close, and the clock that would give them up stands still
    await Promise.all(closed);
  }

  // --- the backend ---

  get prompts(): readonly Received[] {
    return this.#servers.flatMap((server) => this.#protocol.received(server));
  }

  async received(count: number): Promise<void> {
    await this.#server.waitFor(() => this.prompts.length >= count);
  }

  get calls(): number {
    return this.#servers.flatMap(({ connections }) => connections).length;
  }

  async start(): Promise<void> {
    this.#servers.push(await this.#protocol.start((prompt) => this.answer(prompt)));
  }

  async stop(): Promise<void> {
    await this.#server.stop();
  }

  fallSilent(): void {
    this.end("silence");
  }

  // --- the link ---

  get heard(): string {
    const sent = this.#servers.flatMap(({ frames, upgrades }) => [
      ...frames.filter(({ direction }) => direction === "c2s").map(({ raw }) => raw),
      ...upgrades.map(({ url, headers }) => `${url} ${JSON.stringify(headers)}`),
    ]);
    return sent.join("\n");
  }

  get frames(): number {
    return this.#framesOn(this.#newest);
  }

  say(frame: string | Uint8Array): void {
    this.#newest.send(frame);
  }

  end(how: LinkEnd): void {
    end(this.#newest, how);
  }

  endNextBehind(frames: number, how: LinkEnd): void {
    const { length } = this.#server.connections;
    // The mock asks again within each frame that it sends, so that no other goes out behind the last one.
    void this.#server.waitFor(({ connections }) => {
      const next = connections[length];
      if (!next || this.#framesOn(next) < frames) return false;
      end(next, how);
      return true;
    });
  }

  refuse(how: UpgradeRefusal | undefined): void {
    this.#server.refuseUpgrades(how);
  }

  async tried(times: number): Promise<void> {
    await this.#server.waitFor(({ upgrades }) => upgrades.length >= times);
  }

  get #server(): Server {
    return newest(this.#servers);
  }

  get #newest(): ServedConnection {
    return newest(this.#server.connections);
  }

  #framesOn(connection: ServedConnection): number {
    return this.#server.frames.filter((frame) => frame.connection === connection && frame.direction === "s2c")
      .length;
  }
}

function end(connection: ServedConnection, how: LinkEnd): void {
  if (how === "cut") connection.drop();
  else if (how === "cut in mid-frame") connection.dropMidFrame(HALF_A_FRAME);
  else if (how === "silence") connection.pause();
  else connection.close(how.code, how.reason);
}

function newest<T>(list: readonly T[]): T {
  const last = list.at(-1);
  if (last === undefined) throw new Error("Nobody is connected yet");
  return last;
}
