// The language of scripts for answers, with `cassStep`.
import type { Clock } from "../../core/clock.ts";
import { checked, type NamesOf } from "../names.ts";
import type { StepSource } from "../server/script-runner.ts";
import type { CassServerFrame, ReceivedTurn } from "./record.ts";
import type { CassEnd, MockCassSwitches } from "./switches.ts";

/**
 * Answers one turn with a script: an array of steps, a generator, or an async generator, which may await anything
 * between its steps. With `{ switches, script }` switches are set for this turn alone.
 *
 * What comes before a `cassStep.tools` is one round of the model, what comes behind it the next. A script that ends
 * gets its `response`; one that throws is a model that fails, see the switch `failure`. Nothing stops a script but
 * the end of the server: a client that leaves is answered all the same, and the answer is stored.
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

/** What a script gets besides its turn. */
export interface CassAnswerContext {
  /** Aborted when the turn is cut short: by a failure, a restart, or the end of the server. */
  readonly signal: AbortSignal;
  /** The clock of the server. */
  readonly clock: Clock;
}

/** A tool that the server executes by itself. */
export interface CassTool {
  readonly name: string;
  /** @default {} */
  readonly input?: unknown;
  /** What it gives, which only `v1` tells. @default "ok" */
  readonly result?: string;
  /** @default true */
  readonly success?: boolean;
}

/** The tokens of one round. */
export interface ScriptedUsage {
  /** @default 1500 */
  readonly input_tokens?: number;
  /** @default 150 */
  readonly output_tokens?: number;
  /** @default 0 */
  readonly cache_read_tokens?: number;
}

/** One step of an answer: a string is what the model says, with tags; the others are made by {@link cassStep}. */
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
  /** The end of a round: the server executes tools, and the model goes on. A name alone is a tool that gives "ok". */
  tools: (...tools: readonly (string | CassTool)[]): CassStep => ({
    kind: "tools",
    tools: tools.map(toolOf),
  }),
  /** Tools that the model wants and that are not executed: it was cut off. They are in `tool_uses`. */
  unexecuted: (...tools: readonly (string | CassTool)[]): CassStep => {
    return { kind: "unexecuted", tools: tools.map(toolOf) };
  },
  /** What this round costs; the server adds the rounds up. */
  usage: (usage: ScriptedUsage): CassStep => ({ kind: "usage", usage: checked(usage, USAGE) }),
  /** Fields of the response, as they are: `marks`, `holds`, `self_observations` and the like. */
  fields: (fields: Readonly<Record<string, unknown>>): CassStep => ({ kind: "fields", fields }),
  /** The title that the conversation gets. @default the beginning of the message */
  title: (title: string): CassStep => ({ kind: "title", title }),
  /** A `thinking` frame, at once. */
  thinking: (status: string): CassStep => cassStep.say({ type: "thinking", status }),
  /** A `debug` frame, at once. */
  debug: (message: string): CassStep => cassStep.say({ type: "debug", message }),
  /** A `system` frame, at once. */
  system: (message: string, status: string): CassStep => cassStep.say({ type: "system", message, status }),
  /** Any frame, at once. */
  say: (message: CassServerFrame): CassStep => ({ kind: "say", message }),
  /** The model fails, see the switch `failure`. */
  fail: (message = "the model is overloaded"): CassStep => ({ kind: "fail", message }),
  /** The connection ends here, and the turn with it. A number is the code of a Close. */
  die: (by: CassEnd | number): CassStep => ({ kind: "die", by }),
  /** Waits, in ms of the server's clock. */
  delay: (ms: number): CassStep => ({ kind: "delay", ms }),
  /** Never goes on, and nothing behind it on this connection does. */
  hang: (): CassStep => ({ kind: "hang" }),
  /** A string as a text frame, bytes as a binary one, as they are. */
  raw: (frame: string | Uint8Array): CassStep => ({ kind: "raw", frame }),
  /** Cuts the link in the middle of a frame; the turn goes on. @param frame its text; a `thinking` by default */
  dropMidFrame: (frame = HALF_A_FRAME): CassStep => ({ kind: "drop-mid-frame", frame }),
};

function toolOf(tool: string | CassTool): CassTool {
  return typeof tool === "string" ? { name: tool } : checked(tool, TOOL);
}

/** The answer of a server that was given none. */
export const helloAnswer: CassAnswer = () => ["Hello! <gesture:wave> <emote:happy:0.8>"];
