// A saved chat: a JSON value, written, checked and read.
import { describe, isObject } from "../../core/checks.ts";
import { InvalidInputError } from "../../core/errors.ts";
import type { ConversationState } from "../../core/turn/conversation.ts";
import { hasForm } from "../../universal/check/shape.ts";
import {
  any,
  type Form,
  listShape,
  number,
  objectShape,
  optionalShape,
  string,
  word,
} from "../../universal/shapes.ts";
import { cutOff } from "../../universal/transcript/cut-off.ts";
import { emptyDictionary } from "../../universal/transcript/dictionary.ts";
import { type List, listOf } from "../../universal/transcript/list.ts";
import type { ChatMessage, ChatPart, ChatSubagentPart } from "../../universal/transcript/message.ts";
import type { ChatTotals } from "../../universal/transcript/totals.ts";
import type { Restored } from "../timeline.ts";

/** A part as JSON: a sub-agent's parts are an array. */
export type SavedPart =
  | Exclude<ChatPart, ChatSubagentPart>
  | (Omit<ChatSubagentPart, "parts"> & { readonly parts: readonly SavedPart[] });

/** A message as JSON. */
export type SavedMessage = Omit<ChatMessage, "parts"> & { readonly parts: readonly SavedPart[] };

/** A branch that is not shown: its messages, and the state of the conversation at its end. A store has no states. */
export interface SavedBranch {
  readonly messages: readonly SavedMessage[];
  readonly state?: ConversationState;
}

/**
 * A chat as a JSON value. `createChat(source, { from })` continues it; over another backend, it shows the messages. One
 * of an earlier version of this library loads, one of a newer version is refused.
 */
export interface SavedChat {
  readonly version: 1;
  /** The name of the source. */
  readonly source: string;
  readonly messages: readonly SavedMessage[];
  /** The state of the backend's conversation. Absent if there is none to continue from. */
  readonly state?: ConversationState;
  readonly totals: ChatTotals;
  /** The ids of the messages with queued prompts, in order. */
  readonly queue?: readonly string[];
  readonly branches?: readonly SavedBranch[];
}

/** A saved chat after parsing. */
export interface ReadChat extends Restored {
  readonly state: ConversationState | undefined;
  readonly source: string;
  /** The queued prompts. They are not in `messages`. */
  readonly queue: readonly ChatMessage[];
}

/** The version that this library writes. It reads this version and all older ones. */
const VERSION = 1;

const plainMessages = new WeakMap<ChatMessage, SavedMessage>();

/** Messages as JSON. An unchanged message is converted once. */
function saveMessages(messages: List<ChatMessage>): readonly SavedMessage[] {
  return messages.map((message) => {
    const known = plainMessages.get(message);
    if (known) return known;
    const saved: SavedMessage = { ...message, parts: saveParts(message.parts) };
    plainMessages.set(message, saved);
    return saved;
  });
}

const saveParts = (parts: List<ChatPart>): readonly SavedPart[] =>
  parts.map((part) => (part.type === "subagent" ? { ...part, parts: saveParts(part.parts) } : part));

/** @param unsent the ids of the queued prompts */
export function savedOf(
  { source, messages, branches: hidden, states = new Map(), state, usage, cost }: Omit<ReadChat, "queue">,
  unsent: readonly string[],
): SavedChat {
  const branches = hidden.toArray().map((branch): SavedBranch => {
    const behind = states.get(branch.at(0)?.id ?? "");
    return { messages: saveMessages(branch), ...(behind ? { state: behind } : {}) };
  });
  return {
    version: VERSION,
    source,
    messages: saveMessages(messages),
    ...(state === undefined ? {} : { state }),
    totals: { usage, cost },
    ...(unsent.length === 0 ? {} : { queue: unsent }),
    ...(branches.length === 0 ? {} : { branches }),
  };
}

/** @throws InvalidInputError if the value is not a saved chat */
export function readSaved(value: unknown): ReadChat {
  const version = isObject(value) ? value["version"] : undefined;
  if (typeof version === "number" && version > VERSION)
    throw new InvalidInputError(
      `\`from\` was saved by a newer version of this library (${version}, and this one reads ${VERSION}).`,
      "Update agentwire.",
    );
  try {
    if (version === VERSION && hasForm<SavedChat>(SAVED, value)) return read(value);
  } catch (cause) {
    throw refused(value, cause); // such as parts that are nested too deeply
  }
  throw refused(value);
}

function read(saved: SavedChat): ReadChat {
  const { state, source, totals = { usage: {}, cost: [] }, queue = [], branches = [] } = saved;
  const prompts = new Map<string, SavedMessage>();
  if (queue.length > 0)
    for (const message of saved.messages) if (isUnsent(message)) prompts.set(message.id, message);
  const queued = [...new Set(queue)].flatMap((id) => prompts.get(id) ?? []);
  const waits = new Set(queued);
  const messages = saved.messages.filter((message) => !waits.has(message)).map(readMessage);
  let hidden = emptyDictionary<List<ChatMessage>>();
  const states = new Map<string, ConversationState>();
  for (const branch of branches) {
    const [first] = branch.messages;
    if (!first) continue;
    hidden = hidden.with(first.id, listOf(branch.messages.map(readMessage)));
    if (branch.state) states.set(first.id, branch.state);
  }
  return {
    messages: listOf(messages),
    branches: hidden,
    states,
    ...totals,
    state,
    source,
    queue: queued.map(({ id, role, parts, startedAt }) => ({
      id,
      role,
      status: "queued",
      parts: readParts(parts),
      startedAt,
    })),
  };
}

/** A queued prompt. Its status is `failed` if the chat was closed. */
const isUnsent = ({ role, status }: SavedMessage): boolean =>
  role === "user" && (status === "queued" || status === "failed");

function refused(value: unknown, cause?: unknown): InvalidInputError {
  const hint = "Pass the `saved` of a snapshot, or `JSON.parse` of its JSON.";
  return new InvalidInputError(`\`from\` is ${describe(value)}, not a saved chat.`, hint, { cause });
}

/** Any object. */
const anyObject: Form = { kind: "object", fields: {} };
const anyList = listShape(any);

/** The fields that a UI needs of each type of part. */
const PART: Form = {
  kind: "tagged",
  types: {
    text: objectShape({ id: string, text: string }),
    reasoning: objectShape({ id: string, text: string, visibility: string }),
    tool: objectShape({
      id: string,
      name: string,
      callId: string,
      state: string,
      output: string,
      content: anyList,
    }),
    question: objectShape({ id: string, questions: anyList, answers: anyList, status: string }),
    file: objectShape({ id: string, path: string }),
    status: objectShape({ id: string, label: string }),
    get subagent(): Form {
      return objectShape({
        id: string,
        agentType: string,
        name: string,
        state: string,
        parts: listShape(PART),
      });
    },
    data: objectShape({ id: string }),
    error: objectShape({ id: string, message: string }),
  } satisfies Readonly<Record<ChatPart["type"], Form>>,
};

const MESSAGES = listShape(
  objectShape({
    id: string,
    startedAt: number,
    role: word("user", "assistant", "system"),
    status: word("queued", "sent", "open", "recovering", "completed", "cancelled", "failed"),
    parts: listShape(PART),
    branches: optionalShape(objectShape({ at: number, of: number, ids: listShape(string) })),
  }),
);

const state = optionalShape(anyObject);

const SAVED = objectShape({
  source: string,
  messages: MESSAGES,
  state,
  totals: optionalShape(objectShape({ usage: anyObject, cost: anyList })),
  queue: optionalShape(listShape(string)),
  branches: optionalShape(listShape(objectShape({ messages: MESSAGES, state }))),
});

const readMessage = (message: SavedMessage): ChatMessage =>
  cutOff({ ...message, parts: readParts(message.parts) });

const readParts = (parts: readonly SavedPart[]): List<ChatPart> =>
  listOf(parts.map((part) => (part.type === "subagent" ? { ...part, parts: readParts(part.parts) } : part)));
