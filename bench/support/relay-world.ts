/** A server of events and its viewers, each in a process of its own. */
import { type Child, startChild } from "./child.ts";

export interface RelaySetup {
  readonly log: "raw" | "memory" | "sqlite" | "redis";
  readonly place?: string;
  readonly limits?: Readonly<Record<string, number>>;
}

export interface RelayWorld extends Disposable {
  readonly server: Child;
  readonly viewers: Child;
  /** The address of the chat. */
  readonly url: string;
  /** Makes deltas, at most `window` of which are on their way to a viewer. Returns the ms from each one to its last viewer. */
  deliver(deltas: number, window: number): Promise<readonly number[]>;
}

export async function startServer(
  setup: RelaySetup,
  flags?: readonly string[],
): Promise<Child & { readonly url: string }> {
  const server = await startChild("relay", setup, flags);
  return { ...server, url: `http://127.0.0.1:${await server.call("port")}/chats/chat` };
}

/**
 * Starts a server and so many viewers, and begins an answer.
 * @param driver the server that makes the answer, if it is another one. The viewers are not there
 */
export async function startWorld(
  setup: RelaySetup,
  viewers: number,
  driver?: RelaySetup,
): Promise<RelayWorld> {
  const server = await startServer(setup);
  const other = driver && (await startServer(driver));
  const source = other ?? server;
  const seen = await startChild("viewers", { url: `${server.url}/events` });
  const waiting = new Map<number, (at: number) => void>();
  let made = 0;
  seen.onTold((delta, at) => {
    waiting.get(delta)?.(at);
    waiting.delete(delta);
  });
  await seen.call("open", viewers);
  if (setup.log !== "raw") await source.call("begin");

  const deliverOne = async (): Promise<number> => {
    const delta = ++made;
    const arrival = new Promise<number>((resolve) => waiting.set(delta, resolve));
    const at = await source.call("emit");
    return (await arrival) - at;
  };
  return {
    server,
    viewers: seen,
    url: server.url,
    async deliver(deltas, window) {
      const times: number[] = [];
      let left = deltas;
      const lane = async (): Promise<void> => {
        while (left-- > 0) times.push(await deliverOne());
      };
      await Promise.all(Array.from({ length: window }, lane));
      return times;
    },
    [Symbol.dispose]() {
      for (const child of [server, other, seen]) child?.[Symbol.dispose]();
    },
  };
}
