// Pure: the events and the result of a turn, from the server's messages.
import type { TurnResult } from "../core/turn/turn.ts";
import type { Usage } from "../core/values.ts";
import { audioFromBase64, type CassAudio } from "./audio.ts";
import { type CassMemories, type Debug, givenField, type Thinking } from "./messages.ts";
import { type CassDebug, type CassProgress, readDebug, readProgress } from "./progress.ts";
import type { CassToolUse, ResponseFrame } from "./response.ts";
import { type CassAnimation, readReply } from "./tags/animations.ts";

/** The progress of the turn. */
export interface CassThinkingEvent {
  readonly type: "thinking";
  /** The server's text. */
  readonly status: string;
  /** The meaning of the text, as far as known. */
  readonly progress: CassProgress;
  /** The results of the server's memory search. Only with the first event of a chat, on some servers. */
  readonly memories?: CassMemories;
  readonly timestamp?: string;
}

/** A step of the tool loop. */
interface CassDebugEvent {
  readonly type: "debug";
  /** The server's text. */
  readonly message: string;
  /** The meaning of the text, as far as known. */
  readonly debug: CassDebug;
  readonly timestamp?: string;
}

/** The whole answer. */
export interface CassResponseEvent {
  readonly type: "response";
  /** Without tags. With the indentation, which the server's own `text` has lost, if `raw` still has it. */
  readonly text: string;
  /** The model's reasoning: blocks that were removed from the text. */
  readonly reasoning: readonly string[];
  readonly animations: readonly CassAnimation[];
  readonly audio?: CassAudio;
  /** The reply was found in the server's stored messages after the connection was lost. Has no audio and no `message`. */
  readonly recovered?: true;
  /** The server's message, unchanged. */
  readonly message?: ResponseFrame;
}

/** The events of a Cass turn, in order. Only the last event has text. */
export type CassEvent = CassThinkingEvent | CassDebugEvent | CassResponseEvent;

export interface CassUsage extends Usage {
  readonly cacheReadTokens?: number;
}

/** The result of a Cass turn. */
export interface CassResult extends TurnResult {
  /** The conversation that stores the answer. Null if nothing was stored; absent for a demo. */
  readonly conversationId?: string | null;
  /** The model's reasoning, block by block. */
  readonly reasoning: readonly string[];
  /** Gestures and emotes, in the order of the text where that is known. */
  readonly animations: readonly CassAnimation[];
  /** Speech that came along with the answer. */
  readonly audio?: CassAudio;
  /** Tools that the model still wanted to use at its forced end. */
  readonly toolUses: readonly CassToolUse[];
  /** Of all rounds. */
  readonly usage?: CassUsage;
  /** Whose model answered, such as `anthropic`. */
  readonly provider?: string;
  /** The model that answered. */
  readonly model?: string;
  /** The reply was found again after its connection was lost. */
  readonly recovered?: true;
  /** The response, unchanged, with the agent's further notes. */
  readonly message?: ResponseFrame;
}

/** The part of a result that is not in the event. */
export type ReplyDetails = Omit<CassResult, keyof CassResponseEvent | "truncated">;

/** A reply to a turn: its event, and the rest of its result. */
export interface CassTurnReply {
  readonly event: CassResponseEvent;
  readonly details: ReplyDetails;
  readonly warning?: string;
}

export function textOfEvent(event: CassEvent): string {
  return event.type === "response" ? event.text : "";
}

/** The event of a message in the middle of a turn. */
export function progressEvent(message: Thinking | Debug): CassEvent {
  const timestamp = givenField("timestamp", message.timestamp);
  if (message.type === "thinking") {
    const { status, memories } = message;
    const progress = readProgress(status);
    return { type: "thinking", status, progress, ...givenField("memories", memories), ...timestamp };
  }
  return { type: "debug", message: message.message, debug: readDebug(message.message), ...timestamp };
}

/** The reply in a response. */
export function replyIn(message: ResponseFrame): CassTurnReply {
  const { text, reasoning, animations } = readReply(message);
  const sound = typeof message.audio === "string" ? message.audio : undefined;
  const audio = sound === undefined ? undefined : audioFromBase64(sound, message.audio_format);
  const broken = sound !== undefined && audio === undefined;
  return {
    event: { type: "response", text, reasoning, animations, ...givenField("audio", audio), message },
    details: {
      ...(message.conversation_id === undefined ? {} : { conversationId: message.conversation_id }),
      toolUses: message.tool_uses ?? [],
      ...usageOf(
        message.input_tokens ?? message.inputTokens,
        message.output_tokens ?? message.outputTokens,
        message.cache_read_tokens,
      ),
      ...givenField("provider", message.provider),
      ...givenField("model", message.model),
    },
    ...(broken ? { warning: "the audio of a response is not base64, and is left out" } : {}),
  };
}

/** The reply in a stored response. */
export function recoveredReply(found: ResponseFrame): CassTurnReply {
  const { event, details } = replyIn(found);
  const { message: _, ...shown } = event;
  return { event: { ...shown, recovered: true }, details };
}

function usageOf(
  input: number | null | undefined,
  output: number | null | undefined,
  cached: number | null | undefined,
): { readonly usage?: CassUsage } {
  const usage: CassUsage = {
    ...givenField("inputTokens", input),
    ...givenField("outputTokens", output),
    ...givenField("cacheReadTokens", cached),
  };
  return Object.keys(usage).length === 0 ? {} : { usage };
}
