import { CLIENT_EVENTS, type ClientEvents } from "../core/client/agent-client.ts";
import type { ClientCore } from "../core/client/client-core.ts";
import type { EventNames } from "../core/client/events.ts";
import type { Turn } from "../core/turn/turn.ts";
import type { CassAudio } from "./audio.ts";
import type { AudioFrame, Debug, Thinking } from "./messages.ts";
import type { ResponseFrame } from "./response.ts";
import type { CassEvent, CassResult } from "./turn.ts";

/** The user that the server takes a connection for. */
export interface CassIdentity {
  /** Null for an anonymous connection. */
  readonly userId: string | null;
  /** Whether this is the user of the token, or of `expectedUserId`. */
  readonly verified: boolean;
  /** `false`: the server's older pipeline, which knows a few animations only. */
  readonly sdkMode?: boolean;
}

/** A conversation got a title, or another one. */
export interface CassTitle {
  readonly conversationId: string;
  readonly title: string;
  readonly timestamp?: string;
}

/** What the server does besides turns, such as summing up what was said. */
export interface CassSystemEvent {
  readonly message: string;
  /** `info`, `evaluating`, `deferred`, `summarizing`, `error`, `complete`, `working_summary`. */
  readonly status?: string;
  readonly timestamp?: string;
}

/** A message of a turn that belongs to no turn of this client, as it came. */
export type CassStrayMessage = Thinking | Debug | ResponseFrame | AudioFrame;

/** What `client.on` tells, besides what every client does. */
export interface CassClientEvents extends ClientEvents<CassEvent, CassResult> {
  /** The handshake is done: the server takes the connection for this user. */
  authenticated: [identity: CassIdentity];
  /** May come before the response by which the conversation becomes known: see `client.titleOf()`. */
  title: [title: CassTitle];
  system: [event: CassSystemEvent];
  /** Speech that came behind its response. `turn` has ended. */
  audio: [audio: CassAudio, turn: Turn<CassEvent, CassResult>];
  /** A turn's connection is lost, and its reply is searched for in what the server has stored. */
  recovering: [turn: Turn<CassEvent, CassResult>];
  /** An `error` while no turn was under way. */
  serverError: [error: { readonly message: string }];
  /** A message of a turn came while no turn was under way. No later turn gets it. */
  stray: [message: CassStrayMessage];
  /** A message of a type that is not known here. */
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
