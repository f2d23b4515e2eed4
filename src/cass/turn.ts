import type { TurnResult } from "../core/turn/turn.ts";
import type { Usage } from "../core/values.ts";
import { audioFromBase64, type CassAudio } from "./audio.ts";
import { type CassMemories, type Debug, given, type Thinking } from "./messages.ts";
import { type CassDebug, type CassProgress, readDebug, readProgress } from "./progress.ts";
import type { CassToolUse, ResponseFrame } from "./response.ts";
import { type CassAnimation, readReply } from "./tags/animations.ts";

/** How far the turn is. */
export interface CassThinkingEvent {
  readonly type: "thinking";
  /** The server's words. */
  readonly status: string;
  /** What they mean, as far as that is known. */
  readonly progress: CassProgress;
  /** What the server found in its memory; with the first of a chat, on some servers. */
  readonly memories?: CassMemories;
  readonly timestamp?: string;
}

/** What the tool loop does. */
export interface CassDebugEvent {
  readonly type: "debug";
  /** The server's words. */
  readonly message: string;
  /** What they mean, as far as that is known. */
  readonly debug: CassDebug;
  readonly timestamp?: string;
}

/** The whole answer, in one. */
export interface CassResponseEvent {
  readonly type: "response";
  /** Without tags, and with the indentation that the server's own `text` has lost where `raw` still has it. */
  readonly text: string;
  /** The model's reasoning: blocks that were taken out of the text. */
  readonly reasoning: readonly string[];
  readonly animations: readonly CassAnimation[];
  readonly audio?: CassAudio;
  /** Found in what the server has stored, after the connection was lost: without audio, and without `message`. */
  readonly recovered?: true;
  /** As it came. */
  readonly message?: ResponseFrame;
}

/** What a Cass turn yields, in order. Only the last one has text. */
export type CassEvent = CassThinkingEvent | CassDebugEvent | CassResponseEvent;

export interface CassUsage extends Usage {
  readonly cacheReadTokens?: number;
}

/** What a Cass turn ends with. */
export interface CassResult extends TurnResult {
  /** Where it was stored. Null where nothing was; absent for a demo. */
  readonly conversationId?: string | null;
  readonly reasoning: readonly string[];
  readonly animations: readonly CassAnimation[];
  readonly audio?: CassAudio;
  /** Tools that the model still wanted to use when it had to end. */
  readonly toolUses: readonly CassToolUse[];
  readonly usage?: CassUsage;
  /** Such as `anthropic`. */
  readonly provider?: string;
  readonly model?: string;
  readonly recovered?: true;
  /** The response as it came, with all that the agent noted besides. */
  readonly message?: ResponseFrame;
}

/** The part of a result that is not in the event. */
export type ReplyDetails = Omit<CassResult, keyof CassResponseEvent | "truncated">;

/** A reply to a turn: its event, and the rest of its result. */
export interface Reply {
  readonly event: CassResponseEvent;
  readonly details: ReplyDetails;
  readonly warning?: string;
}

export function textOf(event: CassEvent): string {
  return event.type === "response" ? event.text : "";
}

/** What a message in the middle of a turn means for it. */
export function progressEvent(message: Thinking | Debug): CassEvent {
  const timestamp = given("timestamp", message.timestamp);
  if (message.type === "thinking") {
    const { status, memories } = message;
    const progress = readProgress(status);
    return { type: "thinking", status, progress, ...given("memories", memories), ...timestamp };
  }
  return { type: "debug", message: message.message, debug: readDebug(message.message), ...timestamp };
}

/** What the response means for its turn. */
export function replyOf(message: ResponseFrame): Reply {
  const { text, reasoning, animations } = readReply(message);
  const sound = typeof message.audio === "string" ? message.audio : undefined;
  const audio = sound === undefined ? undefined : audioFromBase64(sound, message.audio_format);
  const broken = sound !== undefined && audio === undefined;
  return {
    event: { type: "response", text, reasoning, animations, ...given("audio", audio), message },
    details: {
      ...(message.conversation_id === undefined ? {} : { conversationId: message.conversation_id }),
      toolUses: message.tool_uses ?? [],
      ...usageOf(
        message.input_tokens ?? message.inputTokens,
        message.output_tokens ?? message.outputTokens,
        message.cache_read_tokens,
      ),
      ...given("provider", message.provider),
      ...given("model", message.model),
    },
    ...(broken ? { warning: "the audio of a response is not base64, and is left out" } : {}),
  };
}

/** The reply in a response that was found where the server keeps it. */
export function recoveredReply(found: ResponseFrame): Reply {
  const { event, details } = replyOf(found);
  const { message: _, ...shown } = event;
  return { event: { ...shown, recovered: true }, details };
}

function usageOf(
  input: number | null | undefined,
  output: number | null | undefined,
  cached: number | null | undefined,
): { readonly usage?: CassUsage } {
  const usage: CassUsage = {
    ...given("inputTokens", input),
    ...given("outputTokens", output),
    ...given("cacheReadTokens", cached),
  };
  return Object.keys(usage).length === 0 ? {} : { usage };
}
