import { isAnswer } from "./asked.ts";
import type { SentFrame, WatchedSocket } from "./watched-socket.ts";
import type { World } from "./world.ts";

const NEW_WORK: ReadonlySet<string> = new Set(["prompt", "init", "subscribe", "unsubscribe"]);

/** What a client may write, and when. */
export class WireRules {
  readonly #world: World;
  #txid = -1;
  readonly #prompts = new Set<string>();
  readonly #cancelled = new Set<string>();
  /** The place in the order of calls of the last prompt that went out on its own. */
  #place = -1;

  constructor(world: World) {
    this.#world = world;
  }

  /** Reads one frame, and complains of what is wrong with it. */
  read(socket: WatchedSocket, text: string): SentFrame | undefined {
    const world = this.#world;
    const message: Readonly<Record<string, unknown>> = JSON.parse(text);
    const action = message["type"] === "action" ? message["data"] : message;
    if (typeof action !== "object" || action === null) {
      world.complain(`wrote an action without data: ${text}`);
      return undefined;
    }
    const data: Readonly<Record<string, unknown>> = { ...action };
    const txid = message["txid"];
    if (typeof txid !== "number" || !Number.isInteger(txid) || txid <= this.#txid) {
      world.complain(`wrote txid ${String(txid)} after ${this.#txid}`);
      return undefined;
    }
    this.#txid = txid;
    const frame: SentFrame = { txid, type: String(data["type"]), data, answered: false, heardOf: false };
    this.#checkOrder(socket, frame);
    const early = socket.line.writes(frame, world.now());
    const isHeldBack = socket.server === "proxy" && (world.setting.atOnce ?? 1) === 1;
    if (early !== undefined && isHeldBack) world.complain(early);
    if (frame.type === "prompt") this.#checkPrompt(socket, frame);
    if (frame.type === "cancel-user-input") this.#checkCancel(socket, frame);
    if (isAnswer(frame)) {
      const problem = world.ledger.answered(socket, frame);
      if (problem !== undefined) world.complain(problem);
    }
    return frame;
  }

  #checkOrder(socket: WatchedSocket, { type }: SentFrame): void {
    const { setting, clock } = this.#world;
    const identifies = setting.profile !== "codebuff";
    const first = socket.frames.length === 0;
    if (type === "identify") {
      if (!first || !identifies) this.#world.complain("identified where it should not");
      return;
    }
    if (first && identifies) this.#world.complain(`began with ${type}`);
    const from = identifies ? socket.identifiedFrom : 0;
    if (from === undefined || clock.now() < from)
      this.#world.complain(`wrote ${type} before it was identified`);
    if (socket.retiring && NEW_WORK.has(type)) this.#world.complain(`wrote ${type} where it was asked to go`);
  }

  #checkPrompt(socket: WatchedSocket, frame: SentFrame): void {
    const { prompts, complain } = this.#bound;
    const id = String(frame.data["promptId"]);
    if (this.#prompts.has(id)) complain(`sent ${id} twice`);
    this.#prompts.add(id);
    const prompt = prompts.find((each) => each.id === id);
    if (!prompt) {
      complain(`sent ${id}, which nobody made`);
      return;
    }
    if (prompt.over) complain(`sent ${id} when it was over`);
    prompt.frame = frame;
    prompt.socket = socket;
    if (!prompt.held) {
      if (prompt.place < this.#place) complain(`sent ${id} out of order`);
      this.#place = prompt.place;
    }
    this.#checkOwed(socket);
  }

  /** What a session is asked anew comes before any prompt. */
  #checkOwed({ owed, frames }: WatchedSocket): void {
    const { complain } = this.#bound;
    const subscribed = frames.find(({ type }) => type === "subscribe");
    if (owed.init && !frames.some(({ type }) => type === "init"))
      complain("sent a prompt before init was repeated");
    if (owed.topics.length === 0) return;
    const asked: unknown = subscribed?.data["topics"];
    const topics = Array.isArray(asked) ? asked : [];
    if (owed.topics.some((topic) => !topics.includes(topic)))
      complain("sent a prompt before the topics were repeated");
  }

  #checkCancel(socket: WatchedSocket, { data }: SentFrame): void {
    const { prompts, complain } = this.#bound;
    const id = String(data["promptId"]);
    const prompt = prompts.find((each) => each.id === id);
    if (socket.server !== "codebuff") complain("sent a cancel to a server that knows none");
    if (this.#cancelled.has(id)) complain(`cancelled ${id} twice`);
    this.#cancelled.add(id);
    if (prompt?.socket !== socket) complain(`cancelled ${id}, which was not sent on this socket`);
  }

  get #bound(): Pick<World, "prompts"> & { readonly complain: (problem: string) => void } {
    const world = this.#world;
    return { prompts: world.prompts, complain: (problem) => world.complain(problem) };
  }
}
