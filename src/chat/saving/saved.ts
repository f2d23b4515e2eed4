import { describe, isObject } from "../../core/checks.ts";
import { InvalidInputError } from "../../core/errors.ts";
import type { ConversationState } from "../../core/turn/conversation.ts";
import { cutOff } from "../../universal/transcript/cut-off.ts";
import { type List, listOf } from "../../universal/transcript/list.ts";
import type { ChatMessage, ChatPart, ChatSubagentPart } from "../../universal/transcript/message.ts";
import type { ChatTotals } from "../../universal/transcript/totals.ts";

/** A part as JSON: the parts of a sub-agent are an array. */
export type SavedPart =
  | Exclude<ChatPart, ChatSubagentPart>
  | (Omit<ChatSubagentPart, "parts"> & { readonly parts: readonly SavedPart[] });

/** A message as JSON. */
export type SavedMessage = Omit<ChatMessage, "parts"> & { readonly parts: readonly SavedPart[] };

/** A chat as a JSON value. `createChat(source, { from })` goes on from it. */
export interface SavedChat {
  readonly version: 1;
  /** The name of the source. */
  readonly source: string;
  readonly messages: readonly SavedMessage[];
  /** The state of the backend's conversation. Absent if there is none to go on from. */
  readonly state?: ConversationState;
  readonly totals: ChatTotals;
}

/** A saved chat, read. */
export interface ReadChat {
  readonly messages: List<ChatMessage>;
  readonly state: ConversationState | undefined;
  readonly source: string;
  readonly totals: ChatTotals;
}

const plainMessages = new WeakMap<ChatMessage, SavedMessage>();

/** The JSON form of messages. A message that has not changed is made once. */
export function saveMessages(messages: List<ChatMessage>): readonly SavedMessage[] {
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

/** @throws InvalidInputError for a value that is no saved chat. */
export function readSaved(value: unknown): ReadChat {
  try {
    if (isObject(value) && value["version"] === 1 && isSaved(value)) {
      const { messages, state, source, totals = { usage: {}, cost: [] } } = value;
      return { messages: listOf(messages.map(readMessage)), state, source, totals };
    }
  } catch (cause) {
    throw refused(value, cause); // such as parts that are nested too deeply
  }
  throw refused(value);
}

function refused(value: unknown, cause?: unknown): InvalidInputError {
  const hint = "Pass the `saved` of a snapshot, or its JSON, parsed.";
  return new InvalidInputError(`\`from\` is ${describe(value)} that no chat has saved.`, hint, { cause });
}

function isSaved(value: Record<string, unknown>): value is Record<string, unknown> & SavedChat {
  const { source, messages, state, totals } = value;
  return (
    typeof source === "string" &&
    Array.isArray(messages) &&
    messages.every(isMessage) &&
    (state === undefined || isObject(state)) &&
    (totals === undefined || (isObject(totals) && isObject(totals["usage"]) && Array.isArray(totals["cost"])))
  );
}

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
    areParts(value["parts"])
  );
}

/** A field of each type of part, with its type: enough for a UI not to fail. */
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
