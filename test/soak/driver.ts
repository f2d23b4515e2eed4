import type { Clock } from "../../src/core/clock.ts";
import type { Turn, TurnOptions, TurnResult } from "../../src/core/turn/turn.ts";
import type { Book } from "./book.ts";
import type { ChapterPlan, TurnPlan } from "./plan.ts";

/** A tool call as the user is asked about it. */
export interface AskedUser {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export type SoakTurn = Turn<unknown, TurnResult & { readonly recovered?: true }>;

/** What of a client the user needs, whatever its protocol. */
export interface SoakClient {
  readonly status: string;
  /** What waits for the user. */
  readonly pending: readonly { readonly id: string; readonly type: string }[];
  prompt(text: string, options: TurnOptions): SoakTurn;
  conversation(): { prompt(text: string, options: TurnOptions): SoakTurn };
  decide(id: string, decision: boolean): unknown;
  connect(): Promise<void>;
  close(options?: { readonly force?: boolean }): Promise<void>;
  on(name: "event", listener: (event: unknown, turn: { readonly id: string }) => void): () => void;
  on(name: "approval", listener: (call: AskedUser) => void): () => void;
  on(name: "protocolWarning", listener: (warning: SoakWarning) => void): () => void;
  on(name: "reconnected", listener: () => void): () => void;
}

export interface SoakWarning {
  readonly kind: string;
  readonly message: string;
}

/** What a client of the soak is made with, besides what its protocol needs. */
export interface ClientOrder {
  /** Of the proxy. */
  readonly port: number;
  /** Of the proxy for HTTP. */
  readonly restPort: number;
  readonly token: string;
  /** What the client starts, where it talks with programs. */
  readonly program: SoakProgram | undefined;
  readonly plan: ChapterPlan;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** What short limits are multiplied by: a calm chapter must not fail for a slow machine. */
  readonly patience: number;
  /** Asks the user; undefined where calls are decided by `decide`. */
  readonly ask:
    | ((call: AskedUser, context: { readonly signal: AbortSignal }) => Promise<boolean>)
    | undefined;
  /** A tool of this machine runs. */
  readonly ran: (turn: number, call: number) => void;
}

/** One frame, as a mock has noted it. */
export interface WireFrame {
  readonly direction: "c2s" | "s2c";
  readonly raw: string;
  readonly connection: { readonly id: number };
}

/** A program of a mock. */
export interface SoakProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** One mock, from its start to its end. */
export interface Server {
  readonly port: number;
  /** What its users prove themselves with, where it has users. */
  readonly token?: string;
  /** What the client starts, in place of the port. It is restarted by `restart()` alone. */
  readonly program?: SoakProgram;
  readonly frames: readonly WireFrame[];
  /** What the mock holds against its clients. */
  readonly violations: readonly { readonly kind: string; readonly detail: string }[];
  /** Says goodbye as the real server does that is started anew, and goes on. */
  restart(): void;
  /** Processes of the client that have not ended, each in a few words. */
  left?(): readonly string[];
  stop(): Promise<void>;
}

/** What the script of a mock needs. */
export interface Scene {
  readonly book: Book;
  readonly chapter: ChapterPlan;
  readonly planOf: (turn: number | undefined) => TurnPlan | undefined;
}

/** What is known of a frame by its own words. */
export interface FrameMeaning {
  /** The turn of a prompt of the client. */
  readonly prompt?: number | undefined;
  /** A call that the server asks about. */
  readonly asked?: { readonly turn: number; readonly call: number };
  /** A decision of the client. */
  readonly decision?: { readonly turn: number; readonly call: number; readonly approved: boolean };
  /** How the frame moves the line of one connection: a prompt begins, or has come to its end. */
  readonly line?: "begins" | "ends" | undefined;
  /** The client may say it while a prompt runs. */
  readonly isAnswer?: boolean;
}

/** One protocol of the soak. */
export interface Driver {
  /** Mistakes that the mock notes although the client has made none, for the link was cut. */
  readonly excused: ReadonlySet<string>;
  /** Whether the platform opens the links, for calls over HTTP. */
  readonly isPooled?: boolean;
  serve(scene: Scene): Promise<Server>;
  client(order: ClientOrder): SoakClient;
  /** The text that an event adds to its turn. */
  textOf(event: unknown): string;
  /** The turn and the number of a call, by what the user is shown of it. */
  callOf(call: AskedUser): { readonly turn: number; readonly call: number } | undefined;
  meaningOf(frame: WireFrame): FrameMeaning;
}

/** A member of what is perhaps no object. */
export function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** JSON as it came; undefined where it is none. */
export function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}

/** `12.0`, as scripts name a call. */
export function callNamed(name: unknown): { readonly turn: number; readonly call: number } | undefined {
  const match = typeof name === "string" ? /(\d+)\.(\d+)/.exec(name) : null;
  return match ? { turn: Number(match[1]), call: Number(match[2]) } : undefined;
}
