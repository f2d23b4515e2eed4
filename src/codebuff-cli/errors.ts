import { TurnError, type TurnErrorOptions } from "../core/errors.ts";

/** What the program wrote to its error output: its beginning and its end. */
export interface CodebuffCliStderr {
  readonly head: readonly string[];
  /** What came behind the head, at most the last lines. */
  readonly tail: readonly string[];
  /** Whether lines between them, or the ends of long ones, are left out. */
  readonly truncated: boolean;
  readonly totalLines: number;
}

/** What went wrong with a run. */
export type CodebuffCliFailureKind =
  /** The process ended with a code other than 0, or by a signal, and said nothing that is recognised. */
  | "process_exit"
  /** The program says that the run has failed. */
  | "run_failed"
  /** It got no prompt. */
  | "no_prompt"
  /** There is no API key, or it is refused. */
  | "auth"
  | "payment_required"
  | "forbidden"
  | "rate_limited"
  /** The backend has failed. */
  | "server"
  | "agent_not_found"
  | "no_response"
  /** The program ended the run by itself. */
  | "cancelled_by_cli"
  /** The program has no such option: another `profile`, or another program. */
  | "unsupported_flag"
  /** What the program wrote is nothing that can be read. */
  | "protocol_error"
  /** The program ended well, but without `finish`, and `requireFinish` is set. */
  | "stream_ended"
  /** The program has opened its user interface, which never ends without a terminal. */
  | "interactive_cli";

/** A run of the program has failed. What it had written to its error output is in `stderr`. */
export class CodebuffCliError extends TurnError {
  protected static override readonly className: string = "CodebuffCliError";
  declare readonly kind: CodebuffCliFailureKind;
  /** Null where a signal ended the process, or this library did. */
  declare readonly exitCode: number | null;
  /** The signal that ended the process. */
  declare readonly signal?: string;
  declare readonly stderr: CodebuffCliStderr;

  constructor(
    options: TurnErrorOptions & {
      readonly kind: CodebuffCliFailureKind;
      readonly exitCode: number | null;
      readonly signal?: string | undefined;
      readonly stderr: CodebuffCliStderr;
    },
  ) {
    const { exitCode, signal, stderr } = options;
    super(options, { exitCode, signal, stderr });
  }
}
