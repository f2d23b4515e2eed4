// The events of a CLI client.
import { CLIENT_EVENTS, type ClientEvents } from "../core/client/agent-client.ts";
import type { EventNames } from "../core/tell/events.ts";
import type { Turn } from "../core/turn/turn.ts";
import type { CodebuffCliEvent } from "./messages.ts";
import type { CodebuffCliResult } from "./turn.ts";

/** The events of every client, except those of a connection, and this client's own. */
export interface CodebuffCliClientEvents extends ClientEvents<CodebuffCliEvent, CodebuffCliResult> {
  /** A process has started. Contains neither the prompt nor credentials. */
  spawned: [process: { readonly pid: number; readonly turn: Turn<CodebuffCliEvent, CodebuffCliResult> }];
  /** A line of error output: progress, warnings, stack traces. For information only. */
  stderr: [line: string, turn: Turn<CodebuffCliEvent, CodebuffCliResult>];
}

export const CLI_EVENTS: EventNames<CodebuffCliClientEvents> = {
  ...CLIENT_EVENTS,
  spawned: true,
  stderr: true,
};
