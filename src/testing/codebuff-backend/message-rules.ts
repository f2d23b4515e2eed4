// Notes what is wrong with the messages of a chat call.
import { type Dict, isDict } from "../server/dict.ts";
import type { BackendViolationKind } from "./record.ts";

/** Takes note of a mistake. */
export type Note = (kind: BackendViolationKind, detail: string) => void;

/** What the messages before have said of tool calls. */
interface History {
  readonly called: Set<string>;
  readonly answered: Set<string>;
  /** Calls of the last assistant message that have no tool message yet. */
  readonly waiting: Set<string>;
  roleBefore: unknown;
}

/** Notes what is wrong with the messages of a chat call: their fields, and the order of tool calls and tool messages. */
export function noteMessages(messages: readonly unknown[], note: Note): void {
  const history: History = {
    called: new Set(),
    answered: new Set(),
    waiting: new Set(),
    roleBefore: undefined,
  };
  for (const [place, message] of messages.entries()) {
    const at = `messages[${place}]`;
    if (!isDict(message)) {
      note("bad-field", `${at} must be an object`);
      continue;
    }
    if (message["role"] !== "tool") endCalls(history, note);
    noteMessage(message, at, history, note);
    history.roleBefore = message["role"];
  }
  endCalls(history, note);
}

function noteMessage(message: Dict, at: string, history: History, note: Note): void {
  const { role, content } = message;
  switch (role) {
    case "system":
      if (typeof content !== "string") note("bad-field", `${at}.content must be a string`);
      return;
    case "user":
      noteContent(content, at, note);
      return;
    case "assistant":
      if (typeof content !== "string") note("bad-field", `${at}.content must be a string`);
      if (history.roleBefore === "assistant") note("unmerged-assistant-messages", at);
      noteCalls(message["tool_calls"], at, history, note);
      return;
    case "tool":
      if (typeof content !== "string") note("bad-field", `${at}.content must be a string`);
      noteResult(message["tool_call_id"], at, history, note);
      return;
    default:
      note("bad-field", `${at}.role must be one of system, user, assistant, tool`);
  }
}

function noteContent(content: unknown, at: string, note: Note): void {
  if (typeof content === "string") return;
  if (!Array.isArray(content)) {
    note("bad-field", `${at}.content must be a string or an array`);
    return;
  }
  for (const [place, part] of content.entries()) {
    const problem = problemOfPart(part);
    if (problem !== undefined) note("bad-field", `${at}.content[${place}]${problem}`);
  }
}

function problemOfPart(part: unknown): string | undefined {
  if (!isDict(part)) return " must be an object";
  if (part["type"] === "text") return typeof part["text"] === "string" ? undefined : ".text must be a string";
  if (part["type"] !== "image_url") return ".type must be one of text, image_url";
  const image = part["image_url"];
  const url = isDict(image) ? image["url"] : undefined;
  return typeof url === "string" ? undefined : ".image_url.url must be a string";
}

function noteCalls(calls: unknown, at: string, history: History, note: Note): void {
  if (calls === undefined) return;
  if (!Array.isArray(calls) || calls.length === 0) {
    note("bad-field", `${at}.tool_calls must be an array with something in it, or not be there`);
    return;
  }
  for (const [place, call] of calls.entries()) noteCall(call, `${at}.tool_calls[${place}]`, history, note);
}

function noteCall(call: unknown, at: string, history: History, note: Note): void {
  const { id, type, function: called }: Dict = isDict(call) ? call : {};
  if (type !== "function") note("bad-field", `${at}.type must be function`);
  const { name, arguments: given }: Dict = isDict(called) ? called : {};
  if (typeof name !== "string" || name === "")
    note("bad-field", `${at}.function.name must be a string that is not empty`);
  if (!isObjectText(given)) note("bad-arguments", `${at}.function.arguments`);
  if (typeof id !== "string" || id === "") {
    note("bad-field", `${at}.id must be a string that is not empty`);
    return;
  }
  if (history.called.has(id)) note("repeated-tool-call-id", id);
  history.called.add(id);
  history.waiting.add(id);
}

function noteResult(id: unknown, at: string, history: History, note: Note): void {
  if (typeof id !== "string" || id === "") {
    note("bad-field", `${at}.tool_call_id must be a string that is not empty`);
    return;
  }
  if (!history.called.has(id)) note("orphan-tool-message", id);
  else if (history.answered.has(id)) note("repeated-tool-message", id);
  history.answered.add(id);
  history.waiting.delete(id);
}

function endCalls({ waiting }: History, note: Note): void {
  for (const id of waiting) note("unanswered-tool-call", id);
  waiting.clear();
}

function isObjectText(text: unknown): boolean {
  if (typeof text !== "string") return false;
  try {
    return isDict(JSON.parse(text));
  } catch {
    return false;
  }
}
