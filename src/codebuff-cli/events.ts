import { CLIENT_EVENTS, type ClientEvents } from "../core/client/agent-client.ts";
import type { EventNames } from "../core/client/events.ts";
import type { Turn } from "../core/turn/turn.ts";
import type { CodebuffCliEvent } from "./messages.ts";
import type { CodebuffCliResult } from "./turn.ts";

/** The events of the client: those of every client, without those of a connection, and these. */
export interface CodebuffCliClientEvents extends ClientEvents<CodebuffCliEvent, CodebuffCliResult> {
  /** A process has started. Without the prompt, and without credentials. */
  spawned: [process: { readonly pid: number; readonly turn: Turn<CodebuffCliEvent, CodebuffCliResult> }];
  /** A line of error output: progress, warnings, stack traces. Nothing depends on it. */
  stderr: [line: string, turn: Turn<CodebuffCliEvent, CodebuffCliResult>];
}

export const CLI_EVENTS: EventNames<CodebuffCliClientEvents> = {
  ...CLIENT_EVENTS,
  spawned: true,
  stderr: true,
};
