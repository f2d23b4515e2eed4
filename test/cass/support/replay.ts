import { readFileSync } from "node:fs";
import { CassClient, type CassClientOptions } from "agentwire/cass";
import { ManualClock } from "agentwire/testing";
import { FakeSocket } from "../../helpers/fake-socket.ts";

/** One line of a capture: `test/fixtures/cass-v1`, `test/fixtures/cass-v2`. */
export interface Line {
  readonly dir?: "c2s" | "s2c";
  readonly raw?: string;
  readonly code?: number;
  readonly reason?: string;
  /** What the capture says besides frames. */
  readonly text?: string;
}

/**
 * The other side of a socket, which plays a capture and understands nothing of it: it says the server's lines, and where
 * the capture has one of a client, it waits until something was sent.
 */
export class Replay extends FakeSocket {
  /** What the captured client said, and what this one said in its place. */
  readonly pairs: (readonly [captured: string, sent: string])[] = [];
  readonly #lines: readonly Line[];
  #at = 0;

  constructor(lines: readonly Line[]) {
    super();
    this.#lines = lines;
    // When whoever asked for it listens.
    setTimeout(() => {
      this.accepts();
      this.#play();
    });
  }

  override send(data: string): void {
    super.send(data);
    this.pairs.push([this.#lines[this.#at++]?.raw ?? "nothing", data]);
    queueMicrotask(() => this.#play());
  }

  override close(code?: number, reason?: string): void {
    super.close(code, reason);
    queueMicrotask(() => this.ends(code));
  }

  /** Whether everything was said. */
  get isOver(): boolean {
    return this.#at >= this.#lines.length;
  }

  #play(): void {
    for (let line = this.#lines[this.#at]; line && line.dir !== "c2s"; line = this.#lines[this.#at]) {
      this.#at++;
      if (line.raw !== undefined) this.receives(line.raw);
      if (line.code !== undefined) this.ends(line.code, line.reason);
    }
  }
}

/** The lines of a capture of this version of the server. */
export function linesOf(name: string, version: "v1" | "v2" = "v2"): readonly Line[] {
  const url = new URL(`../../fixtures/cass-${version}/${name}.jsonl`, import.meta.url);
  const lines = readFileSync(url, "utf8").trim().split("\n");
  return lines.map((line): Line => JSON.parse(line));
}

/** A token of a captured user, which nobody has signed. */
export function unsignedToken(user: string): string {
  return `${btoa('{"alg":"HS256"}')}.${btoa(JSON.stringify({ sub: user, type: "access", exp: 4_102_444_800 }))}.x`;
}

/** A client whose socket plays a capture. */
export function replaying(
  lines: readonly Line[],
  options: Partial<CassClientOptions>,
): { readonly client: CassClient; readonly socket: Replay; readonly clock: ManualClock } {
  const clock = new ManualClock();
  const socket = new Replay(lines);
  const createWebSocket = (): FakeSocket => socket;
  const client = new CassClient({ url: "ws://127.0.0.1:8000/ws", clock, createWebSocket, ...options });
  return { client, socket, clock };
}
