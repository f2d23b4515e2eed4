// The input of the engine, as types: facts that a backend or this machine states.
import type { AnyAgentwireError } from "../core/errors.ts";
import type { ProtocolWarning } from "../core/tell/voice.ts";
import type { TurnOutcome, TurnResult } from "../core/turn/turn.ts";
import type { AnyEvent, PendingRequest, SettledRequest, TurnToolCall } from "../core/values.ts";
import type { SessionEndedData } from "./events.ts";

/** What the user sent. */
export interface UserInput {
  readonly text: string;
  /** `path`: a path, a URL or a `data:` URL. */
  readonly images?: readonly { readonly path: string; readonly mime: string | null }[];
  /** Paths of files that the prompt names. */
  readonly files?: readonly string[];
}

/** How a turn ended, as soon as that is certain. A cancelled turn may still be stopping. */
export type TurnEnd<Result extends TurnResult = TurnResult> = TurnOutcome<Result>;

/**
 * The inputs of a `Normaliser`: messages of the backend, and events on this machine. `turnId`: the id of the client's
 * turn. `notice`: a client event of no turn, such as Cass's `title`. `name`: the name of the event.
 */
export type Fact<Event extends AnyEvent = AnyEvent, Result extends TurnResult = TurnResult> =
  /** The backend is ready, or has reported more about its session. */
  | {
      readonly type: "opened";
      readonly nativeSessionId?: string | undefined;
      readonly metadata?: Readonly<Record<string, unknown>>;
      /** Whether a message of the backend reported it. */
      readonly isNative: boolean;
    }
  /** The prompt was written to the wire, or its process was started. */
  | {
      readonly type: "sent";
      readonly turnId: string;
      readonly input: UserInput;
      readonly metadata?: Readonly<Record<string, unknown>>;
    }
  | { readonly type: "event"; readonly turnId: string; readonly event: Event }
  /** An event while no turn runs. */
  | { readonly type: "stray"; readonly event: Event }
  /** A tool call is new, or has changed. */
  | { readonly type: "call"; readonly turnId: string | undefined; readonly call: TurnToolCall }
  | { readonly type: "asked"; readonly turnId: string | undefined; readonly request: PendingRequest }
  | { readonly type: "settled"; readonly turnId: string | undefined; readonly request: SettledRequest }
  /** The connection was lost, and the client searches for the answer. */
  | { readonly type: "recovering"; readonly turnId: string }
  /** `input` and `metadata`: only for a turn that was never sent. */
  | {
      readonly type: "ended";
      readonly turnId: string;
      readonly end: TurnEnd<Result>;
      readonly input?: UserInput;
      readonly metadata?: Readonly<Record<string, unknown>>;
    }
  | { readonly type: "notice"; readonly name: string; readonly value: unknown }
  | { readonly type: "warning"; readonly warning: ProtocolWarning }
  | { readonly type: "disconnected"; readonly error: AnyAgentwireError }
  | {
      readonly type: "retrying";
      readonly attempt: number;
      readonly delay: number;
      readonly error?: AnyAgentwireError;
    }
  | { readonly type: "reconnected" }
  /** For a while, no event without a turn has arrived. */
  | { readonly type: "quiet" }
  /** The backend's session cannot continue: the client gave up, or the backend has forgotten the session. */
  | { readonly type: "lost"; readonly error: AnyAgentwireError }
  /** The stream begins during a turn: the turn's text and calls so far. */
  | {
      readonly type: "missed";
      readonly turnId: string;
      readonly text: string;
      readonly calls: readonly TurnToolCall[];
    }
  /** The session ends with its one-off turn. */
  | { readonly type: "done"; readonly data: SessionEndedData }
  /** The client or the stream was closed. */
  | { readonly type: "closed" };
