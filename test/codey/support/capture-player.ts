import { readFileSync } from "node:fs";
import { CodeyClient, type CodeyResult, type TurnOutcome } from "agentwire/codey";
import { ManualClock } from "agentwire/testing";
import { WebSocket, WebSocketServer } from "ws";
import type { CodeyTurn } from "../../helpers/codey.ts";

/** One line of a capture: what the server said, what its client did. */
type Line =
  | { readonly dir: "in" | "out"; readonly data: string }
  | { readonly dir: "meta" | "close-sent" | "terminate" | "close" };

/** A server's side of a WebSocket that reacts to no Close, as the real server while idle. */
class SilentSocket extends WebSocket {
  override close(): void {}
}

/** What a capture came to. */
export interface PlayedCapture {
  /** How each turn ended, in order. */
  readonly outcomes: readonly TurnOutcome<CodeyResult>[];
  /** The answers of `getState` and `getHistory`, in order. */
  readonly answers: readonly object[];
  readonly warnings: readonly string[];
  /** What the client sent, in order. */
  readonly sent: readonly string[];
  readonly status: CodeyClient["status"];
}

/**
 * Plays a capture of the real server to its end: a dumb peer says the server's frames, in their order, and a real client
 * does what the captured client did. Each captured frame of the client must be sent, byte for byte. The client sends
 * some by itself, and earlier: the denials and the `Ping` behind a `Cancel`.
 */
export async function playCapture(
  file: URL,
  watch: (client: CodeyClient) => void = () => {},
): Promise<PlayedCapture> {
  const lines = readFileSync(file, "utf8").trim().split("\n").map(parseLine);
  await using player = await CapturePlayer.start();
  watch(player.client);
  for (const line of lines) await player.play(line);
  return await player.result();
}

class CapturePlayer implements AsyncDisposable {
  readonly #server: WebSocketServer;
  readonly #client: CodeyClient;
  readonly #clock = new ManualClock();
  readonly #turns: CodeyTurn[] = [];
  readonly #requests: Promise<object>[] = [];
  readonly #warnings: string[] = [];
  /** What the client has written, and what of it the peer has received. */
  readonly #written: string[] = [];
  readonly #sent: string[] = [];
  /** What the client has received. */
  readonly #seen: string[] = [];
  /** Frames of the capture's client, which the real one sends too, now or before. */
  readonly #expected = new Map<string, number>();
  #socket: WebSocket | undefined;
  #closed: Promise<void> | undefined;
  #changed: () => void = () => {};

  private constructor(server: WebSocketServer, port: number) {
    this.#server = server;
    server.on("connection", (socket) => {
      this.#socket = socket;
      socket.on("message", (data) => {
        this.#sent.push(String(data));
        this.#changed();
      });
      this.#changed();
    });
    const url = `ws://127.0.0.1:${port}`;
    this.#client = new CodeyClient({ url, clock: this.#clock, keepalive: false, onToolApproval: "manual" });
    this.#client.on("protocolWarning", ({ kind }) => this.#warnings.push(kind));
    this.#client.on("frame", ({ direction, text }) => {
      (direction === "in" ? this.#seen : this.#written).push(text);
      this.#changed();
    });
  }

  static async start(): Promise<CapturePlayer> {
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1", WebSocket: SilentSocket });
    await new Promise<void>((resolve) => server.once("listening", resolve));
    const address = server.address();
    if (typeof address !== "object" || address === null) throw new Error("the server has no port");
    return new CapturePlayer(server, address.port);
  }

  get client(): CodeyClient {
    return this.#client;
  }

  async play(line: Line): Promise<void> {
    switch (line.dir) {
      case "meta": {
        const connected = this.#client.connect();
        connected.catch(() => {});
        await this.#until(() => this.#socket !== undefined);
        return;
      }
      case "in": {
        const before = this.#seen.length;
        this.#socket?.send(line.data);
        await this.#until(() => this.#seen.length > before);
        return;
      }
      case "out":
        this.#does(line.data);
        this.#expected.set(line.data, (this.#expected.get(line.data) ?? 0) + 1);
        await this.#until(() => count(this.#sent, line.data) >= (this.#expected.get(line.data) ?? 0));
        return;
      case "close-sent":
      case "terminate":
        this.#closed ??= this.#client.close();
        await this.#until(() => this.#sent.length === this.#written.length);
        return;
      case "close":
        await this.#clock.advance(1_000); // the peer reacts to nothing: the client's own limit ends it
        await this.#closed;
    }
  }

  async result(): Promise<PlayedCapture> {
    const outcomes = await Promise.all(this.#turns.map(({ outcome }) => outcome));
    const answers = await Promise.all(this.#requests);
    return { outcomes, answers, warnings: this.#warnings, sent: this.#sent, status: this.#client.status };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = this.#client.close({ force: true });
    await this.#clock.advance(1_000);
    await closed;
    for (const socket of this.#server.clients) socket.terminate();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** What makes the client send this frame, where it has not sent it already. */
  #does(data: string): void {
    const frame: { readonly type: string; readonly [field: string]: unknown } = JSON.parse(data);
    const client = this.#client;
    const turn = this.#turns.at(-1);
    switch (frame.type) {
      case "SendMessage":
        this.#turns.push(client.prompt(String(frame["content"])));
        return;
      case "ToolDecision": {
        const [open] = turn?.pending ?? [];
        if (open) client.decide(open.id, frame["approved"] === true); // else it was denied with the `Cancel`
        return;
      }
      case "Cancel":
        void turn?.cancel();
        return;
      case "GetState":
        this.#requests.push(client.getState());
        return;
      case "GetHistory":
        this.#requests.push(client.getHistory());
        return;
      case "Ping":
        // Behind a `Cancel`, and behind an `Error`, the client has sent one by itself.
        if (count(this.#written, data) === count(this.#seen, '{"type":"Pong"}')) void client.ping();
        return;
      default:
        throw new Error(`a client sends no ${frame.type}`);
    }
  }

  async #until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }
}

function count(texts: readonly string[], wanted: string): number {
  return texts.filter((text) => text === wanted).length;
}

function parseLine(text: string): Line {
  const line: Line = JSON.parse(text);
  return line;
}
