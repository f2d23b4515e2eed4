// Checks a prompt in Codebuff's own form, and builds the request for its server.
import { fromBase64, HEAD_BASE64, imageTypeOf, isBase64 } from "../core/bytes.ts";
import { type Checks, checkFields, checks, describe, isObject } from "../core/checks.ts";
import { InvalidInputError } from "../core/errors.ts";
import { fileParts, type PromptFile } from "../core/turn/prompt-files.ts";
import { type PromptOf, readPromptInput } from "../core/turn/prompt-input.ts";
import type { CodebuffServer } from "./messages.ts";
import { type Content, chatMessages, isContentPart, plainContent, wireParts } from "./prompts/content.ts";
import { newSessionState } from "./prompts/session-state.ts";

/** All fields of a prompt in the protocol. `prompt` or `content` is required. */
export interface CodebuffPromptInput {
  /** The user's text. */
  readonly prompt?: string;
  /**
   * The parts of the user's input: text, images, files. `prompt` is added after them. Each server gets the form that it reads. `content`
   * may also hold whole messages, which only the published proxy accepts; on the original server the prompt fails with an
   * UnsupportedError.
   */
  readonly content?: Content;
  /** Unique for the life of the client. @default a random id */
  readonly promptId?: string;
  /**
   * The state that the original server returned with the last answer. The published proxy reads only its `messages`, and returns the
   * state unchanged. @default {}, on the original server `newSessionState()`
   */
  readonly sessionState?: Readonly<Record<string, unknown>>;
  /** The proxy needs the form `backend:model`, such as `openai:gpt-4`. @default the client's `model`, otherwise the server's */
  readonly model?: string;
  /** @default the client's `costMode` */
  readonly costMode?: string;
  /** @default [] */
  readonly toolResults?: readonly Readonly<Record<string, unknown>>[];
  /** @default the client's `fingerprintId` */
  readonly fingerprintId?: string;
  /** The token of this prompt. `error.input` hands back every field but this one. @default the client's `authToken` */
  readonly authToken?: string;
  readonly repoUrl?: string;
  readonly agentId?: string;
  readonly promptParams?: Readonly<Record<string, unknown>>;
}

/** The `data` of a prompt action, without the client's token. The client adds its token when it sends the prompt. */
export interface PromptActionData {
  readonly type: "prompt";
  readonly promptId: string;
  readonly prompt?: string;
  readonly content?: Content;
  readonly fingerprintId: string;
  readonly sessionState: Readonly<Record<string, unknown>>;
  readonly toolResults: readonly unknown[];
  readonly costMode: string;
  readonly model?: string;
  readonly authToken?: string;
  readonly repoUrl?: string;
  readonly agentId?: string;
  readonly promptParams?: Readonly<Record<string, unknown>>;
}

/** The client's defaults for a prompt. */
export interface PromptDefaults {
  readonly fingerprintId: string;
  readonly costMode: string;
  readonly model: string | undefined;
  readonly newPromptId: () => string;
  /** Whether the prompt may name files. @default false */
  readonly takesFiles?: boolean;
}

const FIELDS: Checks<CodebuffPromptInput> = {
  prompt: checks.text,
  content: checks.objects,
  promptId: checks.text,
  sessionState: checks.object,
  model: checks.text,
  costMode: checks.text,
  toolResults: checks.objects,
  fingerprintId: checks.text,
  authToken: checks.text,
  repoUrl: checks.string,
  agentId: checks.text,
  promptParams: checks.object,
};

const HOW_TO_PROMPT = 'Pass a string, or an object such as { prompt: "Hello" }.';

/**
 * Fills in the required fields, and leaves out optional fields without a value: servers refuse `null` for several fields.
 * @throws InvalidInputError for input that no server could answer.
 */
export function buildPrompt(
  input: PromptOf<CodebuffPromptInput>,
  defaults: PromptDefaults,
): PromptActionData {
  const given = generic(input, defaults.takesFiles ?? false) ?? (input as CodebuffPromptInput);
  if (!isObject(given as unknown))
    throw new InvalidInputError(`the prompt is ${describe(given)}.`, HOW_TO_PROMPT);
  checkFields(given, FIELDS, "prompt field");
  if (given.prompt === undefined && !given.content?.length && !hasMessages(given.sessionState)) {
    throw new InvalidInputError("the prompt has neither `prompt` nor `content`.", HOW_TO_PROMPT);
  }
  const { prompt, content, authToken, repoUrl, agentId, promptParams, model = defaults.model } = given;
  return {
    type: "prompt",
    promptId: given.promptId ?? defaults.newPromptId(),
    ...(prompt === undefined ? {} : { prompt }),
    ...(content === undefined ? {} : { content: plainContent(content) }),
    fingerprintId: given.fingerprintId ?? defaults.fingerprintId,
    sessionState: given.sessionState ?? {},
    toolResults: given.toolResults ?? [],
    costMode: given.costMode ?? defaults.costMode,
    ...(model === undefined ? {} : { model }),
    ...(authToken === undefined ? {} : { authToken }),
    ...(repoUrl === undefined ? {} : { repoUrl }),
    ...(agentId === undefined ? {} : { agentId }),
    ...(promptParams === undefined ? {} : { promptParams }),
  };
}

/** Converts a text, or the form that every client takes, to the protocol's own form. */
function generic(input: unknown, takesFiles: boolean): CodebuffPromptInput | undefined {
  const given = readPromptInput(input, {}, takesFiles);
  if (!given) return undefined;
  const { text, images = [] } = given;
  if (images.length === 0) return { prompt: text };
  const content = images.map(({ data, mediaType = shownType(data) }) => ({
    type: "image" as const,
    image: data,
    ...(mediaType === undefined ? {} : { mediaType }),
  }));
  return { prompt: text, content };
}

/** The files that a prompt names. */
export function filesIn(input: unknown): readonly string[] {
  return readPromptInput(input, {}, true)?.files ?? [];
}

/** The data with the texts of files in front of its content. @throws InvalidInputError for a file without a text */
export function withFileParts(data: PromptActionData, files: readonly PromptFile[]): PromptActionData {
  return { ...data, content: [...fileParts(files), ...(data.content ?? [])] };
}

/** The image type by its first bytes. The proxy reads an image without a type as PNG. A `data:` URL names its type. */
function shownType(data: Uint8Array | string): string | undefined {
  if (typeof data !== "string") return imageTypeOf(data);
  const head = data.slice(0, HEAD_BASE64);
  return isBase64(head) ? imageTypeOf(fromBase64(head)) : undefined;
}

/**
 * The prompt in the form that `server` reads. The proxy reads each part as a separate message. The original server takes only parts of
 * one user message, and only a complete state.
 * @throws UnsupportedError for messages that the original server does not take.
 */
export function promptFor(server: CodebuffServer, data: PromptActionData): PromptActionData {
  const { content, prompt: _, ...others } = data;
  if (server === "proxy") {
    return content?.some(isContentPart) ? { ...others, content: chatMessages(data) } : data;
  }
  const sessionState = isEmpty(data.sessionState) ? newSessionState() : data.sessionState;
  return { ...data, sessionState, ...(content ? { content: content.flatMap(wireParts) } : {}) };
}

function isEmpty(state: object): boolean {
  return Object.keys(state).length === 0;
}

/** The published proxy also answers a prompt whose only messages are in its state. */
function hasMessages(state: Readonly<Record<string, unknown>> | undefined): boolean {
  const messages = state?.["messages"];
  return Array.isArray(messages) && messages.length > 0;
}

/** The input of `init`. */
export interface CodebuffInitInput {
  /** The project. The proxy takes any object, the original server `newSessionState({ projectRoot }).fileContext`. */
  readonly fileContext: Readonly<Record<string, unknown>>;
  readonly repoUrl?: string;
  /** @default the client's `fingerprintId` */
  readonly fingerprintId?: string;
  /** @default the client's `authToken` */
  readonly authToken?: string;
}

const INIT_FIELDS: Checks<CodebuffInitInput> = {
  fileContext: checks.object,
  repoUrl: checks.string,
  fingerprintId: checks.text,
  authToken: checks.text,
};

/** The `data` of an init action. */
interface InitData extends Omit<CodebuffInitInput, "fingerprintId"> {
  readonly type: "init";
  readonly fingerprintId: string;
}

/** @throws InvalidInputError for input that no server could take. */
export function buildInit(input: CodebuffInitInput, usualFingerprintId: string): InitData {
  if (checks.object.holds(input)) checkFields(input, INIT_FIELDS, "init field");
  if (!checks.object.holds(input) || input.fileContext === undefined) {
    throw new InvalidInputError("`fileContext` is missing.", "Pass an object such as { fileContext: {} }.");
  }
  const { fileContext, repoUrl, authToken, fingerprintId = usualFingerprintId } = input;
  return {
    type: "init",
    fingerprintId,
    fileContext,
    ...(repoUrl === undefined ? {} : { repoUrl }),
    ...(authToken === undefined ? {} : { authToken }),
  };
}

/**
 * Strict JSON. `JSON.stringify` alone would silently write null for a number that is not finite.
 * @throws InvalidInputError for numbers that are not finite, cycles and bigints. The message names the problem.
 */
export function toJson(value: object, what: string): string {
  try {
    return JSON.stringify(value, (key, field: unknown) => {
      if (typeof field === "number" && !Number.isFinite(field))
        throw new RangeError(`\`${key}\` is ${field}`);
      return field;
    });
  } catch (cause) {
    const [why] = (cause instanceof Error ? cause.message : String(cause)).split("\n"); // V8 shows a cycle over many lines
    throw new InvalidInputError(`${what} cannot be written as JSON: ${why}.`, "Send JSON values only.", {
      cause,
    });
  }
}
