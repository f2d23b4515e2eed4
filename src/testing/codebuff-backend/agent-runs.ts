// The routes for runs of agents and their steps.
import { type Dict, isDict } from "../server/dict.ts";
import type { Backend } from "./backend.ts";
import { type Call, failed, ok, type Reply } from "./call.ts";
import type { BackendFinish, BackendStep } from "./record.ts";
import * as shape from "./shape.ts";
import type { BackendUser } from "./user.ts";

const START: shape.Shape = { agentId: shape.filled, "ancestorRunIds?": shape.texts };

const STEP: shape.Shape = {
  stepNumber: shape.whole,
  credits: shape.amount,
  childRunIds: shape.texts,
  messageId: shape.textOrNull,
  status: shape.oneOf("running", "completed", "skipped"),
  startTime: shape.moment,
  "errorMessage?": shape.text,
};

/** As many steps as FINISH may bring. */
const MOST_STEPS = 1000;

const FINISH: shape.Shape = {
  runId: shape.filled,
  status: shape.oneOf("completed", "failed", "cancelled"),
  totalSteps: shape.whole,
  directCredits: shape.amount,
  totalCredits: shape.amount,
  "errorMessage?": shape.text,
  "steps?": shape.listOf({ id: shape.filled, ...STEP }, MOST_STEPS),
};

/** `POST /api/v1/agent-runs`: START and FINISH. */
export function agentRuns(call: Call, backend: Backend): Reply {
  const read = readBody(call);
  if ("reply" in read) return read.reply;
  const { user, body } = read;
  if (body["action"] === "START") return start(call, user, body, backend);
  if (body["action"] === "FINISH") return finish(call, user, body, backend);
  return refused(call, { action: "must be one of START, FINISH" }, backend);
}

/** `POST /api/v1/agent-runs/{runId}/steps`. */
export function steps(call: Call, backend: Backend): Reply {
  const read = readBody(call);
  if ("reply" in read) return read.reply;
  const { user, body } = read;
  const problems = shape.problemsOf(body, STEP);
  if (Object.keys(problems).length > 0) return refused(call, problems, backend);
  const [runId = ""] = call.route.parameters;
  const run = backend.runs.get(runId);
  if (!run || run.userId !== user.id) backend.blame(call, "unknown-run", runId);
  if (!run) return failed(404, "Agent run not found");
  if (run.userId !== user.id) return failed(403, "Unauthorized to add steps to this run");
  if (run.status !== "running") backend.blame(call, "run-not-running", runId);
  const stepId = crypto.randomUUID();
  run.steps.push(stepOf(stepId, body));
  return ok({ stepId });
}

function start(call: Call, user: BackendUser, body: Dict, backend: Backend): Reply {
  const problems = shape.problemsOf(body, START);
  if (Object.keys(problems).length > 0) return refused(call, problems, backend);
  const ancestorRunIds = textsOf(body["ancestorRunIds"]);
  for (const id of ancestorRunIds) if (!backend.runs.of(user.id, id)) backend.blame(call, "unknown-run", id);
  const run = backend.runs.start({
    agentId: String(body["agentId"]),
    userId: user.id,
    ancestorRunIds,
    startedAt: backend.clock.now(),
  });
  call.record.runId = run.id;
  return ok(backend.settings.noRunId ? {} : { runId: run.id });
}

function finish(call: Call, user: BackendUser, body: Dict, backend: Backend): Reply {
  const problems = shape.problemsOf(body, FINISH);
  if (Object.keys(problems).length > 0) return refused(call, problems, backend);
  const run = backend.runs.of(user.id, String(body["runId"]));
  if (!run) {
    backend.blame(call, "unknown-run", String(body["runId"]));
    return failed(500, "Failed to finish agent run");
  }
  if (run.finish) {
    backend.blame(call, "finished-twice", run.id);
    return ok({ success: true });
  }
  const status = finishStatus(body["status"]);
  run.status = status;
  run.finish = {
    at: backend.clock.now(),
    status,
    totalSteps: Number(body["totalSteps"]),
    directCredits: Number(body["directCredits"]),
    totalCredits: Number(body["totalCredits"]),
    errorMessage: errorOf(body),
  };
  const batch = Array.isArray(body["steps"]) ? body["steps"].filter(isDict) : [];
  run.steps.push(...batch.map((step) => stepOf(String(step["id"]), step)));
  return ok({ success: true });
}

type Read = { readonly reply: Reply } | { readonly user: BackendUser; readonly body: Dict };

/** The user and the body that these endpoints need, or why not. An unknown key is 404 here. */
function readBody({ key, user, json }: Call): Read {
  if (key === undefined) return { reply: failed(401, "Missing or invalid Authorization header") };
  if (!user) return { reply: failed(404, "Invalid API key or user not found") };
  if (!json.valid) return { reply: failed(400, "Invalid JSON in request body") };
  return { user, body: isDict(json.value) ? json.value : {} };
}

function refused(call: Call, details: Readonly<Record<string, string>>, backend: Backend): Reply {
  for (const [name, problem] of Object.entries(details))
    backend.blame(call, "bad-field", `${name} ${problem}`);
  return { status: 400, body: { error: "Invalid request body", details } };
}

function stepOf(id: string, body: Dict): BackendStep {
  return {
    id,
    stepNumber: Number(body["stepNumber"]),
    credits: Number(body["credits"]),
    childRunIds: textsOf(body["childRunIds"]),
    messageId: typeof body["messageId"] === "string" ? body["messageId"] : null,
    status: stepStatus(body["status"]),
    startTime: String(body["startTime"]),
    errorMessage: errorOf(body),
  };
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function errorOf({ errorMessage }: Dict): string | undefined {
  return typeof errorMessage === "string" ? errorMessage : undefined;
}

function finishStatus(status: unknown): BackendFinish["status"] {
  return status === "failed" || status === "cancelled" ? status : "completed";
}

function stepStatus(status: unknown): BackendStep["status"] {
  return status === "running" || status === "skipped" ? status : "completed";
}
