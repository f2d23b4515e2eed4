// The state of `<Transcript>`, in an app of single components.
import type { ChatSnapshot } from "../../chat/snapshot.ts";
import type { CancelTimer, Clock } from "../../core/clock.ts";
import { openSince, progressOf, waitingRows } from "../parts/waiting-rows.ts";
import { EMPTY_ROW, type Row, type Surface } from "../rows/row.ts";
import { MessagesPrinter } from "../transcript/messages-printer.ts";
import type { PartLook } from "../transcript/sink.ts";
import { Pace } from "./pace.ts";
import { type Printed, Printout, TAIL_ROWS } from "./printed.ts";

const SECOND = 1_000;

export interface TranscriptInput
  extends Surface,
    Pick<ChatSnapshot, "messages" | "busy" | "queue" | "connection"> {
  readonly plan: ChatSnapshot["plan"];
  readonly foldsReasoning: boolean;
  readonly hasCommands: boolean;
  readonly maxRows: number;
}

export interface TranscriptFrame {
  readonly printed: Printed;
  /** The open content. */
  readonly rows: readonly Row[];
  /** Whether all rows that `print` got are in the scrollback. */
  readonly isDrained: boolean;
}

/** The messages of a chat, in an app of single components. Prints finished rows once; the rest is live. */
export class TranscriptScreen {
  readonly #clock: Clock;
  readonly #pace: Pace;
  readonly #messages = new MessagesPrinter();
  readonly #printout = new Printout();
  readonly #listeners = new Set<() => void>();
  readonly #inputsAbove = new Set<string>();
  #input: TranscriptInput;
  #frame: TranscriptFrame;
  #cancelTick: CancelTimer = () => {};

  constructor(clock: Clock, input: TranscriptInput) {
    this.#clock = clock;
    this.#input = input;
    this.#pace = new Pace(clock, () => this.#draw());
    this.#frame = { printed: this.#printout.printed, rows: [], isDrained: true };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getFrame = (): TranscriptFrame => this.#frame;

  /** Prints a dialog's text after the printed rows. `id` is the request's. */
  readonly print = (rows: readonly Row[], id: string): void => {
    this.#inputsAbove.add(id);
    this.#printout.enqueue([EMPTY_ROW, ...rows]);
    this.#pace.request();
  };

  /** Draws until the returned function is called. */
  start(): () => void {
    this.#pace.start();
    this.#pace.request();
    return () => {
      this.#pace.stop();
      this.#cancelTick();
    };
  }

  follow(input: TranscriptInput): void {
    this.#input = input;
    this.#pace.request();
  }

  /** The frame is on the screen. */
  shown(frame: TranscriptFrame): void {
    if (frame.printed === this.#printout.printed) this.#printout.shown();
  }

  #draw(): void {
    const { messages, maxRows, plan } = this.#input;
    const now = this.#clock.wallTime();
    let isDone = true;
    const { hasCommands } = this.#input;
    const facts = { ...this.#printing, hasCommands, now, tailRows: Math.min(TAIL_ROWS, maxRows) };
    this.#printout.frame(facts, (sink) => {
      isDone = this.#messages.print(messages, sink, plan) && sink.space > 0;
      if (isDone) this.#printout.drain(sink);
    });
    const { isDrained, printed } = this.#printout;
    this.#frame = { printed, rows: this.#live(now), isDrained };
    for (const listener of this.#listeners) listener();
    if (!isDone || !isDrained) this.#pace.request();
    this.#tick(now);
  }

  get #printing(): PartLook {
    const { columns, theme, highlight, foldsReasoning } = this.#input;
    return { columns, theme, highlight, foldsReasoning, inputsAbove: this.#inputsAbove };
  }

  #live(now: number): readonly Row[] {
    const { messages, maxRows } = this.#input;
    const { waiting } = progressOf(this.#input);
    const below = waitingRows(messages, waiting, this.#input);
    const gap = maxRows > 3 ? [EMPTY_ROW] : [];
    const space = Math.max(0, maxRows - below.length - gap.length);
    const open = this.#messages.live(messages, { ...this.#printing, now, maxRows: space });
    return open.length > 0 || below.length > 0 ? [...open, ...gap, ...below] : [];
  }

  /** Schedules a frame each second during a turn, because reasoning shows its time. */
  #tick(now: number): void {
    this.#cancelTick();
    if (openSince(this.#input.messages) === undefined) return;
    this.#cancelTick = this.#clock.setTimeout(() => this.#pace.request(), SECOND - (now % SECOND));
  }
}
