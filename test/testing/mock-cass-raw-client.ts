import type { MockCassServer } from "agentwire/testing";
import { RawClient } from "./mock-codebuff-raw-client.ts";

/** A message of the server, as parsed. */
export interface Said {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** What each profile answers at once and without harm: what came before its answer has all come. */
const BARRIERS = {
  documented: {
    frame: { type: "onboarding_demo" },
    answer: /Missing user_id for onboarding demo|Unknown message type: onboarding_demo/,
  },
  v1: { frame: { type: "status" }, answer: /"type": ?"status"/ },
  v2: { frame: { type: "status" }, answer: /"type": ?"status"/ },
  relay: { frame: { type: "status" }, answer: /Unknown message type: status/ },
} as const;

export type Profile = keyof typeof BARRIERS;

export const PROFILES: readonly Profile[] = ["documented", "v1", "v2", "relay"];

/** A client without manners or opinions: says what it is told, and hands out what comes, in order. */
export class RawCass implements Disposable {
  readonly raw: RawClient;

  private constructor(raw: RawClient) {
    this.raw = raw;
  }

  /** A connection of which nothing has been read. */
  static async open({ url }: MockCassServer, token?: string): Promise<RawCass> {
    const query = token === undefined ? "" : `?token=${encodeURIComponent(token)}`;
    return new RawCass(await RawClient.connect(url + query));
  }

  /** A connection that has read its `connected`. */
  static async connected(server: MockCassServer, token?: string): Promise<RawCass> {
    const client = await RawCass.open(server, token);
    await client.next();
    return client;
  }

  get closed(): RawClient["closed"] {
    return this.raw.closed;
  }

  /** Text frames for strings, binary ones for bytes, JSON for the rest. */
  say(message: string | Uint8Array | object): void {
    this.raw.send(message);
  }

  chat(message: string, fields: object = {}): void {
    this.say({ type: "chat", message, ...fields });
  }

  /** The next message that nobody has taken yet. */
  async next(): Promise<Said> {
    return JSON.parse(await this.raw.next());
  }

  async take(count: number): Promise<readonly Said[]> {
    return (await this.raw.take(count)).map((raw) => JSON.parse(raw));
  }

  /** Messages up to the first of this type, which is the last of them. */
  async until(type: string): Promise<readonly Said[]> {
    const said: Said[] = [];
    for (;;) {
      const message = await this.next();
      said.push(message);
      if (message.type === type) return said;
    }
  }

  /** The response to a chat sent now, or the error. */
  async answerTo(message: string, fields: object = {}): Promise<Said> {
    this.chat(message, fields);
    for (;;) {
      const said = await this.next();
      if (said.type === "response" || said.type === "error") return said;
    }
  }

  /** What the server had to say up to now. */
  async barrier(profile: Profile = "v2"): Promise<readonly Said[]> {
    const { frame, answer } = BARRIERS[profile];
    this.say(frame);
    const said: Said[] = [];
    for (;;) {
      const raw = await this.raw.next();
      if (answer.test(raw)) return said;
      said.push(JSON.parse(raw));
    }
  }

  [Symbol.dispose](): void {
    this.raw[Symbol.dispose]();
  }
}

/** What each message is, in a word: the status of a `thinking`, the text of others, or the type. */
export function kinds(messages: readonly Said[]): readonly string[] {
  return messages.map(({ type, status, message, text }) => {
    switch (type) {
      case "thinking":
        return `thinking ${status}`;
      case "debug":
      case "error":
        return `${type} ${message}`;
      case "response":
        return `response ${text}`;
      default:
        return type;
    }
  });
}

/** A call of the REST side. */
export async function call(
  server: MockCassServer,
  route: string,
  options: { readonly token?: string; readonly body?: object } = {},
): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }> {
  const [method = "GET", path = ""] = route.split(" ");
  const { token, body } = options;
  const response = await fetch(new URL(path.replace(/^\//, ""), server.httpUrl), {
    method,
    headers: {
      "content-type": "application/json",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}
