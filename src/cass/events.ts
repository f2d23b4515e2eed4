// The events of a Cass client.
import { CLIENT_EVENTS, type ClientEvents } from "../core/client/agent-client.ts";
import type { ClientCore } from "../core/client/client-core.ts";
import type { EventNames } from "../core/tell/events.ts";
import type { ProtocolWarning } from "../core/tell/voice.ts";
import type { Turn } from "../core/turn/turn.ts";
import type { CassAudio } from "./audio.ts";
import type { AudioFrame, Debug, Thinking } from "./messages.ts";
import type { ResponseFrame } from "./response.ts";
import type { CassEvent, CassResult } from "./turn.ts";

/** The user of a connection, as the server reported it. */
export interface CassIdentity {
  /** Null for an anonymous connection. */
  readonly userId: string | null;
  /** Whether `userId` is the user of the token, or `expectedUserId`. */
  readonly verified: boolean;
  /** `false`: the server's older pipeline, which knows only a few animations. */
  readonly sdkMode?: boolean;
}

/** A conversation got a title, or a new title. */
export interface CassTitle {
  readonly conversationId: string;
  readonly title: string;
  readonly timestamp?: string;
}

/** The server's work besides turns, such as summaries of the conversation. */
interface CassSystemEvent {
  readonly message: string;
  /** `info`, `evaluating`, `deferred`, `summarizing`, `error`, `complete`, `working_summary`. */
  readonly status?: string;
  readonly timestamp?: string;
}

/** A message that belongs to no turn of this client, unchanged. */
export type CassStrayMessage = Thinking | Debug | ResponseFrame | AudioFrame;

/** The events of `client.on`, besides the events of every client. */
export interface CassClientEvents extends ClientEvents<CassEvent, CassResult> {
  /**
   * Something is not as it should be. `kind` is `unreadable-frame`, `frame-failed` (nested deeper than 500 levels, or its handling threw),
   * `invalid-message`, `unknown-message`, `stray-message`, `unexpected-response`, `out-of-order`, `conversation-mismatch`,
   * `conversation-not-kept`, `unreadable-audio`, `image-ignored`, `drain-expired` or `listener-threw`.
   */
  protocolWarning: [warning: ProtocolWarning];
  /** The handshake succeeded: the connection belongs to this user. */
  authenticated: [identity: CassIdentity];
  /** May arrive before the response that makes the conversation known: see `client.titleOf()`. */
  title: [title: CassTitle];
  /** The server works besides turns, such as on a summary of what was said. */
  system: [event: CassSystemEvent];
  /** Speech that arrived after its response. `turn` has ended. */
  audio: [audio: CassAudio, turn: Turn<CassEvent, CassResult>];
  /** A turn's connection is lost. The client searches for the reply in the server's stored messages. */
  recovering: [turn: Turn<CassEvent, CassResult>];
  /** An `error` arrived while no turn was under way. */
  serverError: [error: { readonly message: string }];
  /** A message of a turn arrived while no turn was under way, such as a second response. No later turn gets the message. */
  stray: [message: CassStrayMessage];
  /** A message of an unknown type. */
  unknownMessage: [message: unknown];
}

/** The part of the client that all socket clients share. */
export type CassCore = ClientCore<CassEvent, CassResult, CassClientEvents>;

export const CASS_EVENTS: EventNames<CassClientEvents> = {
  ...CLIENT_EVENTS,
  authenticated: true,
  title: true,
  system: true,
  audio: true,
  recovering: true,
  serverError: true,
  stray: true,
  unknownMessage: true,
};
