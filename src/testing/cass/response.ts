// Makes the frame with a whole answer.
import { PythonFloat } from "../server/python-json.ts";
import { spoken } from "./audio.ts";
import type { CassModel } from "./models.ts";
import type { Noticed } from "./noticed.ts";
import type { ProfileName, Settings } from "./profiles.ts";
import type { ReceivedTurn } from "./record.ts";
import type { CassServerFrame } from "./server-frame.ts";
import type { Animation } from "./tags.ts";

/** What the model has said, as the server reads it. */
export interface Reply {
  readonly text: string;
  readonly raw: string;
  readonly animations: readonly Animation[];
  readonly noticed: Noticed;
  readonly toolUses: readonly object[];
  readonly usage: { readonly input: number; readonly output: number; readonly cacheRead: number };
}

export interface ResponseParts {
  readonly reply: Reply;
  readonly kind: ReceivedTurn["kind"];
  readonly conversationId: string | null;
  readonly model: CassModel;
  readonly timestamp: string;
  readonly profile: ProfileName;
  readonly settings: Settings;
}

/** A conversation that there is not. */
const WRONG_CONVERSATION = "00000000-0000-4000-8000-00000000dead";

/** A `response` with the fields of its server, in its order. */
export function responseFrame(parts: ResponseParts): CassServerFrame {
  const { reply, kind, model, timestamp, profile, settings } = parts;
  const type = "response";
  const text = settings.emptyText ? "" : reply.text;
  const echo = echoOf(parts);
  const tokens = tokensOf(reply, settings);
  const animations = reply.animations.map((animation) => inFigures(animation, settings));
  if (kind === "demo") return { type, text, animations, ...tokens, timestamp };
  if (kind === "intro") return { type, text, animations, raw: reply.raw, ...echo, ...tokens, timestamp };
  switch (profile) {
    case "documented":
      return { type, text, animations, ...tokens, ...model, ...echo, timestamp };
    case "relay":
      return {
        type,
        text,
        ...echo,
        inputTokens: tokens.input_tokens,
        outputTokens: tokens.output_tokens,
        ...model,
        timestamp,
      };
    case "v1":
    case "v2": {
      const newer = profile === "v2";
      return {
        type,
        text,
        animations,
        raw: reply.raw,
        tool_uses: reply.toolUses,
        ...echo,
        ...audioOf(settings),
        ...tokens,
        ...(newer ? { cache_read_tokens: reply.usage.cacheRead } : {}),
        timestamp,
        ...model,
        ...(newer ? reply.noticed : {}),
      };
    }
  }
}

function echoOf({ conversationId, settings }: ResponseParts): { readonly conversation_id?: string | null } {
  switch (settings.conversationEcho) {
    case "actual":
      return { conversation_id: conversationId };
    case "wrong":
      return { conversation_id: WRONG_CONVERSATION };
    case "null":
      return { conversation_id: null };
    case "missing":
      return {};
  }
}

function tokensOf({ usage }: Reply, { nonFinite }: Settings) {
  if (nonFinite === "none") return { input_tokens: usage.input, output_tokens: usage.output };
  return { input_tokens: Number(nonFinite), output_tokens: Number(nonFinite) };
}

function inFigures(animation: Animation, { nonFinite }: Settings): Animation {
  if (nonFinite === "none" || animation["intensity"] === undefined) return animation;
  return { ...animation, intensity: new PythonFloat(Number(nonFinite)) };
}

function audioOf({ audio }: Settings): {
  readonly audio: string | null;
  readonly audio_format: string | null;
} {
  switch (audio) {
    case "inline":
    case "huge":
    case "malformed":
      return { audio: spoken(audio), audio_format: "mp3" };
    case "none":
    case "url":
    case "legacy":
      return { audio: null, audio_format: null };
  }
}
