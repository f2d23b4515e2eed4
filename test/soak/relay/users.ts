// The users of one chat: they send, cancel, withdraw, and come and go, by chance.
import { setTimeout } from "node:timers/promises";
import type { Dice } from "../dice.ts";
import { promptText } from "./answers.ts";
import type { ViewerRecord } from "./history.ts";
import { acceptedAt } from "./judge.ts";
import { type ChatViewer, leave, openViewer } from "./viewers.ts";
import type { Wire } from "./wire.ts";
import { WireReader } from "./wire-reader.ts";

/** Chats over `remote` that look at one chat. */
const VIEWERS = 2;

/** Prompts of one chat that may wait before its users wait too. */
const WAITING = 8;

export interface ChatUsersOptions {
  readonly wire: Wire;
  readonly id: string;
  readonly dice: Dice;
  /** How many prompts of the chat have turns in the log that have ended. */
  readonly ended: () => number;
  /** Whether the log may forget keys that it has confirmed. */
  readonly mayForget: boolean;
  readonly onProblem: (kind: string, message: string) => void;
}

export class ChatUsers {
  readonly id: string;
  readonly readers: WireReader[] = [];
  readonly #records: ViewerRecord[] = [];
  #viewers: ChatViewer[] = [];
  readonly #options: ChatUsersOptions;
  readonly #work = new Set<Promise<void>>();
  #count = 0;
  #viewersMade = 0;

  constructor(options: ChatUsersOptions) {
    this.id = options.id;
    this.#options = options;
    for (let index = 0; index < VIEWERS; index++) this.#viewers.push(this.open());
    this.readers.push(new WireReader(options.wire, this.id, "reader"));
  }

  get viewers(): readonly ChatViewer[] {
    return this.#viewers;
  }

  /** What all have seen: those that have left too. */
  get records(): readonly ViewerRecord[] {
    return [...this.#records, ...this.readers.map(({ record }) => record)];
  }

  open(): ChatViewer {
    const { wire, dice } = this.#options;
    const viewer = openViewer(wire, this.id, `viewer-${++this.#viewersMade}`, dice);
    this.#records.push(viewer.record);
    return viewer;
  }

  /** Acts until it is told to stop. Then waits for its commands. */
  async act(signal: AbortSignal): Promise<void> {
    const { dice } = this.#options;
    while (!signal.aborted) {
      await setTimeout(dice.int(50, 500));
      if (!signal.aborted) this.#step();
    }
    await Promise.all(this.#work);
  }

  async close(): Promise<void> {
    await Promise.all(this.readers.map((reader) => reader.close()));
    await Promise.all(this.#viewers.map((viewer) => viewer.chat.close()));
  }

  #step(): void {
    const { dice, ended } = this.#options;
    const isFull = this.#count - ended() > WAITING;
    const what = dice.pick({
      post: isFull ? 0 : 10,
      send: isFull ? 0 : 10,
      cancel: 1,
      withdraw: 1,
      reload: 2,
      drop: 1,
      rest: isFull ? 20 : 0,
    });
    switch (what) {
      case "post":
        this.#background(this.#post());
        return;
      case "send":
        this.#send();
        return;
      case "cancel":
        this.#viewer().chat.cancel();
        return;
      case "withdraw":
        this.#background(this.#withdraw());
        return;
      case "reload":
        this.#background(this.#reload());
        return;
      case "rest":
        return;
      case "drop":
        for (const reader of this.readers) reader.drop();
        return;
    }
  }

  #background(work: Promise<void>): void {
    const noted = work.finally(() => this.#work.delete(noted));
    this.#work.add(noted);
  }

  #viewer(): ChatViewer {
    const viewer = this.#viewers[this.#options.dice.int(0, this.#viewers.length - 1)];
    if (!viewer) throw new Error("there is no viewer");
    return viewer;
  }

  #send(): void {
    const sent = this.#viewer().chat.send(promptText(`${this.id}-${++this.#count}`));
    if (!sent.ok) this.#options.onProblem("send-failed", `${this.id}: ${String(sent.error)}`);
  }

  /** Sends a prompt until it is answered: sometimes twice at once, and sometimes again behind the answer. */
  async #post(): Promise<void> {
    const { wire, dice, mayForget } = this.#options;
    const key = `${this.id}-${++this.#count}`;
    const command = { key, type: "prompt", input: { text: promptText(key) } };
    const isDoubled = dice.chance(0.3);
    const isRepeated = dice.chance(0.3);
    const isReused = !mayForget && dice.chance(0.1);
    const user = "poster";
    const send = async (): Promise<void> => {
      for (let status: number | undefined; status === undefined || status >= 500 || status === 429; ) {
        status = await wire.post(this.id, user, command);
        if (status === undefined || status >= 400) await setTimeout(dice.int(50, 300));
      }
    };
    await Promise.all(isDoubled ? [send(), send()] : [send()]);
    if (isRepeated) await wire.post(this.id, user, command);
    if (!isReused) return;
    const status = await wire.post(this.id, user, { ...command, input: { text: "another text" } });
    if (status !== undefined && status < 500 && status !== 422 && status !== 429)
      this.#options.onProblem("key-reused", `${this.id}: ${key} with another text: ${status}`);
  }

  /** Withdraws a prompt that waits, or cancels it by its key. */
  async #withdraw(): Promise<void> {
    const { wire, dice } = this.#options;
    const recent = [...wire.ops.values()].filter(
      (op) => op.chat === this.id && op.type === "prompt" && acceptedAt(op) !== undefined,
    );
    const target = recent.at(-dice.int(1, 3))?.key;
    if (target === undefined) return;
    const type = dice.chance(0.5) ? "withdraw" : "cancel";
    await wire.post(this.id, "poster", { key: `${type}-${target}-${dice.int(1, 99)}`, type, target });
  }

  /** Another page is opened, and an old one is closed. */
  async #reload(): Promise<void> {
    const [old, ...others] = this.#viewers;
    if (!old) return;
    // A page that leaves takes along what the relay has not confirmed.
    if (
      old.chat
        .getSnapshot()
        .messages.toArray()
        .some(({ status }) => status === "queued")
    )
      return;
    this.#viewers = [...others, this.open()];
    await leave(old);
  }
}
