// The commands of the wire, parsed.

import { readPrompt, toInput } from "../../chat/prompt.ts";
import { describe, isObject } from "../../core/checks.ts";
import { isAgentwireError } from "../../core/errors.ts";
import { readDecision } from "../../core/gate/decision.ts";
import { checkName } from "../../core/names.ts";
import type { PromptInput } from "../../core/turn/prompt-input.ts";
import type { Answer, Decision } from "../../core/values.ts";
import type { CommandKind, LogCommand } from "../event-log.ts";
import type { RelayLimits } from "../limits.ts";
import type { RelayAction } from "../options.ts";
import { WireRefusal } from "./answers.ts";

/** A turn by the ids of its events. */
export interface TurnTarget {
  readonly session_id: string;
  readonly turn_id: string;
}

/** What a command asks for. `target`: the key of a prompt. */
export type RelayWish =
  | { readonly type: "prompt"; readonly input: string | PromptInput }
  | { readonly type: "withdraw"; readonly target: string }
  | { readonly type: "cancel"; readonly target: string | TurnTarget }
  | {
      readonly type: "decide";
      readonly session_id: string;
      readonly permission_id: string;
      readonly decision: Decision;
    }
  | {
      readonly type: "answer";
      readonly session_id: string;
      readonly question_id: string;
      readonly answer: Answer;
    }
  | { readonly type: "resume"; readonly how?: "without-context" | "with-transcript" }
  | { readonly type: "edit_queued"; readonly target: string; readonly input: string | PromptInput }
  | { readonly type: "move_queued"; readonly target: string; readonly before: string | null }
  | { readonly type: "send_now"; readonly target: string }
  | { readonly type: "regenerate"; readonly message_id: string }
  | { readonly type: "edit"; readonly message_id: string; readonly input: string | PromptInput }
  | { readonly type: "select_branch"; readonly message_id: string }
  | { readonly type: "revoke" | "set_mode" | "set_model"; readonly id: string };

export type WishType = RelayWish["type"];

export interface RelayCommand {
  /** The client made it before its first try. */
  readonly key: string;
  readonly wish: RelayWish;
  /** Refuse a prompt while a turn runs or another prompt waits. */
  readonly refusesBusy: boolean;
}

/** A command as the log keeps it. */
export interface StoredCommand {
  /** When it came: RFC 3339. */
  readonly at: string;
  readonly by: string;
  readonly wish: RelayWish;
  /** Of a prompt that was withdrawn. It stays in the inbox until the log can say so: between two turns. */
  readonly withdrawn?: true;
}

type TextLimits = Pick<RelayLimits, "maxText" | "maxImages">;
type Body = Readonly<Record<string, unknown>>;

interface Reader {
  /** The fields beside `key` and `type`. */
  readonly fields: Readonly<Record<string, true>>;
  readonly read: (body: Body, limits: TextLimits) => RelayWish;
}

const READERS: Readonly<Record<WishType, Reader>> = {
  prompt: {
    fields: { input: true, whenBusy: true },
    read: ({ input }, limits) => ({ type: "prompt", input: readInput(input, limits) }),
  },
  withdraw: {
    fields: { target: true },
    read: ({ target }) => ({ type: "withdraw", target: text("target", target) }),
  },
  cancel: {
    fields: { target: true },
    read: ({ target }) => ({
      type: "cancel",
      target: isObject(target) ? readTurn(target) : text("target", target),
    }),
  },
  decide: {
    fields: { session_id: true, permission_id: true, decision: true },
    read: ({ session_id, permission_id, decision }) => ({
      type: "decide",
      session_id: text("session_id", session_id),
      permission_id: text("permission_id", permission_id),
      decision: checkedDecision(decision),
    }),
  },
  answer: {
    fields: { session_id: true, question_id: true, answer: true },
    read: ({ session_id, question_id, answer }) => ({
      type: "answer",
      session_id: text("session_id", session_id),
      question_id: text("question_id", question_id),
      answer: checkedAnswer(answer),
    }),
  },
  resume: { fields: { how: true }, read: ({ how }) => ({ type: "resume", ...readHow(how) }) },
  edit_queued: {
    fields: { target: true, input: true },
    read: ({ target, input }, limits) => ({
      type: "edit_queued",
      target: text("target", target),
      input: readInput(input, limits),
    }),
  },
  move_queued: {
    fields: { target: true, before: true },
    read: ({ target, before }) => ({
      type: "move_queued",
      target: text("target", target),
      before: before === null ? null : text("before", before),
    }),
  },
  send_now: {
    fields: { target: true },
    read: ({ target }) => ({ type: "send_now", target: text("target", target) }),
  },
  regenerate: {
    fields: { message_id: true },
    read: ({ message_id }) => ({ type: "regenerate", message_id: text("message_id", message_id) }),
  },
  edit: {
    fields: { message_id: true, input: true },
    read: ({ message_id, input }, limits) => ({
      type: "edit",
      message_id: text("message_id", message_id),
      input: readInput(input, limits),
    }),
  },
  select_branch: {
    fields: { message_id: true },
    read: ({ message_id }) => ({ type: "select_branch", message_id: text("message_id", message_id) }),
  },
  revoke: { fields: { id: true }, read: ({ id }) => ({ type: "revoke", id: text("id", id) }) },
  set_mode: { fields: { id: true }, read: ({ id }) => ({ type: "set_mode", id: text("id", id) }) },
  set_model: { fields: { id: true }, read: ({ id }) => ({ type: "set_model", id: text("id", id) }) },
};

/** @throws WireRefusal `invalid-input`, `unsupported`, `too-large` */
export function readWireCommand(body: Body, limits: TextLimits): RelayCommand {
  const { key, type, whenBusy } = body;
  return said(() => {
    checkName(type, READERS, "type");
    const { fields, read } = READERS[type as WishType];
    for (const name of Object.keys(body)) checkName(name, { key, type, ...fields }, "field");
    if (whenBusy !== undefined && whenBusy !== "queue" && whenBusy !== "refuse")
      throw wrong("`whenBusy` must be `queue` or `refuse`.");
    return { key: text("key", key), wish: read(body, limits), refusesBusy: whenBusy === "refuse" };
  });
}

/** A prompt waits for its turn. `regenerate` and `edit` are prompts too, which end the running turn. */
export function commandKind({ type }: RelayWish): CommandKind {
  return type === "prompt" || type === "regenerate" || type === "edit" ? "prompt" : "control";
}

export function wishAction(wish: RelayWish): RelayAction {
  switch (wish.type) {
    case "decide": {
      const { decision, scope } = readDecision(wish.decision);
      return decision === "always" || scope !== undefined ? "grant" : "decide";
    }
    case "revoke":
    case "set_mode": // the agent may ask nobody in it
      return "grant";
    case "answer":
      return "answer";
    case "cancel":
    case "withdraw":
      return "cancel";
    case "resume":
      return "resume";
    case "prompt":
    case "edit_queued":
    case "move_queued":
    case "send_now":
    case "regenerate":
    case "edit":
    case "select_branch":
    case "set_model":
      return "prompt";
    default:
      return wish satisfies never;
  }
}

/** Undefined for a value that this library did not write into the log. */
export function readKept(value: unknown): StoredCommand | undefined {
  if (!isObject(value)) return undefined;
  const { at, by, wish, withdrawn } = value;
  if (typeof at !== "string" || typeof by !== "string" || !isObject(wish)) return undefined;
  const { type } = wish;
  if (typeof type !== "string" || !Object.hasOwn(READERS, type)) return undefined;
  try {
    const read = READERS[type as WishType].read(wish, { maxText: Infinity, maxImages: Infinity });
    return { at, by, wish: read, ...(withdrawn === true ? { withdrawn } : {}) };
  } catch {
    return undefined; // a foreign writer
  }
}

/** The prompts of an inbox that will run. */
export function waitingIn(queue: readonly LogCommand[]): readonly LogCommand[] {
  return queue.filter(({ value }) => readKept(value)?.withdrawn !== true);
}

const MAX_ID = 256;
const MAX_KEY = 128;
const LONE_SURROGATE = /\p{Surrogate}/u;

function text(name: string, value: unknown): string {
  const limit = name === "key" ? MAX_KEY : MAX_ID;
  const isText = typeof value === "string" && value !== "" && value.length <= limit;
  if (isText && !value.includes("\0") && !LONE_SURROGATE.test(value)) return value;
  throw wrong(`\`${name}\` is missing, or is no text of 1 to ${limit} characters.`);
}

function readTurn(target: Body): TurnTarget {
  for (const name of Object.keys(target)) checkName(name, { session_id: true, turn_id: true }, "field");
  const { session_id, turn_id } = target;
  return { session_id: text("session_id", session_id), turn_id: text("turn_id", turn_id) };
}

function readHow(how: unknown): { readonly how?: "without-context" | "with-transcript" } {
  if (how === undefined) return {};
  if (how === "without-context" || how === "with-transcript") return { how };
  throw wrong("`how` must be `without-context` or `with-transcript`.");
}

function readInput(input: unknown, { maxText, maxImages }: TextLimits): string | PromptInput {
  const prompt = readPrompt(input);
  if (prompt.text.length > maxText)
    throw new WireRefusal(413, "too-large", `The text has more than ${maxText} characters.`);
  if (prompt.files.length > 0)
    throw new WireRefusal(400, "unsupported", "A relay takes no files. Name them in the text.");
  if (prompt.images.length > maxImages)
    throw new WireRefusal(413, "too-large", `The prompt has more than ${maxImages} images.`);
  if (prompt.images.some(({ url, mediaType }) => /svg/i.test(mediaType) || /^data:[^,]*svg/i.test(url)))
    throw wrong("An SVG is a program, not an image. Send a PNG.");
  if (prompt.images.some(({ mediaType }) => !/^image\//i.test(mediaType)))
    throw wrong("An image has no type such as `image/png`.");
  return toInput(prompt);
}

function checkedDecision(decision: unknown): Decision {
  readDecision(decision);
  return decision as Decision; // `readDecision` accepts decisions alone
}

function checkedAnswer(answer: unknown): Answer {
  const isText = (value: unknown): boolean => typeof value === "string";
  const isList = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
  if (answer === null || isText(answer) || isList(answer) || (Array.isArray(answer) && answer.every(isList)))
    return answer as Answer;
  throw wrong(
    `\`answer\` is ${describe(answer)}: it must be a text, a list of texts for each question, or null.`,
  );
}

function wrong(message: string): WireRefusal {
  return new WireRefusal(400, "invalid-input", message);
}

/** Turns the errors of checks into refusals. An unknown name is not quoted. */
function said<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isAgentwireError(error, "invalid-input") && !isAgentwireError(error, "unsupported")) throw error;
    const isName = error.message.includes("does not exist.");
    throw wrong(isName ? `A name in the command does not exist. ${error.hint}` : error.message);
  }
}
