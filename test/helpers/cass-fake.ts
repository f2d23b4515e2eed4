import { type CassClient, type CassClientOptions, CassClient as Client } from "agentwire/cass";
import { ManualClock } from "agentwire/testing";
import { FakeClient } from "./fake-client.ts";
import { FakeSocket } from "./fake-socket.ts";

/** A token of a user, with a signature that no server would take; `n` tells two of one user apart. */
export function tokenOf(user: string, n = 0): string {
  const part = (value: object): string =>
    btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const claims = { sub: user, type: "access", exp: 4_000_000_000 + n };
  return `${part({ alg: "HS256" })}.${part(claims)}.c2lnbmF0dXJl`;
}

/** A client on sockets that say what the test says, at the very moment at which it says it. */
export class FakeCass extends FakeClient<CassClient> {
  /** Where each socket was to lead. */
  readonly urls: string[] = [];
  readonly client: CassClient;

  constructor(options: Partial<CassClientOptions> = {}) {
    super(new ManualClock({ random: 0 }));
    this.client = new Client({
      url: "ws://localhost/ws",
      clock: this.clock,
      keepalive: false,
      ...("token" in options || options.allowAnonymous ? {} : { token: tokenOf("u1") }),
      createWebSocket: (url) => {
        this.urls.push(url);
        return this.dialled(new FakeSocket());
      },
      ...options,
    });
  }

  /** What was sent on the present socket, in short: `chat hello`, `auth`, `ping`. */
  get sent(): readonly string[] {
    return this.socket.sent
      .map((text): Record<string, unknown> => JSON.parse(text))
      .map(({ type, message }) => (message === undefined ? String(type) : `${type} ${message}`));
  }

  /** Opens the next socket. With its jitter at 0, no back-off takes longer than a millisecond. */
  override open(): Promise<void> {
    return super.open(1);
  }

  /** Opens the next connection, as one of this user. */
  async greet(user: string | null = "u1", fields: object = {}): Promise<void> {
    await this.open();
    this.says(say.connected(user, fields));
    await this.settle();
  }

  /** The server works on a turn and answers it. */
  async answers(text: string, fields: object = {}): Promise<void> {
    this.says(say.thinking(), say.response(text, fields));
    await this.settle();
  }
}

/** A client that is ready. */
export async function fakeCass(options: Partial<CassClientOptions> = {}): Promise<FakeCass> {
  const made = new FakeCass(options);
  await made.greet();
  if (made.client.status !== "ready") throw new Error(`the client is ${made.client.status}`);
  return made;
}

/** The server's time in a frame: `00:00:05` for 5. */
export const serverTime = (second: number): string =>
  `2026-01-28T10:${String(Math.floor(second / 60)).padStart(2, "0")}:${String(second % 60).padStart(2, "0")}`;

/** Messages of the server. */
export const say = {
  connected: (user_id: string | null, fields: object = {}) =>
    ({
      type: "connected",
      message: "hello",
      sdk_mode: true,
      user_id,
      timestamp: serverTime(0),
      ...fields,
    }) as const,
  authSuccess: (user_id: string) => ({ type: "auth_success", user_id }) as const,
  authError: (message = "Invalid token") => ({ type: "auth_error", message }) as const,
  thinking: (status = "Retrieving memories...") => ({ type: "thinking", status }) as const,
  response: (text: string, fields: object = {}) =>
    ({
      type: "response",
      text,
      conversation_id: "c1",
      provider: "anthropic",
      model: "m",
      ...fields,
    }) as const,
  error: (message: string) => ({ type: "error", message }) as const,
};
