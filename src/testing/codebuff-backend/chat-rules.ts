// Notes what is wrong with a chat call.
import { type Dict, isDict } from "../server/dict.ts";
import type { Backend } from "./backend.ts";
import type { Call } from "./call.ts";
import { runIdOf } from "./chat-request.ts";
import { type Note, noteMessages } from "./message-rules.ts";
import * as shape from "./shape.ts";

const CHAT: shape.Shape = {
  model: shape.filled,
  messages: shape.list,
  "stream?": shape.flag,
  "provider?": shape.object,
  "reasoning?": shape.object,
  "max_tokens?": shape.whole,
  "stop?": shape.texts,
};

const METADATA: shape.Shape = {
  client_id: shape.filled,
  cost_mode: shape.filled,
  "n?": shape.whole,
  "trace_session_id?": shape.text,
  "llm_step_number?": shape.text,
};

const TOOL: shape.Shape = { type: shape.oneOf("function"), function: shape.object };

const FUNCTION: shape.Shape = { name: shape.filled, "description?": shape.text, parameters: shape.object };

/** Notes what is wrong with a chat call. */
export function noteChat(call: Call, body: unknown, backend: Backend): void {
  const note: Note = (kind, detail) => backend.blame(call, kind, detail);
  if (!isDict(body)) {
    note("bad-field", "the body must be an object");
    return;
  }
  noteFields(body, CHAT, "", note);
  noteTools(body, note);
  if (Array.isArray(body["messages"])) noteMessages(body["messages"], note);
  if (call.route.direct) {
    for (const name of ["codebuff_metadata", "provider"])
      if (body[name] !== undefined) note("metadata-to-provider", name);
  } else noteRun(call, body, backend, note);
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
  if (!run) note("unknown-run", runId);
  else {
    if (run.status !== "running") note("run-not-running", runId);
    const clientId = metadata["client_id"];
    if (typeof clientId !== "string") return;
    run.clientId ??= clientId;
    if (run.clientId !== clientId) note("client-id-changed", `${run.clientId} became ${clientId}`);
  }
}

function noteTools({ tools, tool_choice }: Dict, note: Note): void {
  if (tools === undefined) {
    if (tool_choice !== undefined) note("bad-field", "tool_choice must not be there without tools");
    return;
  }
  if (!Array.isArray(tools) || tools.length === 0) {
    note("bad-field", "tools must be an array with something in it, or not be there");
    return;
  }
  for (const [place, tool] of tools.entries()) {
    const at = `tools[${place}]`;
    if (!isDict(tool)) {
      note("bad-field", `${at} must be an object`);
      continue;
    }
    noteFields(tool, TOOL, `${at}.`, note);
    if (isDict(tool["function"])) noteFields(tool["function"], FUNCTION, `${at}.function.`, note);
  }
}

function noteFields(value: Dict, fields: shape.Shape, place: string, note: Note): void {
  for (const [name, problem] of Object.entries(shape.problemsOf(value, fields)))
    note("bad-field", `${place}${name} ${problem}`);
}
