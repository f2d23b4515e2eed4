import type { CodebuffEvent, CodebuffResult, Turn } from "agentwire/codebuff";
import type { SentFrame, WatchedSocket } from "./watched-socket.ts";
import { type Reader, WatchedTurn } from "./watched-turn.ts";

/** One prompt as the user and the peer see it, from before the call to after the end. */
export class WatchedPrompt extends WatchedTurn<CodebuffEvent, CodebuffResult> {
  /** Whether it belongs to a conversation, which decides when it goes out. */
  readonly held: boolean;
  /** Its place in the order of calls. */
  readonly place: number;
  /** The text of the chunks that were delivered before its end; `undefined` once the user's own code interfered. */
  text: string | undefined = "";
  /** Whether the peer has told of an error inside the stream; `undefined` where the user's own code interfered. */
  streamError: boolean | undefined = false;
  frame: SentFrame | undefined;
  socket: WatchedSocket | undefined;

  constructor(
    id: string,
    options: {
      readonly reader: Reader;
      readonly signal: boolean;
      readonly held: boolean;
      readonly place: number;
    },
  ) {
    super(id, options);
    this.place = options.place;
    this.held = options.held;
  }

  get id(): string {
    return this.name;
  }

  /** Of every other turn the result is asked for and left alone, as one who only reads does it. */
  override begin(turn: Turn<CodebuffEvent, CodebuffResult>): void {
    super.begin(turn, this.place % 2 === 0);
  }

  override get wasSent(): boolean {
    return this.frame !== undefined;
  }

  /** Whether the server is to work on it. */
  get underWay(): boolean {
    return this.wasSent && !this.over;
  }

  protected override textOf(events: readonly CodebuffEvent[]): string {
    return events.map((event) => (event.type === "response-chunk" ? event.text : "")).join("");
  }

  protected override *alsoNow(): Iterable<string> {
    if (this.text !== undefined && this.shown !== this.text)
      yield `shows ${this.shown} instead of ${this.text}`;
    if (this.underWay && this.socket?.abandoned) yield "is under way on a socket that has ended";
  }
}
