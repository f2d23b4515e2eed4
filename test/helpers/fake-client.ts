import { ManualClock } from "agentwire/testing";
import { SSE_CODE } from "../../src/codebuff/prompts/chunks.ts";
import { REQUESTS_CODE } from "../../src/codebuff/turns.ts";
import { GATE_CODE } from "../../src/codey/turns.ts";
import { loadAll } from "../../src/core/late.ts";
import type { FakeSocket } from "./fake-socket.ts";

// Loaded first, so that the test alone decides when a client is ready.
await loadAll([REQUESTS_CODE, SSE_CODE, GATE_CODE]);

/** A client on sockets that say what the test says, at the very moment at which it says it; each protocol adds its words. */
export abstract class FakeClient<Client extends { connect(): Promise<void> }> {
  readonly clock: ManualClock;
  /** All that the client has dialled, the present one last. */
  readonly sockets: FakeSocket[] = [];
  abstract readonly client: Client;

  constructor(clock = new ManualClock()) {
    this.clock = clock;
  }

  get socket(): FakeSocket {
    const socket = this.sockets.at(-1);
    if (!socket) throw new Error("nobody has dialled yet");
    return socket;
  }

  /** The server's messages, one after the other, without a pause between them. */
  says(...messages: readonly object[]): void {
    for (const message of messages) this.socket.receives(JSON.stringify(message));
  }

  /** Lets everything run that is under way. */
  settle(): Promise<void> {
    return this.clock.advance(0);
  }

  /** Opens the next socket, after `wait` ms. */
  async open(wait = 0): Promise<void> {
    void this.client.connect().catch(() => {});
    await this.clock.advance(wait);
    this.socket.accepts();
    await this.settle();
  }

  /** Notes a socket that the client has dialled. */
  protected dialled(socket: FakeSocket): FakeSocket {
    this.sockets.push(socket);
    return socket;
  }
}
