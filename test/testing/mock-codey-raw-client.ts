import type { MockCodeyServer } from "agentwire/testing";
import { RawClient } from "./mock-codebuff-raw-client.ts";

/** A message of the server, as parsed. */
export interface Said {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A client without manners or opinions: says what it is told, and hands out what comes, in order. */
export class RawCodey implements Disposable {
  readonly raw: RawClient;

  private constructor(raw: RawClient) {
    this.raw = raw;
  }

  /** A connection of which `Connected` has not been read. */
  static async open({ url }: MockCodeyServer): Promise<RawCodey> {
    return new RawCodey(await RawClient.connect(url));
  }

  /** A connection that has read its `Connected`. */
  static async connected(server: MockCodeyServer): Promise<RawCodey> {
    const client = await RawCodey.open(server);
    await client.next();
    return client;
  }

  get closed(): RawClient["closed"] {
    return this.raw.closed;
  }

  send(content: string): void {
    this.say({ type: "SendMessage", content, agent_id: null });
  }

  decide(callId: string, approved: boolean): void {
    this.say({ type: "ToolDecision", call_id: callId, approved });
  }

  cancel(): void {
    this.say({ type: "Cancel" });
  }

  ping(): void {
    this.say({ type: "Ping" });
  }

  /** Text frames for strings, binary ones for bytes, JSON for the rest. */
  say(message: string | Uint8Array | object): void {
    this.raw.send(message);
  }

  /** The next message that nobody has taken yet. */
  async next(): Promise<Said> {
    return JSON.parse(await this.raw.next());
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

  /** What came before the `Pong` of a `Ping` sent now: all that the server had to say. */
  async barrier(): Promise<readonly Said[]> {
    this.ping();
    return (await this.until("Pong")).slice(0, -1);
  }

  [Symbol.dispose](): void {
    this.raw[Symbol.dispose]();
  }
}

/**
 * What each message is, in a word: `A toolu_1` and so on for calls (A: asks, S: started, D: a piece, C: completed, E:
 * failed), the text of a delta, or the type.
 */
export function kinds(messages: readonly Said[]): readonly string[] {
  return messages.map((message) => {
    switch (message.type) {
      case "TextDelta":
        return JSON.stringify(message["content"]);
      case "ToolAwaitingApproval":
        return `A ${message["call_id"]}`;
      case "ToolStarted":
        return `S ${message["call_id"]}`;
      case "ToolDelta":
        return `D ${message["call_id"]}`;
      case "ToolCompleted":
        return `C ${message["call_id"]}`;
      case "ToolError":
        return `E ${message["call_id"]}`;
      default:
        return message.type;
    }
  });
}
