// Makes the reply of a turn and its `response` frame from the model's rounds.
import { PythonFloat } from "../server/python-json.ts";
import { spoken } from "./audio.ts";
import type { Noticed } from "./noticed.ts";
import type { CassMockSettings, CassProfileName } from "./profiles.ts";
import type { CassServerFrame, ReceivedTurn } from "./record.ts";
import type { CassTool, ScriptedUsage } from "./script.ts";
import type { CassModel } from "./store.ts";
import { type Animation, animationsOf, noticed, type TagReading, textOf } from "./tags.ts";

/** One round of the model: its text, then its tool calls. */
export interface CassRound {
  readonly text: string;
  readonly usage: ScriptedUsage;
  readonly tools: readonly CassTool[];
}

/** The facts of a turn that its reply depends on. */
export interface ReplyContext {
  readonly kind: ReceivedTurn["kind"];
  readonly model: CassModel;
  readonly profile: CassProfileName;
  readonly settings: CassMockSettings;
}

/** The reply, as the server parses the model's text. */
export interface MockCassReply {
  readonly text: string;
  readonly raw: string;
  readonly animations: readonly Animation[];
  readonly noticed: Noticed;
  readonly usage: { readonly input: number; readonly output: number; readonly cacheRead: number };
}

/** Tags that servers fail to remove from the text. */
export const LEAKS =
  " <emote:thinking> </gesture:wave> <GESTURE:wave> <memory:leak> <emote:happy:1.> <gesture:wave/>";

/** The id of a conversation that does not exist. */
const WRONG_CONVERSATION = "00000000-0000-4000-8000-00000000dead";

export function readingOf({ kind, profile, settings }: ReplyContext): TagReading {
  if (profile === "documented") return "positions";
  if (!settings.sdkMode) return "legacy";
  if (profile === "v1") return "v1";
  return profile === "relay" || kind !== "chat" ? "v2-plain" : "v2";
}

export function replyOf(rounds: readonly CassRound[], context: ReplyContext): MockCassReply {
  const reading = readingOf(context);
  const texts = rounds.map(({ text }) => text);
  const said = texts.filter((text) => text !== "");
  const last = texts.at(-1) ?? "";
  const isClaude = context.model.provider === "anthropic";
  const whole = context.profile === "v1" ? said.join("\n\n") : (said.at(-1) ?? "");
  const chosen = isClaude ? whole : last;
  const sum = (of: (usage: ScriptedUsage) => number) =>
    rounds.reduce((total, { usage }) => total + of(usage), 0);
  return {
    text: textOf(chosen, reading),
    raw: isClaude ? said.join("\n") : last,
    animations: (reading === "positions" ? [chosen] : texts).flatMap((text) => animationsOf(text, reading)),
    noticed: noticed(chosen, reading),
    usage: {
      input: sum(({ input_tokens = 1_500 }) => input_tokens),
      output: sum(({ output_tokens = 150 }) => output_tokens),
      cacheRead: sum(({ cache_read_tokens = 0 }) => cache_read_tokens),
    },
  };
}

/** Writes a `response` with the fields and the field order of the profile's server. */
export function responseFrame(
  reply: MockCassReply,
  { kind, model, profile, settings }: ReplyContext,
  conversationId: string | null,
  timestamp: string,
  tool_uses: readonly object[],
): CassServerFrame {
  const { nonFinite, audio } = settings;
  const finite = nonFinite === "none";
  const type = "response";
  const text = settings.emptyText ? "" : reply.text;
  const { raw } = reply;
  const echo = echoOf(conversationId, settings);
  const input_tokens = finite ? reply.usage.input : Number(nonFinite);
  const output_tokens = finite ? reply.usage.output : Number(nonFinite);
  const tokens = { input_tokens, output_tokens };
  const animations = reply.animations.map((animation) => {
    if (finite || animation["intensity"] === undefined) return animation;
    return { ...animation, intensity: new PythonFloat(Number(nonFinite)) };
  });
  if (kind === "demo") return { type, text, animations, ...tokens, timestamp };
  if (kind === "intro") return { type, text, animations, raw, ...echo, ...tokens, timestamp };
  if (profile === "documented") return { type, text, animations, ...tokens, ...model, ...echo, timestamp };
  if (profile === "relay") {
    const camelCase = { inputTokens: input_tokens, outputTokens: output_tokens };
    return { type, text, ...echo, ...camelCase, ...model, timestamp };
  }
  const base64 = audio === "legacy" ? null : spoken(audio) || null;
  const speech = { audio: base64, audio_format: base64 === null ? null : "mp3" };
  const first = { type, text, animations, raw, tool_uses, ...echo, ...speech, ...tokens };
  if (profile === "v1") return { ...first, timestamp, ...model };
  return { ...first, cache_read_tokens: reply.usage.cacheRead, timestamp, ...model, ...reply.noticed };
}

function echoOf(
  actual: string | null,
  { conversationEcho }: CassMockSettings,
): { conversation_id?: string | null } {
  if (conversationEcho === "missing") return {};
  return { conversation_id: { actual, wrong: WRONG_CONVERSATION, null: null }[conversationEcho] };
}
