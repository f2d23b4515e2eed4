// Records the mistakes in requests, regardless of the answer.
import { type Dict, isDict } from "../server/dict.ts";
import { fieldIssues, type ShapeTable } from "../shape.ts";
import type { Backend } from "./backend.ts";
import { type Call, problemOf } from "./call.ts";
import { runIdOf } from "./chat-request.ts";
import { holdsKey } from "./mask.ts";
import type { BackendViolationKind } from "./record.ts";

type Note = (kind: BackendViolationKind, detail: string) => void;

const SHAPES: ShapeTable = {
  tool: "type:function function:toolFunction",
  toolFunction: "name:filled description?:string parameters:object",
  call: "id:filled type:function function:callFunction",
  callFunction: "name:filled",
  part: "type:text|image_url text?:string image_url?:picture",
  picture: "url:string",
};
const CHAT =
  "model:filled messages:array stream?:boolean provider?:object reasoning?:object max_tokens?:whole stop?:string[] tools?:tool[]";
const METADATA =
  "client_id:filled cost_mode:filled n?:whole trace_session_id?:string llm_step_number?:string";

const MESSAGES: ShapeTable = {
  system: "content:string",
  user: "content:string",
  assistant: "content:string tool_calls?:call[]",
  tool: "content:string tool_call_id:filled",
};
/** Messages with content parts. The backend reads parts of user messages alone. */
const PARTS: ShapeTable = {
  system: "content:part[]",
  user: "content:part[]",
  assistant: "content:part[] tool_calls?:call[]",
  tool: "content:part[] tool_call_id:filled",
};

export function noteRequest(call: Call, backend: Backend): void {
  const { record, text, json, key, route } = call;
  const note: Note = (kind, detail) => backend.blame(call, kind, detail);
  if (route.endpoint === undefined) note("unknown-route", `${record.method} ${record.path}`);
  if (holdsKey(call.path, key)) note("key-outside-headers", "the path");
  if (holdsKey(text, key)) note("key-outside-headers", "the body");
  if (record.method === "POST") {
    const type = record.headers["content-type"] ?? "none";
    if (!/^application\/json\s*(;|$)/i.test(type)) note("content-type", type);
    if (!json.valid) note("invalid-json", text.slice(0, 100));
  }
  if (route.endpoint !== "chat" || !json.valid) return;
  if (isDict(json.value)) noteChat(call, json.value, backend, note);
  else note("bad-field", "the body must be an object");
}

function noteChat(call: Call, body: Dict, backend: Backend, note: Note): void {
  noteFields(body, CHAT, "", note);
  const { tools, tool_choice, messages } = body;
  if (tools === undefined && tool_choice !== undefined)
    note("bad-field", "tool_choice must not be there without tools");
  noteEmpty(tools, "tools", note);
  if (Array.isArray(messages)) noteMessages(messages, call.route.direct === true, note);
  if (!call.route.direct) noteRun(call, body, backend, note);
  else
    for (const name of ["codebuff_metadata", "provider"])
      if (body[name] !== undefined) note("metadata-to-provider", name);
}

function noteRun({ user }: Call, body: Dict, backend: Backend, note: Note): void {
  const metadata = body["codebuff_metadata"];
  const runId = runIdOf(body);
  if (runId === undefined) note("missing-run-id", "codebuff_metadata.run_id");
  if (!isDict(metadata)) return;
  noteFields(metadata, METADATA, "codebuff_metadata.", note);
  if (metadata["n"] !== undefined && body["stream"] !== undefined)
    note("bad-field", "stream must not be there beside codebuff_metadata.n");
  if (runId === undefined || !user) return;
  const run = backend.runs.of(user.id, runId);
  if (!run) {
    note("unknown-run", runId);
    return;
  }
  if (run.status !== "running") note("run-not-running", runId);
  const clientId = metadata["client_id"];
  if (typeof clientId !== "string") return;
  run.clientId ??= clientId;
  if (run.clientId !== clientId) note("client-id-changed", `${run.clientId} became ${clientId}`);
}

function noteFields(value: Dict, shape: string, place: string, note: Note): void {
  for (const issue of fieldIssues(value, shape, SHAPES)) {
    const path = issue.path.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`)).join("");
    note("bad-field", `${place}${path.slice(1)} ${problemOf(issue)}`);
  }
}

function noteEmpty(list: unknown, name: string, note: Note): void {
  if (Array.isArray(list) && list.length === 0)
    note("bad-field", `${name} must have something in it, or not be there`);
}

/** Checks the fields of messages, and the order of tool calls and tool messages. */
function noteMessages(messages: readonly unknown[], isDirect: boolean, note: Note): void {
  const called = new Set<string>();
  const answered = new Set<string>();
  /** The last assistant message's calls without a tool message yet. */
  const waiting = new Set<string>();
  const endCalls = () => {
    for (const id of waiting) note("unanswered-tool-call", id);
    waiting.clear();
  };
  let roleBefore: unknown;
  for (const [place, message] of messages.entries()) {
    const at = `messages[${place}]`;
    const { role, content, tool_calls, tool_call_id }: Dict = isDict(message) ? message : {};
    const shapes = Array.isArray(content) && (isDirect || role === "user") ? PARTS : MESSAGES;
    const shape = Object.hasOwn(shapes, String(role)) ? shapes[String(role)] : undefined;
    if (!isDict(message)) note("bad-field", `${at} must be an object`);
    else if (shape === undefined)
      note("bad-field", `${at}.role must be one of system, user, assistant, tool`);
    else noteFields(message, shape, `${at}.`, note);
    if (role !== "tool") endCalls();
    if (role === "assistant" && roleBefore === role) note("unmerged-assistant-messages", at);
    roleBefore = role;
    noteEmpty(tool_calls, `${at}.tool_calls`, note);
    for (const [index, call] of (Array.isArray(tool_calls) ? tool_calls.filter(isDict) : []).entries()) {
      const { id, function: asked } = call;
      if (!isObjectText(isDict(asked) ? asked["arguments"] : undefined))
        note("bad-arguments", `${at}.tool_calls[${index}].function.arguments`);
      if (typeof id !== "string" || id === "") continue;
      if (called.has(id)) note("repeated-tool-call-id", id);
      called.add(id);
      waiting.add(id);
    }
    if (role !== "tool" || typeof tool_call_id !== "string" || tool_call_id === "") continue;
    if (!called.has(tool_call_id)) note("orphan-tool-message", tool_call_id);
    else if (answered.has(tool_call_id)) note("repeated-tool-message", tool_call_id);
    answered.add(tool_call_id);
    waiting.delete(tool_call_id);
  }
  endCalls();
}

function isObjectText(text: unknown): boolean {
  if (typeof text !== "string") return false;
  try {
    return isDict(JSON.parse(text));
  } catch {
    return false;
  }
}
