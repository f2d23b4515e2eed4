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

/** What a Cass prompt says. */
export interface CassPromptInput {
  /** What the user says; not blank, unless the option `allowEmpty` is set. */
  readonly message: string;
  /**
   * The conversation that it belongs to. Without one the server decides: a newer one takes the single continuous
   * conversation of its user, an older one keeps nothing.
   */
  readonly conversationId?: string;
  /** Only models of `anthropic` see it; nothing acknowledges it. */
  readonly image?: CassImage;
}

/** What the agent is told of a user in onboarding. */
export interface CassProfile {
  readonly relationship?: string;
  readonly background?: { readonly context?: string };
  readonly communication?: { readonly style?: string };
  readonly values?: readonly string[];
  /** Only as a documented server has it. */
  readonly display_name?: string;
}

/** Asks the agent to introduce itself to a user. */
export interface CassIntroInput {
  /** The connection is this user's from then on. A user other than the one signed in needs `allowForeignUser`. */
  readonly userId: string;
  /** Where it is stored. Null for none, which only a documented server takes. */
  readonly conversationId: string | null;
  /** Ignored by the real servers. */
  readonly profile?: CassProfile;
  /** Allows a user other than the one signed in, for apps that onboard users for others. @default false: the server does not check */
  readonly allowForeignUser?: boolean;
}

/** Asks the agent for a demonstration: without `message` for its beginning, with one for what it answers. */
export interface CassDemoInput {
  readonly userId: string;
  readonly message?: string;
  readonly profile?: CassProfile;
  /** As in {@link CassIntroInput}. */
  readonly allowForeignUser?: boolean;
}

/** One checked request for a turn. `frame` adds the conversation and the picture, which are known only when the turn is sent. */
export interface CassRequest {
  readonly kind: "chat" | "intro" | "demo";
  /** What the user says; a lost reply is found by it. */
  readonly message?: string | undefined;
  /** The connection is this user's afterwards. */
  readonly userId?: string;
  readonly conversationId?: string | undefined;
  readonly image?: WireImage | (() => Promise<WireImage>) | undefined;
  readonly frame: (conversationId: string | undefined, image: WireImage | undefined) => string;
  /** Bytes of the frame, as far as they are known. */
  readonly bytes: number;
}

export interface PromptLimits {
  readonly maxSendBytes: number;
  readonly maxImageBytes: number;
  readonly allowEmpty: boolean;
}

const HOW_TO_PROMPT = 'Pass a string, or an object such as { message: "Hello" }.';

/** An id that is still to come: of a UUID's length. */
const UNKNOWN_ID = "x".repeat(36);

const CHAT: Checks<CassPromptInput> = {
  message: checks.string,
  conversationId: checks.text,
  image: { expects: "an object, such as { data: bytes }", holds: isObject },
};

/** What a server is known to read of a profile; the rest goes to it as it is. */
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
  profile: checks.object, // null would take the connection down
  allowForeignUser: checks.boolean,
};

const INTRO = {
  ...ONBOARDING,
  conversationId: { expects: "an id or null", holds: (value) => value === null || checks.text.holds(value) },
} satisfies Record<string, Check>;

const DEMO = { ...ONBOARDING, message: checks.text };

/** @throws InvalidInputError for what kills the server, or what it drops; PayloadTooLargeError for too large a frame */
export function buildChat(input: PromptOf<CassPromptInput>, limits: PromptLimits): CassRequest {
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

/** A text, or the form that every client takes, in the protocol's own. */
function generic(input: unknown): CassPromptInput | undefined {
  const given = readPromptInput(input);
  if (!given) return undefined;
  const [image, second] = given.images ?? [];
  if (second)
    throw new UnsupportedError("a Cass prompt takes one picture.", "Send the others with further prompts.");
  // Its type is checked with the picture.
  return { message: given.text, ...(image ? { image: image as CassImage } : {}) };
}

/** Characters that the names and the type of an image take in a frame, at most. */
const IMAGE_FIELDS = 48;

/** @throws InvalidInputError for what a server answers with an error, or what kills it. */
export function buildIntro(input: CassIntroInput, maxSendBytes: number): CassRequest {
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

/** @throws InvalidInputError for what a server answers with an error, or what kills it. */
export function buildDemo(input: CassDemoInput, maxSendBytes: number): CassRequest {
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

/** The frame is written later: by then the caller may have changed the profile. */
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

function sized(maxSendBytes: number, imageBytes: number, request: Omit<CassRequest, "bytes">): CassRequest {
  const id = request.kind === "demo" ? undefined : (request.conversationId ?? UNKNOWN_ID);
  const bytes = utf8Length(request.frame(id, undefined)) + imageBytes;
  checkSize(bytes, maxSendBytes);
  return { ...request, bytes };
}

/** @throws PayloadTooLargeError for a frame over which the server would end the connection. */
export function checkSize(bytes: number, limit: number): void {
  if (bytes <= limit) return;
  const message = `the prompt takes ${bytes} bytes, and the server takes ${limit}; send less`;
  throw new PayloadTooLargeError(message, { bytes, limit });
}
