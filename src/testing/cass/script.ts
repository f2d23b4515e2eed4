// The steps of answer scripts: `cassStep`.
import type { Clock } from "../../core/clock.ts";
import { checked, type NamesOf } from "../names.ts";
import type { StepSource } from "../server/script-runner.ts";
import type { CassServerFrame, ReceivedTurn } from "./record.ts";
import type { CassEnd, MockCassSwitches } from "./switches.ts";

/**
 * Answers one turn with a script: an array of steps, a generator, or an async generator, which may await between steps.
 * `{ switches, script }` sets switches for this turn only.
 *
 * Text may hold tags, such as `<gesture:wave>`, `<emote:happy:0.8>` or `<mark:insight>aha</mark>`. The mock makes the
 * fields of the response from them, as the profile's server does. `<memory:summarize>` consolidates memories. The
 * `thinking` and `debug` frames come by themselves.
 *
 * Each `cassStep.tools` ends a round of the model. When a script ends, the server sends its `response`. A script that
 * throws is a model failure, see the switch `failure`. Only the end of the server stops a script: if the client leaves,
 * the script goes on and its answer is stored.
 *
 * @example
 * ```ts
 * server.answer = () => ["Let me check. <gesture:point>", cassStep.tools("recall_journal"), "I found it."];
 * ```
 */
export type CassAnswer = (
  turn: ReceivedTurn,
  context: CassAnswerContext,
) => CassScript | { readonly switches: MockCassSwitches; readonly script: CassScript };

/** The steps of one answer. */
export type CassScript = StepSource<CassStep, undefined>;

/** The second argument of an answer function. */
interface CassAnswerContext {
  /** Aborted by a failure, a restart, or the end of the server. */
  readonly signal: AbortSignal;
  /** The server's clock. */
  readonly clock: Clock;
}

/** A tool that the server runs. */
export interface CassTool {
  readonly name: string;
  /** @default {} */
  readonly input?: unknown;
  /** The tool's result. Only `v1` sends it. @default "ok" */
  readonly result?: string;
  /** @default true */
  readonly success?: boolean;
}

/** The token counts of one round. */
export interface ScriptedUsage {
  /** @default 1500 */
  readonly input_tokens?: number;
  /** @default 150 */
  readonly output_tokens?: number;
  /** @default 0 */
  readonly cache_read_tokens?: number;
}

/** One step of an answer. A string is the model's text, with tags. {@link cassStep} makes the other steps. */
export type CassStep =
  | string
  | { readonly kind: "tools"; readonly tools: readonly CassTool[] }
  | { readonly kind: "unexecuted"; readonly tools: readonly CassTool[] }
  | { readonly kind: "usage"; readonly usage: ScriptedUsage }
  | { readonly kind: "fields"; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly kind: "title"; readonly title: string }
  | { readonly kind: "say"; readonly message: CassServerFrame }
  | { readonly kind: "fail"; readonly message: string }
  | { readonly kind: "die"; readonly by: CassEnd | number }
  | { readonly kind: "delay"; readonly ms: number }
  | { readonly kind: "hang" }
  | { readonly kind: "raw"; readonly frame: string | Uint8Array }
  | { readonly kind: "drop-mid-frame"; readonly frame: string };

const USAGE: NamesOf<ScriptedUsage> = { input_tokens: true, output_tokens: true, cache_read_tokens: true };
const TOOL: NamesOf<CassTool> = { name: true, input: true, result: true, success: true };

const HALF_A_FRAME = '{"type": "thinking", "status": "this frame is cut in two"}';

/** Makes the steps of an answer. */
export const cassStep = {
  /** Ends a round: the server runs tools, and the model continues. A tool given by name returns "ok". */
  tools: (...tools: readonly (string | CassTool)[]): CassStep => ({
    kind: "tools",
    tools: tools.map(toolOf),
  }),
  /** Tools that the model requested before it was cut off. The server does not run them. They are in `tool_uses`. */
  unexecuted: (...tools: readonly (string | CassTool)[]): CassStep => {
    return { kind: "unexecuted", tools: tools.map(toolOf) };
  },
  /** The token counts of this round. The server adds up all rounds. */
  usage: (usage: ScriptedUsage): CassStep => ({ kind: "usage", usage: checked(usage, USAGE) }),
  /** Response fields to send unchanged: `marks`, `holds`, `self_observations` and the like. */
  fields: (fields: Readonly<Record<string, unknown>>): CassStep => ({ kind: "fields", fields }),
  /** The conversation's new title. @default the beginning of the message */
  title: (title: string): CassStep => ({ kind: "title", title }),
  /** Sends a `thinking` frame at once. */
  thinking: (status: string): CassStep => cassStep.say({ type: "thinking", status }),
  /** Sends a `debug` frame at once. */
  debug: (message: string): CassStep => cassStep.say({ type: "debug", message }),
  /** Sends a `system` frame at once. */
  system: (message: string, status: string): CassStep => cassStep.say({ type: "system", message, status }),
  /** Sends any frame at once. */
  say: (message: CassServerFrame): CassStep => ({ kind: "say", message }),
  /** The model fails, see the switch `failure`. */
  fail: (message = "the model is overloaded"): CassStep => ({ kind: "fail", message }),
  /** Ends the connection and the turn. A number is the code of a Close. */
  die: (by: CassEnd | number): CassStep => ({ kind: "die", by }),
  /** Waits, in ms of the server's clock. */
  delay: (ms: number): CassStep => ({ kind: "delay", ms }),
  /** Hangs for ever. The connection handles no later frame. */
  hang: (): CassStep => ({ kind: "hang" }),
  /** Sends a frame unchanged: a string as text, bytes as binary. */
  raw: (frame: string | Uint8Array): CassStep => ({ kind: "raw", frame }),
  /** Cuts the connection in the middle of a frame. The turn goes on. @param frame its text; a `thinking` by default */
  dropMidFrame: (frame = HALF_A_FRAME): CassStep => ({ kind: "drop-mid-frame", frame }),
};

function toolOf(tool: string | CassTool): CassTool {
  return typeof tool === "string" ? { name: tool } : checked(tool, TOOL);
}

/** The default answer. */
export const helloAnswer: CassAnswer = () => ["Hello! <gesture:wave> <emote:happy:0.8>"];
