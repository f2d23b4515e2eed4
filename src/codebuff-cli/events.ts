// The events of a CLI client.
import { CLIENT_EVENTS, type ClientEvents } from "../core/client/agent-client.ts";
import type { EventNames } from "../core/tell/events.ts";
import type { ProtocolWarning } from "../core/tell/voice.ts";
import type { Turn } from "../core/turn/turn.ts";
import type { CodebuffCliEvent } from "./messages.ts";
import type { CodebuffCliResult } from "./turn.ts";

/**
 * The events of every client, and this client's own. `reconnecting`, `reconnected`, `disconnected` and `approval` never
 * occur.
 */
export interface CodebuffCliClientEvents extends ClientEvents<CodebuffCliEvent, CodebuffCliResult> {
  /**
   * `kind`: `unparsed-line`, `line-failed` (its handling threw), `line-too-long`, `no-continuity`, `credential-conflict`,
   * `credentials-exposed`, `home-left` (the folder of `isolateHome` could not be deleted) or `listener-threw`. `turnId`:
   * the turn whose output it is about.
   */
  protocolWarning: [warning: ProtocolWarning];
  /** A process has started, perhaps within `prompt()`: listen before. Contains neither the prompt nor credentials. */
  spawned: [process: { readonly pid: number; readonly turn: Turn<CodebuffCliEvent, CodebuffCliResult> }];
  /** A line of error output, without escapes and credentials: progress, warnings, stack traces. For information only. */
  stderr: [line: string, turn: Turn<CodebuffCliEvent, CodebuffCliResult>];
}

export const CLI_EVENTS: EventNames<CodebuffCliClientEvents> = {
  ...CLIENT_EVENTS,
  spawned: true,
  stderr: true,
};
