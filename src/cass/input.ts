// Checks a prompt, an introduction or a demonstration, and builds its request.
import {
  type Check,
  type Checks,
  checkFields,
  checks,
  checkValues,
  describe,
  isObject,
  type Only,
} from "../core/checks.ts";
import { InvalidInputError, PayloadTooLargeError, UnsupportedError } from "../core/errors.ts";
import { utf8Length, wellFormed } from "../core/text.ts";
import { type PromptOf, readPromptInput } from "../core/turn/prompt-input.ts";
import { type CassImage, checkImage } from "./image.ts";
import { encode, type WireImage } from "./messages.ts";

/** A Cass prompt. */
export interface CassPromptInput {
  /** The user's text; not blank, unless the option `allowEmpty` is set. */
  readonly message: string;
  /**
   * The id of the conversation. Without an id the server decides: a newer server uses the user's single continuous conversation, an
   * older server stores nothing.
   */
  readonly conversationId?: string;
  /**
   * Only models of `anthropic` see the image. The server does not acknowledge it. The image is checked before it is sent: if the model's
   * provider refuses an image, the connection is lost.
   */
  readonly image?: CassImage;
}

/** Facts about a user for the agent, in onboarding. Real servers read them only in a demonstration. */
interface CassProfile {
  readonly relationship?: string;
  readonly background?: { readonly context?: string };
  readonly communication?: { readonly style?: string };
  readonly values?: readonly string[];
  /** Only in the documented protocol. */
  readonly display_name?: string;
}

/** Asks the agent to introduce itself to a user. */
export interface CassIntroInput {
  /** The connection belongs to this user from then on. A user who is not signed in needs `allowForeignUser`. */
  readonly userId: string;
  /** The conversation that stores the introduction. Null: none, which only the documented protocol allows. */
  readonly conversationId: string | null;
  /** Ignored by the real servers. */
  readonly profile?: CassProfile;
  /** Allows a user who is not signed in, for apps that onboard users for others. @default false: the server does not check the user */
  readonly allowForeignUser?: boolean;
}

/** Asks the agent for a demonstration. Without `message`, the demonstration begins; with one, the agent answers the message. */
export interface CassDemoInput {
  readonly userId: string;
  readonly message?: string;
  readonly profile?: CassProfile;
  /** As in {@link CassIntroInput}. */
  readonly allowForeignUser?: boolean;
}

/** One checked request for a turn. `frame` adds the conversation and the image, which are known only when the turn is sent. */
export interface CassTurnRequest {
  readonly kind: "chat" | "intro" | "demo";
  /** The user's text. A search for a lost reply uses the text. */
  readonly message?: string | undefined;
  /** The connection belongs to this user afterwards. */
  readonly userId?: string;
  readonly conversationId?: string | undefined;
  readonly image?: WireImage | (() => Promise<WireImage>) | undefined;
  readonly frame: (conversationId: string | undefined, image: WireImage | undefined) => string;
  /** Bytes of the frame, as far as known. */
  readonly bytes: number;
}

export interface PromptLimits {
  readonly maxSendBytes: number;
  readonly maxImageBytes: number;
  readonly allowEmpty: boolean;
}

const HOW_TO_PROMPT = 'Pass a string, or an object such as { message: "Hello" }.';

/** A placeholder for an unknown id, as long as a UUID. */
const UNKNOWN_ID = "x".repeat(36);

const CHAT: Checks<CassPromptInput> = {
  message: checks.string,
  conversationId: checks.text,
  image: { expects: "an object, such as { data: bytes }", holds: isObject },
};

/** The fields of a profile that servers are known to read. Other fields are sent unchanged. */
const PROFILE: Checks<CassProfile> = {
  relationship: checks.string,
  background: checks.object,
  communication: checks.object,
  values: {
    expects: "an array of strings",
    holds: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
  },
  display_name: checks.string,
};

const ONBOARDING = {
  userId: checks.text,
  profile: checks.object, // null would end the connection
  allowForeignUser: checks.boolean,
};

const INTRO = {
  ...ONBOARDING,
  conversationId: { expects: "an id or null", holds: (value) => value === null || checks.text.holds(value) },
} satisfies Record<string, Check>;

const DEMO = { ...ONBOARDING, message: checks.text };

/**
 * @throws InvalidInputError for input that crashes the server or that the server drops; PayloadTooLargeError for a frame that is too
 * large
 */
export function buildChat(input: PromptOf<CassPromptInput>, limits: PromptLimits): CassTurnRequest {
  const given = generic(input) ?? (input as CassPromptInput);
  if (!isObject(given as unknown))
    throw new InvalidInputError(`the prompt is ${describe(given)}.`, HOW_TO_PROMPT);
  checkFields(given, CHAT, "prompt field");
  if ((given.message as unknown) === undefined)
    throw new InvalidInputError("the prompt has no `message`.", HOW_TO_PROMPT);
  if (given.message.trim() === "" && !limits.allowEmpty) {
    const hint =
      "Say something, or set `allowEmpty` in the options, the second argument: the model would get it as it is.";
    throw new InvalidInputError(`the prompt is ${describe(given.message)}.`, hint);
  }
  const image = given.image === undefined ? undefined : checkImage(given.image, limits.maxImageBytes);
  const message = wellFormed(given.message);
  return sized(limits.maxSendBytes, image === undefined ? 0 : image.size + IMAGE_FIELDS, {
    kind: "chat",
    message,
    conversationId: given.conversationId === undefined ? undefined : wellFormed(given.conversationId),
    image: image?.wire,
    frame: (id, wire) => encode.chat(message, id, wire),
  });
}

/** Converts a text, or the form that every client takes, to the protocol's own form. */
function generic(input: unknown): CassPromptInput | undefined {
  const given = readPromptInput(input);
  if (!given) return undefined;
  const [image, second] = given.images ?? [];
  if (second)
    throw new UnsupportedError("a Cass prompt takes one picture.", "Send the others with further prompts.");
  // `checkImage` checks the type.
  return { message: given.text, ...(image ? { image: image as CassImage } : {}) };
}

/** Upper bound on the characters for the names and the type of an image in a frame. */
const IMAGE_FIELDS = 48;

/** @throws InvalidInputError for input that a server answers with an error, or that crashes the server. */
export function buildIntro(input: CassIntroInput, maxSendBytes: number): CassTurnRequest {
  const { userId, profile } = checkOnboarding(input, INTRO);
  if ((input.conversationId as unknown) === undefined) {
    throw new InvalidInputError(
      "the introduction has no `conversationId`.",
      "Make a conversation with `client.rest.newConversation()`; or pass null, which only a documented server takes.",
    );
  }
  const conversationId = input.conversationId ?? undefined;
  const frame = (id: string | undefined): string => encode.intro(userId, id, profile);
  return sized(maxSendBytes, 0, { kind: "intro", message: undefined, userId, conversationId, frame });
}

/** @throws InvalidInputError for input that a server answers with an error, or that crashes the server. */
export function buildDemo(input: CassDemoInput, maxSendBytes: number): CassTurnRequest {
  const { userId, profile } = checkOnboarding(input, DEMO);
  const message = input.message === undefined ? undefined : wellFormed(input.message);
  const frame = (): string => encode.demo(userId, message, profile);
  return sized(maxSendBytes, 0, { kind: "demo", message, userId, frame });
}

function checkOnboarding<Input extends CassIntroInput | CassDemoInput, Table extends Checks<Input>>(
  input: Input,
  expected: Table & Only<Input, Table>,
): { readonly userId: string; readonly profile: object | undefined } {
  const how = 'Pass an object such as { userId: "..." }.';
  if (!isObject(input as unknown)) throw new InvalidInputError(`the input is ${describe(input)}.`, how);
  checkFields<Input, Table>(input, expected, "field");
  const { userId, profile } = input;
  if ((userId as unknown) === undefined) throw new InvalidInputError("the `userId` is missing.", how);
  if (profile === undefined) return { userId, profile };
  checkValues(profile, PROFILE, "field profile.");
  checkValues(profile.background ?? {}, { context: checks.string }, "field profile.background.");
  checkValues(profile.communication ?? {}, { style: checks.string }, "field profile.communication.");
  return { userId, profile: copyOf(profile) };
}

/** Copies the profile: the frame is written later, and the caller may have changed the profile by then. */
function copyOf(profile: CassProfile): object {
  try {
    return JSON.parse(JSON.stringify(profile), (_, value: unknown) =>
      typeof value === "string" ? wellFormed(value) : value,
    );
  } catch (cause) {
    const hint = "It travels as JSON: no BigInt, nothing that holds itself.";
    throw new InvalidInputError("field `profile` cannot be sent.", hint, { cause });
  }
}

function sized(
  maxSendBytes: number,
  imageBytes: number,
  request: Omit<CassTurnRequest, "bytes">,
): CassTurnRequest {
  const id = request.kind === "demo" ? undefined : (request.conversationId ?? UNKNOWN_ID);
  const bytes = utf8Length(request.frame(id, undefined)) + imageBytes;
  checkSize(bytes, maxSendBytes);
  return { ...request, bytes };
}

/** @throws PayloadTooLargeError for a frame so large that the server would end the connection. */
export function checkSize(bytes: number, limit: number): void {
  if (bytes <= limit) return;
  const message = `the prompt takes ${bytes} bytes, and the server takes ${limit}; send less`;
  throw new PayloadTooLargeError(message, { bytes, limit });
}
