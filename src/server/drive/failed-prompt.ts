// Small sessions of the relay itself: for a prompt without a turn, and for what has befallen the chat.
import { readPrompt } from "../../chat/prompt.ts";
import type { PromptInput } from "../../core/turn/prompt-input.ts";
import type {
  ContentPart,
  DataOf,
  ErrorData,
  UniversalEvent,
  UniversalEventType,
} from "../../universal/events.ts";
import type { RelayWish } from "../wire/command.ts";

export interface FailedPrompt {
  readonly key: string;
  /** Undefined: an earlier message is its prompt. */
  readonly input: string | PromptInput | undefined;
  readonly status: "failed" | "cancelled";
  readonly error: Pick<ErrorData, "message" | "code" | "details" | "retryable">;
}

/** The name of the protocol in these sessions. */
const PROTOCOL = "agentwire-relay";

type Tell = <Type extends UniversalEventType>(type: Type, data: DataOf<Type>) => void;

/** A turn with the user's message, and why there is no more: it was withdrawn, refused, or its fate is unknown. */
export function failedPrompt(
  { key, input, status, error }: FailedPrompt,
  sessionId: string,
  time: string,
): readonly UniversalEvent[] {
  const turn_id = "trn_1";
  return session(sessionId, time, (tell) => {
    tell("turn.started", { phase: "started", turn_id, metadata: { prompt_id: key } });
    if (input !== undefined) {
      const ids = { item_id: "itm_1", native_item_id: null, parent_id: null } as const;
      const item = { ...ids, kind: "message", role: "user", content: contentOf(input) } as const;
      tell("item.started", { item: { ...item, status: "in_progress" } });
      tell("item.completed", { item: { ...item, status: "completed" } });
    }
    tell("error", { ...error, turn_id });
    tell("turn.ended", { phase: "ended", turn_id, metadata: { status } });
  });
}

/** Says that the turn before was cancelled because its events could not be kept. */
export function logLost(sessionId: string, time: string): readonly UniversalEvent[] {
  const message = "The server could not write the chat down, and stopped the agent.";
  return session(sessionId, time, (tell) =>
    tell("error", { message, code: "relay.log-lost", details: null }),
  );
}

function session(sessionId: string, time: string, body: (tell: Tell) => void): readonly UniversalEvent[] {
  const events: UniversalEvent[] = [];
  const tell: Tell = (type, data) => {
    const sequence = events.length + 1;
    const ids = {
      event_id: `evt_${sequence}`,
      sequence,
      time,
      session_id: sessionId,
      native_session_id: null,
    };
    const event = { ...ids, synthetic: true, source: "daemon", type, data, raw: null } as const;
    events.push(event as UniversalEvent); // TypeScript cannot see that `data` fits `type`
  };
  tell("session.started", { metadata: { protocol: PROTOCOL } });
  body(tell);
  tell("session.ended", { reason: "completed", terminated_by: "daemon" });
  return events;
}

/** The input of a prompt in the inbox. Undefined for one that repeats an earlier prompt. */
export function promptInputOf(wish: RelayWish): FailedPrompt["input"] {
  return wish.type === "prompt" || wish.type === "edit" ? wish.input : undefined;
}

function contentOf(input: string | PromptInput): readonly ContentPart[] {
  const { text, images, files } = readPrompt(input);
  return [
    { type: "text", text },
    ...images.map(({ url, mediaType }): ContentPart => ({ type: "image", path: url, mime: mediaType })),
    ...files.map((path): ContentPart => ({ type: "file_ref", path, action: "read", diff: null })),
  ];
}
