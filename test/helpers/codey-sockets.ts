import { CodeyClient, type CodeyClientOptions } from "agentwire/codey";
import { ManualClock, type MockCodey } from "agentwire/testing";
import { FakeSocket } from "./fake-socket.ts";

/** The sockets of a client, on which a test says what no client would. */
export function tapped(): {
  readonly createWebSocket: NonNullable<CodeyClientOptions["createWebSocket"]>;
  /** Sends a frame on the newest socket, as it is. */
  say(raw: string): void;
  /** Sends a frame right behind the next one of the client that is `frame`. */
  sayBehind(frame: string, raw: string): void;
} {
  let newest: WebSocket | undefined;
  let next: { readonly frame: string; readonly raw: string } | undefined;
  return {
    createWebSocket: (url) => {
      const socket = new globalThis.WebSocket(url);
      const send = socket.send.bind(socket);
      socket.send = (data) => {
        send(data);
        const { frame, raw } = next ?? {};
        if (raw === undefined || data !== frame) return;
        next = undefined;
        send(raw);
      };
      newest = socket;
      return socket;
    },
    say: (raw) => newest?.send(raw),
    sayBehind: (frame, raw) => {
      next = { frame, raw };
    },
  };
}

/** A client on a socket of which the test is the other side: it has greeted already. */
export async function onFakeSocket(options: Partial<CodeyClientOptions> = {}): Promise<{
  readonly client: CodeyClient;
  readonly socket: FakeSocket;
  readonly clock: ManualClock;
}> {
  const socket = new FakeSocket();
  const clock = new ManualClock();
  const client = new CodeyClient({
    url: "ws://127.0.0.1:9999",
    clock,
    createWebSocket: () => socket,
    ...options,
  });
  const connected = client.connect();
  await clock.advance(0);
  socket.accepts();
  socket.receives('{"type":"Connected","session_id":"550e8400-e29b-41d4-a716-446655440000"}');
  await connected;
  return { client, socket, clock };
}

/** A socket of a mock without a port: what either side says is heard in a microtask of its own, and nothing is on a wire. */
export class MemorySocket extends FakeSocket {
  readonly #heard = new Map<string, ((event: never) => void)[]>();

  constructor(mock: MockCodey) {
    super();
    const end = (code = 1005, reason = ""): void => queueMicrotask(() => this.ends(code, reason));
    setTimeout(() => {
      this.accepts();
      mock.accept({
        client: {
          readyState: 1,
          addEventListener: (type: string, listener: (event: never) => void) => {
            this.#heard.set(type, [...(this.#heard.get(type) ?? []), listener]);
          },
          send: (data) => queueMicrotask(() => this.receives(data)),
          close: end,
          terminate: () => end(1006),
        },
      });
    });
  }

  override send(data: string): void {
    super.send(data);
    this.#tell("message", { data });
  }

  override close(code = 1005, reason = ""): void {
    super.close(code, reason);
    this.#tell("close", { code, reason });
  }

  #tell(type: "message" | "close", event: object): void {
    queueMicrotask(() => {
      for (const listener of this.#heard.get(type) ?? []) listener(event as never);
    });
  }
}

/** More than the real server takes in one frame. */
export const OVERSIZE = "x".repeat(17 * 1_048_576);
