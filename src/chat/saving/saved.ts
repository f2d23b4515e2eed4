// A saved chat: a JSON value, written, checked and read.
import { describe, isObject } from "../../core/checks.ts";
import { InvalidInputError } from "../../core/errors.ts";
import type { ConversationState } from "../../core/turn/conversation.ts";
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

/** A branch that is not shown: its messages, and the state of the conversation at its end. */
export interface SavedBranch {
  readonly messages: readonly SavedMessage[];
  readonly state?: ConversationState;
}

/** A chat as a JSON value. `createChat(source, { from })` continues it. */
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
    if (isObject(value) && version === VERSION && isSaved(value)) return read(value);
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

function isSaved(value: Record<string, unknown>): value is Record<string, unknown> & SavedChat {
  const { source, messages, state, totals, queue = [], branches = [] } = value;
  return (
    typeof source === "string" &&
    areMessages(messages) &&
    (state === undefined || isObject(state)) &&
    (totals === undefined ||
      (isObject(totals) && isObject(totals["usage"]) && Array.isArray(totals["cost"]))) &&
    Array.isArray(queue) &&
    queue.every((id) => typeof id === "string") &&
    Array.isArray(branches) &&
    branches.every(isBranch)
  );
}

const areMessages = (value: unknown): boolean => Array.isArray(value) && value.every(isMessage);

const isBranch = (value: unknown): boolean =>
  isObject(value) &&
  areMessages(value["messages"]) &&
  (value["state"] === undefined || isObject(value["state"]));

const ROLES: readonly unknown[] = ["user", "assistant", "system"];
const STATUSES: readonly unknown[] = [
  "queued",
  "sent",
  "open",
  "recovering",
  "completed",
  "cancelled",
  "failed",
];

function isMessage(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value["id"] === "string" &&
    typeof value["startedAt"] === "number" &&
    ROLES.includes(value["role"]) &&
    STATUSES.includes(value["status"]) &&
    areParts(value["parts"]) &&
    areSiblings(value["branches"])
  );
}

const areSiblings = (value: unknown): boolean =>
  value === undefined ||
  (isObject(value) &&
    typeof value["at"] === "number" &&
    typeof value["of"] === "number" &&
    Array.isArray(value["ids"]) &&
    value["ids"].every((id) => typeof id === "string"));

/** The fields that a UI needs of each type of part, with their types. */
const PARTS: Readonly<Record<ChatPart["type"], Readonly<Record<string, string>>>> = {
  text: { text: "string" },
  reasoning: { text: "string", visibility: "string" },
  tool: { name: "string", callId: "string", state: "string", output: "string", content: "array" },
  question: { questions: "array", answers: "array", status: "string" },
  file: { path: "string" },
  status: { label: "string" },
  subagent: { agentType: "string", name: "string", state: "string", parts: "parts" },
  data: {},
  error: { message: "string" },
};

function areParts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isPart);
}

function isPart(value: unknown): boolean {
  if (!isObject(value) || typeof value["id"] !== "string") return false;
  const { type } = value;
  const fields = typeof type === "string" ? new Map(Object.entries(PARTS)).get(type) : undefined;
  return fields !== undefined && Object.entries(fields).every(([name, kind]) => isOfKind(value[name], kind));
}

function isOfKind(value: unknown, kind: string): boolean {
  if (kind === "parts") return areParts(value);
  return kind === "array" ? Array.isArray(value) : typeof value === kind;
}

const readMessage = (message: SavedMessage): ChatMessage =>
  cutOff({ ...message, parts: readParts(message.parts) });

const readParts = (parts: readonly SavedPart[]): List<ChatPart> =>
  listOf(parts.map((part) => (part.type === "subagent" ? { ...part, parts: readParts(part.parts) } : part)));
