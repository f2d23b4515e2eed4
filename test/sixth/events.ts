import { CLIENT_EVENTS, type ClientEvents } from "../../src/core/client/agent-client.ts";
import type { ClientCore } from "../../src/core/client/client-core.ts";
import type { EventNames } from "../../src/core/tell/events.ts";
import type { TurnMessage } from "./messages.ts";
import type { EchoEvent, EchoResult } from "./turn.ts";

/** What `client.on` tells, besides what every client does. */
export interface EchoClientEvents extends ClientEvents<EchoEvent, EchoResult> {
  /** A message of a turn that has ended here, or never began. No other turn gets it. */
  stray: [message: TurnMessage];
  /** A message of a type that is not known here. */
  unknownMessage: [message: unknown];
}

export type EchoCore = ClientCore<EchoEvent, EchoResult, EchoClientEvents>;

export const ECHO_EVENTS: EventNames<EchoClientEvents> = {
  ...CLIENT_EVENTS,
  stray: true,
  unknownMessage: true,
};
