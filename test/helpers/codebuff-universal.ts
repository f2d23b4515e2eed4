import { type CodebuffClientOptions, type CodebuffServer, toUniversal } from "agentwire/codebuff";
import type { UniversalEvent, UniversalOptions, UniversalStream } from "agentwire/universal";
import { expectGolden } from "../universal/golden.ts";
import { goldenOptions } from "../universal/golden-options.ts";
import { FakeCodebuff, say } from "./codebuff-fake.ts";

export const action = (type: string, fields: object) => ({ type: "action", data: { type, ...fields } });

/** Messages of the server for the prompt `p-1`. */
export const server = {
  chunk: (chunk: unknown, userInputId = "p-1") => action("response-chunk", { userInputId, chunk }),
  subagent: (chunk: string) =>
    action("subagent-response-chunk", {
      userInputId: "p-1",
      agentId: "a7",
      agentType: "file-picker",
      chunk,
    }),
  response: (fields: object = {}, promptId = "p-1") =>
    action("prompt-response", { promptId, sessionState: {}, ...fields }),
  error: (fields: object, userInputId = "p-1") => action("prompt-error", { userInputId, ...fields }),
  call: (fields: object = {}) =>
    action("tool-call-request", {
      userInputId: "p-1",
      requestId: "r1",
      toolName: "act",
      input: { a: 1 },
      ...fields,
    }),
  files: () => action("read-files", { requestId: "rf-1", filePaths: ["a.txt", "missing.txt"] }),
};

/** One Codebuff client on a fake socket, and the universal events of its conversation, or of its prompt `p-1`. */
export class Universal extends FakeCodebuff {
  #stream: UniversalStream | undefined;

  /** A ready client of this server. */
  static async of(kind: CodebuffServer, options: Partial<CodebuffClientOptions> = {}): Promise<Universal> {
    const made = new Universal({ clientSessionId: "client-1", ...options });
    await made.greet(kind);
    return made;
  }

  /** The next socket opens after `wait` ms, and its server answers the `identify`. */
  async greet(kind: CodebuffServer, wait = 0): Promise<void> {
    await this.open(wait);
    const { txid } = JSON.parse(this.socket.sent[0] ?? "{}");
    this.says(kind === "proxy" ? say.ack(txid) : say.unknown(txid));
    await this.settle();
  }

  /** Follows the one prompt `p-1`. */
  async prompt(options: UniversalOptions = {}): Promise<ReturnType<FakeCodebuff["client"]["prompt"]>> {
    const turn = this.client.prompt({ prompt: "go", promptId: "p-1" });
    this.follow(turn, options);
    await this.acknowledge();
    return turn;
  }

  follow(of: Parameters<typeof toUniversal>[0], options: UniversalOptions = {}): void {
    this.#stream = toUniversal(of, goldenOptions(options));
  }

  /** Follows a conversation. */
  talk(): ReturnType<FakeCodebuff["client"]["conversation"]> {
    const talk = this.client.conversation();
    this.follow(talk);
    return talk;
  }

  /** Acknowledges the last frame. */
  async acknowledge(): Promise<void> {
    await this.settle();
    this.says(say.ack(JSON.parse(this.socket.sent.at(-1) ?? "{}").txid));
    await this.settle();
  }

  /** The server says all this, and everything that follows has happened. */
  async hears(...messages: readonly object[]): Promise<void> {
    for (const message of messages) {
      this.says(message);
      await this.settle();
    }
  }

  get stream(): UniversalStream {
    if (!this.#stream) throw new Error("nothing is followed yet");
    return this.#stream;
  }

  /** The events so far. */
  async events(): Promise<readonly UniversalEvent[]> {
    const events: UniversalEvent[] = [];
    if (this.stream.count === 0) return events;
    for await (const event of this.stream.events()) if (events.push(event) === this.stream.count) break;
    return events;
  }

  async expectGolden(name: string): Promise<void> {
    expectGolden(`codebuff-ws/${name}`, await this.events());
  }
}
