import type {
  AnyAgentClient,
  AnyConversation,
  AnyTurn,
  ClientStatus,
  PromptFiles,
  PromptInput,
  SocketClientOptions,
} from "agentwire";
import type { ManualClock, UpgradeRefusal } from "agentwire/testing";
import type { UniversalStream } from "agentwire/universal";

// How a protocol joins the suite: one file in `fixtures/` that exports `fixtures`, one for each profile of its mock.
// With a mock on `LoopbackPort` it is the setup of `overSockets()`: how to start the mock, what a step of an answer is
// called there, how to make a client, what the mock has received, and the facts below. Without sockets it implements
// `World`, and what has no meaning for it goes into `exceptions.ts`, by title or by subject, with the reason.

/** A client of any protocol, as a user interface sees it. */
export type AnyClient = AnyAgentClient;

export type { AnyTurn } from "agentwire";

export interface Fixture {
  /** The protocol, and the profile of the backend where there are several: what stands behind each title. */
  readonly name: string;
  readonly facts: Facts;
  /** Starts a backend, on a clock of its own or the platform's. */
  start(): Promise<World>;
}

/** One backend, and the clients of it, which share a clock. Everything is closed at the end of its scope. */
export interface World extends AsyncDisposable, Universal {
  readonly backend: Backend;
  readonly link: Link;
  /** The clients' clock. */
  readonly clock: ManualClock;
  /** What clients did wrong on the wire, by the backend's book. */
  readonly mistakes: readonly string[];
  client(options?: ContractOptions): AnyClient;
}

/** The universal events of a protocol: of a client, or of one of its turns or conversations. */
export interface Universal {
  toUniversal(of: AnyClient | AnyTurn | AnyConversation): UniversalStream;
}

/** The options that mean the same for every protocol. */
export interface ContractOptions
  extends Pick<
    SocketClientOptions,
    | "signal"
    | "connectTimeout"
    | "keepalive"
    | "reconnect"
    | "maxSendBytes"
    | "maxReceiveBytes"
    | "maxQueuedBytes"
    | "maxQueuedTurns"
    | "maxBufferedBytes"
    | "maxTextBytes"
    | "logger"
    | "debug"
  > {
  readonly idleTimeout?: number;
  /** Sends one prompt at a time, also where the protocol takes several. @default false */
  readonly oneAtATime?: boolean;
  /** The client is given its credentials, in every place of {@link Facts.carries}. @default false */
  readonly secrets?: boolean;
  /** The folder whose files prompts may name. A client of a backend that takes no files gets none. */
  readonly files?: PromptFiles;
  /** Is told the events that only this protocol's client has. */
  readonly onOwnEvent?: (name: string, values: readonly unknown[]) => void;
}

/** Where clients and protocols differ, as facts: a test reads them, and never asks which protocol it is. */
export interface Facts {
  /** The states of a client on its way to `ready`. */
  readonly opening: readonly ClientStatus[];
  /** A prompt of this text in the protocol's own form, and as the caller of a UI may get it wrong. */
  readonly input: (text: unknown) => PromptInput;
  /** What reaches the caller of the words that a backend fails with: some backends keep them to themselves. */
  readonly failure: (words: string) => string;
  /** Whether a binary frame is read like one of text; otherwise it is no frame of the protocol. */
  readonly readsBytes: boolean;
  /** Whether a client whose link has broken comes back without being asked to. */
  readonly comesBack: boolean;
  /** What becomes of prompts that wait to be sent when the link breaks, on a client that comes back. */
  readonly waiting: "completed" | "context-lost";
  /** What becomes of a turn whose answer ends just after `close()` was called. */
  readonly atClose: "completed" | "closed";
  /** What the error of a closing client says about a prompt that was sent. */
  readonly sent: readonly ("unknown" | "accepted")[];
  /** Whether the question of a turn that failed stays among the messages of its conversation: the backend has it, too. */
  readonly keepsQuestion: boolean;
  /** ms of the clients' clock, with a backend that has gone silent. */
  readonly within: {
    /** From `cancel()` to the outcome. */
    readonly cancel: number;
    /** Until `close()` is done, with turns under way. */
    readonly close: number;
    /** The same for `close({ force: true })`. */
    readonly force: number;
  };
  /** Where the protocol carries credentials: a name for each place. */
  readonly carries: readonly string[];
  /** How many turns in a row can be asked of the backend in a test. */
  readonly turnsInARow: number;
}

/** The credential in one of the places of {@link Facts.carries}. */
export function secretOf(place: string): string {
  return `${SECRET}-${place}`;
}

/** What every credential of the suite begins with. */
export const SECRET = "hush-4f9b";

/** Whoever answers. */
export interface Backend {
  /** How prompts are answered from now on. @default {@link usual} */
  answer: Answer;
  /** Every prompt that has arrived, in order. */
  readonly prompts: readonly Received[];
  /** Resolves once so many prompts have arrived. */
  received(count: number): Promise<void>;
  /** How often anybody has called: connections that were opened, or processes that were started. */
  readonly calls: number;
  /** Is gone from here on: nobody can be reached, and what was under way is cut. */
  stop(): Promise<void>;
  /** Is there again, where it was or elsewhere, and knows nothing. */
  start(): Promise<void>;
  /** Neither reads nor speaks from here on to those who are there, and does not say so. */
  fallSilent(): void;
}

/** Answers one prompt with a script, which may await anything between its steps. */
export type Answer = (prompt: string) => Iterable<Step> | AsyncIterable<Step>;

/** A piece of text; a sign of life without text; or a failure, in the backend's words, which ends the answer. */
export type Step = string | typeof SIGN | { readonly fails: string };

/** An event of the turn that adds no text. */
export const SIGN = Symbol("a sign of life");

/** A prompt as the backend got it. */
export interface Received {
  readonly text: string;
  /** What users had said before, as far as the backend knows it when it answers. */
  readonly known: readonly string[];
}

/** What is between the clients and their backend: the newest connection, and what becomes of new ones. */
export interface Link {
  /** Everything that was sent to the backend so far: frames, and what came with each attempt to connect. */
  readonly heard: string;
  /** How many frames the backend has said on the newest connection. */
  readonly frames: number;
  /** Sends a text frame, or bytes as a binary one. */
  say(frame: string | Uint8Array): void;
  end(how: LinkEnd): void;
  /** Ends the next connection that is opened, behind so many frames of the backend. */
  endNextBehind(frames: number, how: LinkEnd): void;
  /** How new connections fail from now on; `undefined` lets them in again. */
  refuse(how: UpgradeRefusal | undefined): void;
  /** Resolves once somebody has tried so many times to connect, in vain or not. */
  tried(times: number): Promise<void>;
}

/** Cut behind a frame or in the middle of one; still there, and silent; a Close of some code, and with a reason. */
export type LinkEnd =
  | "cut"
  | "cut in mid-frame"
  | "silence"
  | { readonly code: number; readonly reason?: string };

/** What a backend says unless a test has other plans. */
export const PIECES = ["Hello ", "world"] as const;
export const TEXT = PIECES.join("");
export const usual: Answer = () => PIECES;
