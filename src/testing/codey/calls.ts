// Scripted tool calls and their outcomes.

/** A tool call that the model makes, and what becomes of it. */
export interface CodeyCall {
  readonly name: string;
  /**
   * The input of the tool: any JSON. A member `background` of it is taken out, and counts where {@link background} is
   * not set, if it is a boolean.
   * @default {}
   */
  readonly params?: unknown;
  /** Whether it runs beside the others. @default false */
  readonly background?: boolean;
  /** @default the next of the server's `callId` */
  readonly callId?: string;
  /** What the server's own rules say: `none` asks the client. @default "none" */
  readonly filter?: "none" | "allow" | "deny";
  /** What it gives once it runs. @default what the real server's tool of that name gives, or an empty string */
  readonly result?: CodeyCallResult;
  /** How long it runs, in ms of the server's clock. @default 0 */
  readonly delay?: number;
  /**
   * Pieces of its output to send as `ToolDelta`s, where the switch `toolDeltas` is `some`.
   * @default two halves of the output
   */
  readonly deltas?: readonly string[];
}

/**
 * What a call gives: its output; an `error` when it has run; `invalid`, an error before anybody is asked; nothing,
 * ever; or what a function gives, later if it wants, whose throwing is an error.
 */
export type CodeyCallResult =
  | string
  | { readonly error: string }
  | { readonly invalid: string }
  | { readonly hangs: true }
  | (() => string | Promise<string>);

/** What became of a call: the value of `codeyStep.calls`. */
export interface CodeyCallOutcome {
  readonly callId: string;
  /** `running`: the result is yet to come, see the switch `lateBackground`. */
  readonly state: "completed" | "failed" | "denied" | "running";
  /** What the terminal message said. */
  readonly content: string;
}

/** A call with nothing left open. */
export interface PlannedCall {
  readonly callId: string;
  readonly name: string;
  readonly params: unknown;
  readonly background: boolean;
  readonly filter: "none" | "allow" | "deny";
  readonly result: CodeyCallResult;
  readonly delay: number;
  readonly deltas: readonly string[] | undefined;
}

export function planned(
  call: CodeyCall,
  defaults: { callId(name: string): string; result(name: string): CodeyCallResult },
): PlannedCall {
  const { name, filter = "none", delay = 0, deltas } = call;
  const { params, background } = lifted(call.params ?? (call.params === null ? null : {}));
  return {
    callId: call.callId ?? defaults.callId(name),
    name,
    params,
    background: call.background ?? background,
    filter,
    result: call.result ?? defaults.result(name),
    delay,
    deltas,
  };
}

/** The server takes `background` out of the input. */
function lifted(params: unknown): { readonly params: unknown; readonly background: boolean } {
  if (typeof params !== "object" || params === null || Array.isArray(params) || !("background" in params))
    return { params, background: false };
  const { background, ...rest } = params;
  return { params: rest, background: background === true };
}

/** Makes calls of the tools that clients meet most. */
export const codeyTool = {
  /** A call of `mcp_shell`, which the real server always asks about. */
  shell: (command: string, result?: CodeyCallResult, more: Partial<CodeyCall> = {}): CodeyCall => ({
    name: "mcp_shell",
    params: { command },
    ...(result === undefined ? {} : { result }),
    ...more,
  }),
  /** A call of `mcp_read_file`. */
  readFile: (path: string, result?: CodeyCallResult, more: Partial<CodeyCall> = {}): CodeyCall => ({
    name: "mcp_read_file",
    params: { path },
    ...(result === undefined ? {} : { result }),
    ...more,
  }),
};
