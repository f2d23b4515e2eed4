// Describes a client's error in words for the user: what happened, what to do, whether to send again.
import { type Delivery, type ErrorCode, isOurs } from "../../core/agentwire-error.ts";
import { isObject } from "../../core/checks.ts";
import type { HandshakeReason } from "../../core/errors.ts";
import type { ErrorDescription, ErrorWords } from "./error-description.ts";
import { describeAs, no, quoted, quoting, unsent, waitOf } from "./error-description.ts";
import { WORDS, wordsOfKind, wordsOfReason, wordsOfStatus } from "./error-words.ts";
import { isChatStoreError } from "./store-error.ts";

/**
 * Describes an error for the user: what happened, what to do next, and whether the message may be sent again. Takes any
 * thrown value, and never throws. The text is English, without credentials. For other languages, use `code` and
 * `retry`.
 */
export function describeError(error: unknown): ErrorDescription {
  const facts = factsOf(error);
  if (facts !== undefined) return describeAs(wordsOf(facts), facts.code, facts);
  const failure = storeFactsOf(error);
  if (failure) return describeAs(wordsOfStore(failure), "store-failed");
  const { title, what, retry } = WORDS.unknown;
  return { title, detail: `${what} ${REPORT}`, retry, code: "unknown" }; // do not mention a message: perhaps none was sent
}

/** Describes a lost or failed connection. `detail` mentions no message: each message has its own error. */
export function describeConnectionError(error: unknown): ErrorDescription {
  const facts = factsOf(error);
  return { ...describeError(error), detail: (facts ? wordsOf(facts) : WORDS.unknown).what };
}

/** The words for a code of this library. Undefined for another code. */
export function wordsOfCode(facts: ErrorFacts): ErrorWords | undefined {
  return isErrorCode(facts.code) ? TABLE[facts.code](facts) : undefined;
}

function wordsOf(facts: ErrorFacts): ErrorWords {
  return wordsOfCode(facts) ?? WORDS.unknown; // a newer copy of the library may have more codes
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(TABLE, code);
}

/** The message of every client and chat for a prompt without text. */
const BLANK_PROMPT =
  /^(the prompt|prompt field `(text|prompt|content|message)`) is an? (empty|blank) string\b/;

const REPORT = "Reload the app. If this happens again, tell its makers.";

/** All codes. A code without words does not compile. */
const TABLE = {
  "invalid-input": ({ message }) => {
    if (BLANK_PROMPT.test(message)) return WORDS.empty;
    const reason = quoted("The reason", message);
    const what = `Something in the message or in the settings cannot work.${reason} Change it, and try again.`;
    return no(`This cannot work. ${what}`);
  },
  "already-consumed": () =>
    no(`The answer is already being read. Another part of the app shows this answer. ${REPORT}`),
  unsupported: (facts) => {
    const reason = quoted("The reason", withoutHint(facts));
    const what = `The agent or this device cannot do what was asked.${reason} Try it another way.`;
    return no(`This is not possible here. ${what}`);
  },
  "connect-failed": (facts) => {
    const { status, retryable, cause } = facts;
    if (status === undefined)
      return retryable ? WORDS.unreachable : quoting(WORDS.cannotStart, "The reason", facts.message);
    if (cause?.code === "turn-failed") return { ...wordsOfTurn(cause), isBeforeSending: true }; // the first model call of a run
    const words = wordsOfStatus(status) ?? { ...WORDS.unreachable, what: wrongAddress(status) };
    return { ...words, isBeforeSending: true };
  },
  "connect-timeout": () => WORDS.unanswered,
  "handshake-refused": (facts) => (isReason(facts.reason) ? REASONS[facts.reason](facts) : WORDS.wrongServer),
  "connection-lost": ({ isProgram, message }) =>
    isProgram ? quoting(WORDS.ended, "The reason", message) : WORDS.connectionLost,
  "context-lost": () => WORDS.contextLost,
  "request-refused": (facts) => {
    const words = facts.status === undefined ? undefined : wordsOfStatus(facts.status, facts.retryAfter);
    if (words) return words.retry === "safe" && facts.status !== 429 ? { ...words, retry: "ask" } : words;
    return quoting(WORDS.refused, "It says", facts.serverMessage);
  },
  "request-timeout": () => ({ ...WORDS.unanswered, retry: "ask", isBeforeSending: undefined }),
  "turn-failed": wordsOfTurn,
  "turn-cancelled": ({ by }) => ({
    ...WORDS.stopped,
    title: by === "user" ? "You stopped the answer" : WORDS.stopped.title,
  }),
  "turn-timeout": ({ kind }) => (kind === "idle" ? WORDS.silent : WORDS.tooLong),
  "buffer-overflow": () =>
    no(
      "A part of the answer is not shown. The answer came faster than the app could show it. The agent goes on: wait for the end, or reload the chat.",
    ),
  "queue-full": () => WORDS.queueFull,
  "payload-too-large": () => WORDS.tooLarge,
  // The words of the cause, which closed the client. This error itself has the message's delivery.
  closed: ({ cause }) => (cause && cause.code !== "closed" ? wordsOf(cause) : WORDS.closed),
} satisfies Readonly<Record<ErrorCode, (facts: ErrorFacts) => ErrorWords>>;

const REASONS = {
  nack: () => WORDS.wrongServer,
  policy: () => WORDS.wrongServer,
  duplicate: () =>
    unsent(
      "This session is open elsewhere. The server lets the same session in only once. Close the other one, or wait.",
    ),
  full: () => ({
    ...WORDS.busy,
    what: "The server takes no more connections for now.",
    isBeforeSending: true,
  }),
  rejected: ({ cause }) => withAnswer(WORDS.refusedSignIn, cause),
  "identity-mismatch": () => WORDS.otherUser,
  anonymous: () => WORDS.signIn,
  timeout: ({ retryable }) =>
    retryable
      ? WORDS.unanswered
      : {
          ...WORDS.refusedSignIn,
          what: "The server did not answer the sign-in. Check its address and the settings.",
        },
  "refresh-failed": ({ retryable }) =>
    retryable
      ? unsent("The sign-in could not be renewed. The app could not renew your sign-in. Check your network.")
      : { ...WORDS.signIn, what: "The app could not renew your sign-in. Sign in again." },
  initializing: () => WORDS.starting,
  auth: () => WORDS.signIn,
  version: () => WORDS.wrongProgram,
  closed: () => ({ ...WORDS.unreachable, what: "The server hung up while the connection was being set up." }),
} satisfies Readonly<Record<HandshakeReason, (facts: ErrorFacts) => ErrorWords>>;

function isReason(reason: string | undefined): reason is HandshakeReason {
  return reason !== undefined && Object.hasOwn(REASONS, reason);
}

/** The server ended the answer. The error's own facts come before the protocol's name for it. */
function wordsOfTurn(facts: ErrorFacts): ErrorWords {
  const { status, retryAfter, balance, kind = "", serverError, serverMessage, retryable } = facts;
  const precise = wordsOfKind(kind) ?? (status === undefined ? undefined : wordsOfStatus(status, retryAfter));
  if (precise) return withAnswer(precise, facts);
  if (balance !== undefined && balance <= 0) return WORDS.credits;
  const words = wordsOfReason(serverError ?? "") ?? wordsOfReason(kind) ?? WORDS.failed;
  if (words.retry === "no") return withAnswer(words, facts);
  if (kind === "network")
    return quoting(words, "The reason", withoutHint({ message: serverMessage ?? "", hint: undefined }));
  const wait = retryAfter === undefined ? {} : { wait: waitOf(retryAfter) };
  const retry = retryable ? "safe" : words.retry;
  return quoting({ ...words, ...wait, retry }, "The server says", serverMessage);
}

/** Adds the server's message, if the error has a status or the server refused the prompt. */
function withAnswer(words: ErrorWords, { status, serverMessage }: Partial<ErrorFacts> = {}): ErrorWords {
  const isMute = status === undefined && words !== WORDS.refused;
  return isMute ? words : quoting(words, "The server says", serverMessage);
}

function wrongAddress(status: number): string {
  return `The server refused the connection (HTTP ${status}). Its address may be wrong, or it is being restarted.`;
}

/** The message without its hint, which is for developers or is in the words already. */
export function withoutHint({
  message,
  hint = "; is the server running?",
}: Pick<ErrorFacts, "message" | "hint">) {
  return message.endsWith(hint) ? message.slice(0, -hint.length) : message;
}

function wordsOfStore({
  operation,
  reason,
  message,
}: NonNullable<ReturnType<typeof storeFactsOf>>): ErrorWords {
  const isSaving = operation === "append";
  const title = isSaving ? "The chat could not be saved" : "The saved chat cannot be read";
  const isFolder = reason !== undefined && /^E[A-Z\d]+$/.test(reason);
  const what = isFolder
    ? ((isSaving ? SAVING[reason] : undefined) ?? FOLDER_ADVICE)
    : `The place where chats are kept has failed.${quoted("It says", message)}`;
  return no(`${title}. ${what}`);
}

const FOLDER_ADVICE = "Check the folder of the chats and its permissions.";

const SAVING: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full. Make room: later messages are saved again.",
  EDQUOT: "Your share of the disk is full. Make room: later messages are saved again.",
  EROFS: "The disk cannot be written to. Choose another folder for the chats.",
};

const TEXTS = ["reason", "kind", "by", "hint", "serverMessage", "serverError"] as const;
const NUMBERS = ["status", "retryAfter", "balance"] as const;

type Optional<Name extends string, T> = { readonly [Each in Name]?: T | undefined };

/**
 * The fields of an error that decide the advice for the user. `reason`: of a refused handshake. `serverError`: the
 * server's error code (Codebuff). `retryAfter`: in ms.
 */
export interface ErrorFacts
  extends Optional<(typeof TEXTS)[number], string>,
    Optional<(typeof NUMBERS)[number], number> {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly delivery?: Delivery | undefined;
  readonly hasActed: boolean;
  /** The connection was a program, which has ended. */
  readonly isProgram?: boolean;
  /** Only for a closed client. */
  readonly cause?: ErrorFacts | undefined;
}

/** Maximum depth of causes. A closed client has one; no error of this library has a longer chain. */
const MAX_CAUSES = 3;

/** Reads an error of this library or of another copy of it. Undefined for any other value. */
function factsOf(error: unknown): ErrorFacts | undefined {
  return attempt(() => read(error, MAX_CAUSES));
}

/** The fields of a store's error. `message`: from the store's own exception, otherwise from the error. */
function storeFactsOf(error: unknown) {
  return attempt(() => {
    if (!isChatStoreError(error)) return undefined;
    const { operation, reason, cause, message } = error;
    const words = typeof cause === "object" && cause !== null ? Reflect.get(cause, "message") : cause;
    return { operation, reason: asText(reason), message: asText(words) ?? asText(message) };
  });
}

function attempt<T>(reading: () => T | undefined): T | undefined {
  try {
    return reading();
  } catch {
    return undefined; // a getter or a proxy throws: the value is unreadable
  }
}

function read(error: unknown, causes: number): ErrorFacts | undefined {
  if (!isOurs(error)) return undefined;
  const field = (name: string): unknown => Reflect.get(error, name);
  const code = asText(field("code"));
  if (code === undefined) return undefined;
  return {
    code,
    message: asText(field("message")) ?? "",
    retryable: field("retryable") === true,
    delivery: deliveryOf(field("delivery")),
    hasActed: field("sideEffectsPossible") === true || hasCalls(field("partial")),
    isProgram: Reflect.has(error, "exitCode"),
    ...Object.fromEntries(TEXTS.map((name) => [name, asText(field(name))])),
    ...Object.fromEntries(NUMBERS.map((name) => [name, numberOf(field(name))])),
    cause: causes > 0 ? read(field("cause"), causes - 1) : undefined,
  };
}

/** Whether the turn had announced a tool call that was not denied. */
function hasCalls(partial: unknown): boolean {
  if (!isObject(partial) || !Array.isArray(partial["toolCalls"])) return false;
  return partial["toolCalls"].some((call: unknown) => isObject(call) && call["state"] !== "denied");
}

export function deliveryOf(value: unknown): Delivery | undefined {
  return value === "not-sent" || value === "accepted" || value === "unknown" ? value : undefined;
}

export function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
