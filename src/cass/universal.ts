// Translates Cass's events into universal events; the source of a Cass server for chats.
import { checkCallOptions, checks, isObject } from "../core/checks.ts";
import type { AnyConversation, AnyTurn } from "../core/client/any-client.ts";
import { type AnyAgentwireError, isAgentwireError } from "../core/errors.ts";
import { Recent } from "../core/recent.ts";
import type { Session } from "../universal/engine/session.ts";
import type { ContentPart, ErrorData, UniversalUsage } from "../universal/events.ts";
import type { UserInput } from "../universal/facts.ts";
import { attach } from "../universal/listen/attach.ts";
import { imageOf } from "../universal/listen/user-input.ts";
import type { Binding, CompletedFacts, FailedFacts, Mapping, Opened } from "../universal/mapping.ts";
import type { AgentSource, UniversalOptions, UniversalStream } from "../universal/stream.ts";
import { audioPath, type CassAudio } from "./audio.ts";
import { CassClient } from "./client.ts";
import { CassTurnError, cassTurnError } from "./errors.ts";
import type { CassIdentity, CassStrayMessage, CassTitle } from "./events.ts";
import type { CassClientOptions } from "./options.ts";
import type { ResponseFrame } from "./response.ts";
import {
  type CassEvent,
  type CassResponseEvent,
  type CassResult,
  type CassUsage,
  progressEvent,
  replyIn,
} from "./turn.ts";

/** Options of `toUniversal` for Cass. */
export interface CassUniversalOptions extends UniversalOptions {
  /**
   * Makes tool calls of the words `Executing: a, b...`, instead of a status. The calls have no input and no output, and count as done at
   * the next message. @default false: the server reports its tools only in words
   */
  readonly inferTools?: boolean;
  /** Whether the steps of the tool loop are statuses `debug`. @default false: they are for developers of the server */
  readonly includeDebug?: boolean;
}

/** Titles of conversations that are kept until the conversation of the session is known. */
const MAX_TITLES = 16;

type Settings = Required<Pick<CassUniversalOptions, "inferTools" | "includeDebug">>;

/** What the client tells besides the events of turns. */
export type CassNotice =
  | { readonly name: "authenticated"; readonly value: CassIdentity }
  | { readonly name: "title"; readonly value: CassTitle }
  | { readonly name: "system"; readonly value: { readonly message: string } }
  | { readonly name: "audio"; readonly value: CassAudio }
  | { readonly name: "serverError"; readonly value: { readonly message: string } }
  | { readonly name: "unknownMessage"; readonly value: unknown };

/** Notes of the agent that come with a response. */
const EXTRAS = [
  "self_observations",
  "user_observations",
  "marks",
  "holds",
  "notes",
  "intentions",
  "stakes",
  "tests",
  "narrations",
  "milestones",
  "tool_uses",
] as const satisfies readonly (keyof ResponseFrame)[];

/**
 * Cass's events as universal events. The text is the client's: without tags. The reasoning that was in the tags is an item before the
 * reply.
 */
export class CassMapping implements Mapping<CassEvent, CassResult> {
  readonly protocol = "cass-ws";
  readonly asksOnWire = false;
  readonly errorPrefix = "cass";
  readonly #settings: Settings;
  #conversationId: string | undefined;
  /** Titles that came before the conversation was known. */
  readonly #titles = new Recent<string, string>(MAX_TITLES);
  /** The item of the last reply: late speech belongs to it. */
  #reply: string | null = null;
  /** Inferred calls that are not over. */
  #tools: string[] = [];
  #toolCount = 0;
  /** The last refusal of a connection that was reported: each attempt fails with the same one. */
  #refusal: string | undefined;

  constructor({ inferTools = false, includeDebug = false }: Partial<Settings> = {}) {
    this.#settings = { inferTools, includeDebug };
  }

  began(): void {
    this.#tools = [];
  }

  event(event: CassEvent, session: Session): void {
    this.#endTools(session);
    switch (event.type) {
      case "thinking": {
        const { status, memories, progress } = event;
        if (this.#settings.inferTools && progress.kind === "tools") this.#infer(progress.tools, session);
        else session.status("thinking", status, memories === undefined ? {} : { json: { memories } });
        return;
      }
      case "debug":
        if (this.#settings.includeDebug) session.status("debug", event.message);
        return;
      case "response":
        this.#respond(event, session);
        return;
      default:
        event satisfies never;
    }
  }

  /** A response of the server's own accord is a turn. Nothing tells which conversation other messages belong to. */
  stray(event: CassEvent, session: Session): void {
    const isMine =
      event.type === "response" &&
      this.#conversationId !== undefined &&
      event.message?.conversation_id === this.#conversationId;
    if (!isMine) {
      session.late++;
      return;
    }
    this.event(event, session);
    session.end({ metadata: { status: "completed" }, stated: "agent", reason: "cancelled" });
  }

  rawOf(event: CassEvent): unknown {
    if (event.type === "response") return event.message ?? null;
    const { progress: _, debug: __, ...message } = { progress: undefined, debug: undefined, ...event };
    return message; // without what the client has read in it
  }

  rawOfNotice(name: string, value: unknown): unknown {
    return name === "unknownMessage" ? value : null; // the others are no messages any more
  }

  notice(name: string, value: unknown, session: Session): void {
    const notice = { name, value } as CassNotice; // only the binding below makes notices
    switch (notice.name) {
      case "authenticated":
        this.#refusal = undefined;
        session.beside("connection.auth", null);
        return;
      case "title":
        this.#onTitle(notice.value, session);
        return;
      case "system":
        session.system(notice.value.message);
        return;
      case "audio":
        session.message([speech(notice.value)], this.#reply);
        return;
      case "serverError": {
        const { message, kind, retryable } = cassTurnError(notice.value.message);
        session.error({ message, code: "cass.error", details: { kind }, fatal: false, retryable });
        return;
      }
      case "unknownMessage":
        session.unknown(notice.value);
        return;
      default:
        notice satisfies never;
    }
  }

  completed(
    { usage, model, provider, recovered, conversationId }: CassResult,
    session: Session,
  ): CompletedFacts {
    this.#know(conversationId, session);
    return {
      metadata: {
        ...(usage ? { usage: usageOf(usage) } : {}),
        ...(model === undefined ? {} : { model }),
        ...(provider === undefined ? {} : { provider }),
        ...(recovered ? { recovered } : {}),
      },
    };
  }

  failed(error: AnyAgentwireError): FailedFacts | undefined {
    if (isAgentwireError(error, "handshake-refused")) {
      this.#refusal = error.message;
      const reason = error.reason === "initializing" ? "initializing" : "auth_error";
      return { reason, details: { reason: error.reason }, stated: "inferred" };
    }
    if (!(error instanceof CassTurnError)) return undefined;
    const details = { kind: error.kind };
    if (error.origin === "error") return { reason: "error", details };
    return { reason: "unreadable_response", details, stated: "inferred" };
  }

  lost(error: AnyAgentwireError): ErrorData | undefined {
    if (!isAgentwireError(error, "handshake-refused") || error.message === this.#refusal) return undefined;
    const { message, retryable } = error;
    const { reason = "", details = null } = this.failed(error) ?? {};
    return { message, code: `cass.${reason}`, details, fatal: !retryable, retryable };
  }

  #respond({ text, reasoning, animations, audio, message }: CassResponseEvent, session: Session): void {
    this.#know(message?.conversation_id, session);
    session.reasoning(undefined, reasoning.join("\n\n"), "inferred");
    const json: Record<string, unknown> = {};
    if (animations.length > 0) json["animations"] = animations;
    for (const name of EXTRAS) {
      const notes = message?.[name];
      if (notes && notes.length > 0) json[name] = notes;
    }
    const parts: ContentPart[] = Object.keys(json).length === 0 ? [] : [{ type: "json", json }];
    if (audio) parts.push(speech(audio));
    this.#reply = session.answer(text, parts, "agent");
  }

  #know(conversationId: string | null | undefined, session: Session): void {
    if (typeof conversationId !== "string") return;
    this.#conversationId = conversationId;
    session.known(conversationId);
    const title = this.#titles.get(conversationId);
    if (title !== undefined) session.status("title", title, { json: { conversation_id: conversationId } });
    this.#titles.clear();
  }

  /** The title of a new conversation may come before the response that names the conversation. Later titles are of no answer. */
  #onTitle({ conversationId, title }: CassTitle, session: Session): void {
    if (this.#conversationId === undefined) this.#titles.set(conversationId, title);
    else if (conversationId === this.#conversationId)
      session.beside("title", title, { conversation_id: conversationId });
  }

  #infer(tools: readonly string[], session: Session): void {
    for (const name of tools) {
      this.#toolCount++;
      const id = `inferred_${this.#toolCount}`;
      session.call({ id, nativeId: null, name, input: {} }, "inferred");
      session.startCall(id, "inferred");
      this.#tools.push(id);
    }
  }

  #endTools(session: Session): void {
    for (const id of this.#tools.splice(0))
      session.endCall(id, { output: "", parts: [] }, "done", "inferred");
  }
}

function speech(audio: CassAudio): ContentPart {
  return { type: "file_ref", path: audioPath(audio), action: "read", diff: null };
}

function usageOf({ inputTokens, outputTokens, cacheReadTokens }: CassUsage): UniversalUsage {
  return {
    ...(inputTokens === undefined ? {} : { input_tokens: inputTokens }),
    ...(outputTokens === undefined ? {} : { output_tokens: outputTokens }),
    ...(cacheReadTokens === undefined ? {} : { cache_read_tokens: cacheReadTokens }),
  };
}

function openedAs({ userId, sdkMode }: CassIdentity): Opened {
  const metadata = { user_id: userId, ...(sdkMode === undefined ? {} : { sdk_mode: sdkMode }) };
  return { metadata, isNative: userId !== null || sdkMode !== undefined };
}

/** The input of `prompt()` in Cass's own form, or of onboarding. The client has checked it. */
function inputOf(input: unknown): UserInput | undefined {
  if (!isObject(input)) return undefined;
  const { message, image } = input;
  const text = typeof message === "string" ? message : "";
  return isObject(image) ? { text, images: [imageOf(image)] } : { text };
}

function strayEvent(message: Exclude<CassStrayMessage, { readonly type: "audio" }>): CassEvent {
  return message.type === "response" ? replyIn(message).event : progressEvent(message);
}

const bindingOf = (settings: Partial<Settings>): Binding<CassClient, CassEvent, CassResult> => ({
  newMapping: () => new CassMapping(settings),
  isClient: (client) => client instanceof CassClient,
  opened: ({ identity }) => identity && openedAs(identity),
  input: inputOf,
  listen: (client, tell) => {
    const note = ({ name, value }: CassNotice, turn?: AnyTurn): void =>
      tell({ type: "notice", name, value }, turn);
    return [
      client.on("authenticated", (value) => {
        tell({ type: "opened", ...openedAs(value) });
        note({ name: "authenticated", value });
      }),
      client.on("title", (value) => note({ name: "title", value })),
      client.on("system", (value) => note({ name: "system", value })),
      client.on("audio", (value, turn) => note({ name: "audio", value }, turn)),
      client.on("serverError", (value) => note({ name: "serverError", value })),
      client.on("unknownMessage", (value) => note({ name: "unknownMessage", value })),
      client.on("stray", (message) => {
        if (message.type !== "audio") tell({ type: "stray", event: strayEvent(message) });
      }),
    ];
  },
});

/**
 * The universal events of a client, one of its turns, or a conversation. It listens, and does not pull. Attach it in the tick of
 * `prompt()`, and it misses nothing; later, `turn.started` says `attached_late`. A conversation survives a lost connection, and so does
 * its session.
 *
 * The answer is one delta. Speech that comes after the end of a prompt is told in a conversation only. An image given as a `Blob` is
 * an empty `data:` URL in the user's item, because its bytes are read later.
 * @throws InvalidInputError for any other value, and for wrong options.
 */
export function toUniversal(
  of: CassClient | AnyTurn | AnyConversation,
  options: CassUniversalOptions = {},
): UniversalStream {
  const { inferTools, includeDebug, ...universal } = options;
  checkCallOptions(
    { inferTools, includeDebug },
    { inferTools: checks.boolean, includeDebug: checks.boolean },
  );
  return attach(
    bindingOf({ ...(inferTools ? { inferTools } : {}), ...(includeDebug ? { includeDebug } : {}) }),
    of,
    universal,
  );
}

/** Cass as a source for a chat or an adapter. */
export function cass(options: CassClientOptions): AgentSource<CassClient> {
  return { name: "cass", client: () => new CassClient(options), toUniversal };
}
