import { CassClient, type CassClientEvents, type CassClientOptions } from "agentwire/cass";
import {
  type CassConnection,
  type CassStep,
  ManualClock,
  type MockCassOptions,
  MockCassServer,
  type NewCassUser,
} from "agentwire/testing";

export { drain, gate } from "./codebuff.ts";
export { eventsOf, failureOf, heard, rejection, thrown } from "./turns.ts";

/** A clock that tells when somebody begins to wait by it: what is on the network has no other sign of its end. */
export class WatchedClock extends ManualClock {
  readonly #listeners = new Set<(delay: number) => void>();

  override setTimeout(callback: () => void, delay: number): () => void {
    const cancel = super.setTimeout(callback, delay);
    for (const listener of [...this.#listeners]) listener(delay);
    return cancel;
  }

  /** Resolves when the next timer of so many ms is set. */
  timer(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const listener = (delay: number): void => {
        if (delay !== ms) return;
        this.#listeners.delete(listener);
        resolve();
      };
      this.#listeners.add(listener);
    });
  }

  /** Goes through the next waits of so many ms, each once somebody begins it. */
  async pass(...waits: readonly number[]): Promise<void> {
    const begun = waits.map((ms) => this.timer(ms));
    for (const [index, ms] of waits.entries()) {
      await begun[index];
      await this.advance(ms);
    }
  }
}

export type CassTurn = ReturnType<CassClient["prompt"]>;

/** A mock server and a client of one of its users, on one clock that the test drives; both are closed at the end. */
export interface CassPair extends AsyncDisposable {
  readonly server: MockCassServer;
  readonly client: CassClient;
  /** Both sides' clock: the server's tokens expire by it too. */
  readonly clock: WatchedClock;
  readonly user: NewCassUser;
  /** What the client has logged. */
  readonly logs: readonly string[];
}

type ClientOptions = Partial<CassClientOptions>;

/** Options of a client that need what was made before it. */
export type CassClientOf = (made: {
  readonly server: MockCassServer;
  readonly user: NewCassUser;
}) => ClientOptions;

export interface CassPairOptions {
  /** What every random wait is multiplied by, from 0 to 1. @default 0.5 */
  readonly chance?: number;
  readonly mock?: MockCassOptions;
  /** Besides the address, the clock, and a token of the user. */
  readonly client?: ClientOptions | CassClientOf;
}

/** In a page REST would go to another origin, so the mock answers it there without a port. */
const isPage = "document" in globalThis;

export async function cassPair(options: CassPairOptions = {}): Promise<CassPair> {
  const clock = new WatchedClock(options.chance === undefined ? {} : { random: options.chance });
  const server = await MockCassServer.start({ clock, ...options.mock });
  const user = server.addUser();
  const { client: given = {} } = options;
  const logs: string[] = [];
  const log = (line: string): void => void logs.push(line);
  const client = new CassClient({
    url: server.url,
    clock,
    token: user.accessToken,
    logger: { debug: log, info: log, warn: log, error: log },
    ...(isPage ? { fetch: server.fetch } : {}),
    ...(typeof given === "function" ? given({ server, user }) : given),
  });
  return {
    server,
    client,
    clock,
    user,
    logs,
    async [Symbol.asyncDispose]() {
      const closed = client.close({ force: true });
      await server.stop(); // a zombie would leave the Close unanswered
      await closed;
    },
  };
}

/** Goes through every back-off from now on, and no further: the dial that follows needs real time. */
export function walkBackoff({ client, clock }: Pick<CassPair, "client" | "clock">): void {
  client.on("reconnecting", ({ delay }) => void clock.advance(delay));
}

/** Resolves when `client` next emits `name`, with the first argument of the event. */
export function once<Name extends keyof CassClientEvents & string>(
  client: CassClient,
  name: Name,
  fits: (value: CassClientEvents[Name][0]) => boolean = () => true,
): Promise<CassClientEvents[Name][0]> {
  return new Promise((resolve) => {
    const off = client.on(name, (...values) => {
      if (!fits(values[0])) return;
      off();
      resolve(values[0]);
    });
  });
}

/** Resolves once the client has the status. */
export async function status(client: CassClient, wanted: CassClient["status"]): Promise<void> {
  if (client.status !== wanted) await once(client, "status", (value) => value === wanted);
}

/** The first arguments of an event of the client, as they come. */
export function collect<Name extends keyof CassClientEvents & string>(
  client: CassClient,
  name: Name,
): readonly CassClientEvents[Name][0][] {
  const seen: CassClientEvents[Name][0][] = [];
  client.on(name, (...values) => void seen.push(values[0]));
  return seen;
}

/** The kinds of warnings of a client, as they come. */
export function warnings(client: CassClient): readonly string[] {
  const kinds: string[] = [];
  client.on("protocolWarning", ({ kind }) => void kinds.push(kind));
  return kinds;
}

/** Resolves once the turn has shown an event of this type, and as many of them. */
export async function saw(turn: CassTurn, type: string, count = 1): Promise<void> {
  let seen = 0;
  await new Promise<void>((resolve) => {
    const off = turn.on("event", (event) => {
      if (event.type !== type || ++seen < count) return;
      off();
      resolve();
    });
  });
}

/** The newest connection of the server. */
export function link(server: MockCassServer): CassConnection {
  const connection = server.connections.at(-1);
  if (!connection) throw new Error("Nobody has connected yet");
  return connection;
}

/** What clients sent, in short: `chat hello`, `auth`, `ping`. */
export function sent(server: MockCassServer): readonly string[] {
  return server.frames
    .filter(({ direction }) => direction === "c2s")
    .map(({ raw }): Record<string, unknown> => JSON.parse(raw))
    .map(({ type, message }) => (message === undefined ? `${type}` : `${type} ${message}`));
}

/** Everything that is not a ping. */
export function asked(server: MockCassServer): readonly string[] {
  return sent(server).filter((frame) => frame !== "ping");
}

/** Lets the server answer every turn with this. */
export function says(server: MockCassServer, ...script: readonly CassStep[]): void {
  server.answer = () => script;
}

/** A whole prompt, to be sure that the connection works; resolves with its text. */
export async function works(client: CassClient): Promise<string> {
  const { text } = await client.prompt("are you there?").result;
  return text;
}
