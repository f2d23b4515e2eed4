import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { Dice } from "./dice.ts";
import { Half } from "./half.ts";
import type { FaultPlan, LinkPlan } from "./plan.ts";

/** Stands between clients and a server on loopback, and lets their bytes travel as planned. */
export class ChaosProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #links = new Set<Link>();
  readonly #plan: (link: number) => LinkPlan;
  #count = 0;
  #cuts = 0;
  readonly #faults: Record<string, number> = {};
  /** The port of the server, or what chooses one; undefined while there is none, and who connects is turned away. */
  target: number | undefined | (() => number | undefined);

  readonly #isPooled: boolean;

  private constructor(server: Server, plan: (link: number) => LinkPlan, isPooled: boolean) {
    this.#server = server;
    this.#isPooled = isPooled;
    this.#plan = plan;
    server.on("connection", (client) => this.#accept(client));
  }

  /**
   * @param plan how the link with this number goes; the first has 0
   * @param isPooled whether the links are the platform's, which may open one for a call that is aborted before it: a link without a byte
   * is nobody's then
   */
  static async start(plan: (link: number) => LinkPlan, isPooled = false): Promise<ChaosProxy> {
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new ChaosProxy(server, plan, isPooled);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Links that clients have opened. */
  get links(): number {
    return this.#count;
  }

  /** Faults that have happened. */
  get cuts(): number {
    return this.#cuts;
  }

  /** The same by their kind, without those of `cutAll()`. */
  get faults(): Readonly<Record<string, number>> {
    return this.#faults;
  }

  /**
   * Links whose client has not let go of its socket. One that has said its FIN may still hold it: it is sent a byte,
   * to which a socket that is gone answers with a reset, so ask again a moment later.
   */
  get open(): number {
    const held = this.#held;
    for (const link of held) link.knock();
    return held.length;
  }

  /** The links that are open, in a few words each. */
  get openLinks(): readonly string[] {
    return this.#held.map((link) => link.words);
  }

  get #held(): readonly Link[] {
    return [...this.#links].filter((link) => link.open && (link.isUsed || !this.#isPooled));
  }

  /** Resets every link. */
  cutAll(): void {
    this.#cuts += this.#links.size;
    for (const link of this.#links) link.cut();
  }

  /** Ends the port and every link. */
  async stop(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const link of this.#links) link.destroy();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #accept(client: Socket): void {
    const number = this.#count++;
    const port = typeof this.target === "function" ? this.target() : this.target;
    if (port === undefined) {
      client.on("error", () => {}); // it may have left already
      reset(client);
      return;
    }
    const link = new Link(number, client, port, this.#plan(number), ({ kind }) => {
      this.#cuts++;
      this.#faults[kind] = (this.#faults[kind] ?? 0) + 1;
    });
    this.#links.add(link);
    link.whenOver(() => this.#links.delete(link));
  }
}

/** One client, and its connection to the server. */
class Link {
  readonly #number: number;
  readonly #plan: LinkPlan;
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #up: Half;
  readonly #down: Half;

  #happened = false;

  constructor(number: number, client: Socket, port: number, plan: LinkPlan, cut: (fault: FaultPlan) => void) {
    this.#number = number;
    this.#plan = plan;
    const dice = new Dice("link", number);
    this.#client = client;
    this.#server = connect({ host: "127.0.0.1", port, allowHalfOpen: true, noDelay: true });
    this.#up = new Half(client, this.#server, plan.up, dice);
    this.#down = new Half(this.#server, client, plan.down, dice);
    // A broken side shows on the other one, unless that direction is gone without a trace.
    client.on("error", () => this.#broken(this.#up, this.#server));
    this.#server.on("error", () => this.#broken(this.#down, client));
    client.on("close", () => this.#gone(this.#up, this.#server));
    this.#server.on("close", () => this.#gone(this.#down, client));
    const { fault } = plan;
    if (!fault) return;
    const half = fault.side === "up" ? this.#up : this.#down;
    half.faultAfter(fault.afterBytes, () => {
      cut(fault);
      this.#happened = true;
      this.#happen(fault, half);
    });
  }

  get open(): boolean {
    return !this.#client.destroyed;
  }

  get isUsed(): boolean {
    return this.#client.bytesRead > 0;
  }

  get words(): string {
    const { readableEnded, writableEnded, bytesRead, bytesWritten } = this.#client;
    const fault = this.#plan.fault ? `${this.#plan.fault.kind} ${this.#plan.fault.side}` : "no fault";
    const ends = `the client has ${readableEnded ? "said FIN" : "not said FIN"}, and ${writableEnded ? "got one" : "got none"}`;
    return `link ${this.#number}, ${fault}${this.#happened ? " that has happened" : ""}: ${bytesRead} bytes up, ${bytesWritten} down; ${ends}`;
  }

  knock(): void {
    if (this.#client.readableEnded && this.#client.writable) this.#client.write("\0");
  }

  whenOver(then: () => void): void {
    const check = (): void => {
      if (this.#client.destroyed && this.#server.destroyed) then();
    };
    this.#client.on("close", check);
    this.#server.on("close", check);
  }

  cut(): void {
    this.#up.swallow();
    this.#down.swallow();
    reset(this.#client);
    reset(this.#server);
  }

  destroy(): void {
    this.#up.swallow();
    this.#down.swallow();
    this.#client.destroy();
    this.#server.destroy();
  }

  #happen({ kind, ms }: FaultPlan, half: Half): void {
    switch (kind) {
      case "rst":
        this.cut();
        return;
      case "fin":
        this.#up.finish();
        this.#down.finish();
        return;
      case "half-close":
        half.finish();
        return;
      case "half-open":
        half.swallow();
        return;
      case "dead":
        this.#up.swallow();
        this.#down.swallow();
        return;
      case "stall":
        half.stall(ms);
        return;
    }
  }

  #broken(half: Half, other: Socket): void {
    if (!half.swallows && !other.destroyed) reset(other);
  }

  /** The socket was closed: what it had said before still passes, and then the other side ends. */
  #gone(half: Half, other: Socket): void {
    if (!half.swallows && !other.destroyed && !other.writableEnded) setTimeout(() => other.destroy(), 50);
  }
}

/** A reset where that is possible: Node never ends a process in which a socket was reset that was just saying its FIN. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
