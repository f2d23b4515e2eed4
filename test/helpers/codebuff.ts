import { CodebuffClient, type CodebuffClientEvents, type CodebuffClientOptions } from "agentwire/codebuff";
import { ManualClock, type MockCodebuffOptions, MockCodebuffServer } from "agentwire/testing";

/** A mock server and a client of it, on a clock that the test drives; both are closed at the end of the scope. */
export interface Pair extends AsyncDisposable {
  readonly server: MockCodebuffServer;
  readonly client: CodebuffClient;
  /** The client's clock. The server has the platform's, so that moving this one never starves it. */
  readonly clock: ManualClock;
}

export interface PairOptions {
  readonly mock?: MockCodebuffOptions;
  readonly client?: Partial<CodebuffClientOptions>;
}

export async function pair(options: PairOptions = {}): Promise<Pair> {
  const server = await MockCodebuffServer.start({ heartbeat: false, ...options.mock });
  const clock = new ManualClock();
  const client = new CodebuffClient({ url: server.url, clock, settleWindow: 0, ...options.client });
  // Goes through every back-off, and no further: the dial that follows needs real time, not this clock's.
  client.on("reconnecting", ({ delay }) => void clock.advance(delay));
  return {
    server,
    client,
    clock,
    async [Symbol.asyncDispose]() {
      const closed = client.close({ force: true });
      await server.stop(); // a connection that a test paused would leave the Close unanswered
      await closed;
    },
  };
}

/** A pair whose client is ready, with the number of timers that an idle ready client has. */
export async function readyPair(options: PairOptions = {}): Promise<Pair & { readonly idleTimers: number }> {
  const made = await pair(options);
  await made.client.connect();
  return { ...made, idleTimers: made.clock.pending };
}

/** Resolves when `client` next emits `name`, with the first argument of the event. */
export function once<Name extends keyof CodebuffClientEvents & string>(
  client: CodebuffClient,
  name: Name,
  fits: (value: CodebuffClientEvents[Name][0]) => boolean = () => true,
): Promise<CodebuffClientEvents[Name][0]> {
  return new Promise((resolve) => {
    const off = client.on(name, (...values) => {
      if (!fits(values[0])) return;
      off();
      resolve(values[0]);
    });
  });
}

/** Resolves once the client has the status. */
export async function status(client: CodebuffClient, wanted: CodebuffClient["status"]): Promise<void> {
  if (client.status !== wanted) await once(client, "status", (value) => value === wanted);
}

/** A gate that a script waits at until the test opens it. */
export function gate(): { readonly passed: Promise<void>; open(): void } {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}

/** What a loop over `iterable` gave, and what it threw at the end, if anything. */
export async function drain<T>(
  iterable: AsyncIterable<T>,
): Promise<{ readonly values: readonly T[]; readonly thrown: unknown }> {
  const values: T[] = [];
  try {
    for await (const value of iterable) values.push(value);
  } catch (thrown) {
    return { values, thrown };
  }
  return { values, thrown: undefined };
}

/** An AbortController whose signal counts its listeners. */
export function countingController(): { readonly controller: AbortController; listeners(): number } {
  const controller = new AbortController();
  const { signal } = controller;
  const listening = new Set<unknown>();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listening.add(args[1]);
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listening.delete(args[1]);
    remove(...args);
  };
  return { controller, listeners: () => listening.size };
}

/** The messages of one type that clients sent, in order, parsed. */
export function sentTo(
  server: MockCodebuffServer,
  type: string,
): readonly Readonly<Record<string, unknown>>[] {
  return server.frames
    .filter(({ direction }) => direction === "c2s")
    .map(({ raw }): Record<string, unknown> => JSON.parse(raw))
    .filter((message) => message["type"] === type);
}
