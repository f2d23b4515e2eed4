// The routes for agent runs and their steps.
import { type Dict, isDict } from "../server/dict.ts";
import { fieldIssues, type ShapeTable } from "../shape.ts";
import type { Backend } from "./backend.ts";
import { type Call, failed, type HttpReply, ok, problemOf } from "./call.ts";
import type { BackendUser } from "./options.ts";
import type { BackendFinish, BackendStep } from "./record.ts";

const STEP =
  "stepNumber:whole credits:amount childRunIds:string[] messageId:string|null status:running|completed|skipped startTime:moment errorMessage?:string";

const SHAPES: ShapeTable = {
  START: "agentId:filled ancestorRunIds?:string[]",
  FINISH:
    "runId:filled status:completed|failed|cancelled totalSteps:whole directCredits:amount totalCredits:amount errorMessage?:string steps?:step[]",
  step: `id:filled ${STEP}`,
};

/** The maximum number of steps in FINISH. */
const MOST_STEPS = 1000;

/** `POST /api/v1/agent-runs`: START and FINISH. */
export function agentRuns(call: Call, backend: Backend): HttpReply {
  const read = readBody(call);
  if ("reply" in read) return read.reply;
  const { user, body } = read;
  const { action } = body;
  if (action !== "START" && action !== "FINISH")
    return refusedBody(call, { action: "must be one of START, FINISH" }, backend);
  const problems = problemsOf(body, SHAPES[action] ?? "");
  if (Array.isArray(body["steps"]) && body["steps"].length > MOST_STEPS)
    problems["steps"] = `must be an array of ${MOST_STEPS} at most`;
  if (Object.keys(problems).length > 0) return refusedBody(call, problems, backend);
  return action === "START" ? start(call, user, body, backend) : finish(call, user, body, backend);
}

/** `POST /api/v1/agent-runs/{runId}/steps`. */
export function steps(call: Call, backend: Backend): HttpReply {
  const read = readBody(call);
  if ("reply" in read) return read.reply;
  const { user, body } = read;
  const problems = problemsOf(body, STEP);
  if (Object.keys(problems).length > 0) return refusedBody(call, problems, backend);
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

function start(call: Call, user: BackendUser, body: Dict, backend: Backend): HttpReply {
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

function finish(call: Call, user: BackendUser, body: Dict, backend: Backend): HttpReply {
  const runId = String(body["runId"]);
  const run = backend.runs.of(user.id, runId);
  if (!run) {
    backend.blame(call, "unknown-run", runId);
    return failed(500, "Failed to finish agent run");
  }
  if (run.finish) {
    backend.blame(call, "finished-twice", run.id);
    return ok({ success: true });
  }
  // The shape of FINISH is already checked.
  run.status = body["status"] as BackendFinish["status"];
  run.finish = {
    at: backend.clock.now(),
    status: run.status,
    totalSteps: Number(body["totalSteps"]),
    directCredits: Number(body["directCredits"]),
    totalCredits: Number(body["totalCredits"]),
    errorMessage: body["errorMessage"] as string | undefined,
  };
  const batch = Array.isArray(body["steps"]) ? body["steps"].filter(isDict) : [];
  run.steps.push(...batch.map((step) => stepOf(String(step["id"]), step)));
  return ok({ success: true });
}

/** Returns the user and the body, or the refusal. These endpoints answer an unknown key with 404. */
function readBody({ key, user, json }: Call): { reply: HttpReply } | { user: BackendUser; body: Dict } {
  if (key === undefined) return { reply: failed(401, "Missing or invalid Authorization header") };
  if (!user) return { reply: failed(404, "Invalid API key or user not found") };
  if (!json.valid) return { reply: failed(400, "Invalid JSON in request body") };
  return { user, body: isDict(json.value) ? json.value : {} };
}

/** Returns the problem of each field. */
function problemsOf(body: Dict, shape: string): Record<string, string> {
  const issues = fieldIssues(body, shape, SHAPES);
  return Object.fromEntries(issues.map((issue) => [String(issue.path[0]), problemOf(issue)]));
}

export function refusedBody(
  call: Call,
  details: Readonly<Record<string, string>>,
  backend: Backend,
): HttpReply {
  for (const [name, problem] of Object.entries(details))
    backend.blame(call, "bad-field", `${name} ${problem}`);
  return { status: 400, body: { error: "Invalid request body", details } };
}

/** A step with validated fields. */
function stepOf(id: string, body: Dict): BackendStep {
  return {
    id,
    stepNumber: Number(body["stepNumber"]),
    credits: Number(body["credits"]),
    childRunIds: textsOf(body["childRunIds"]),
    messageId: body["messageId"] as string | null,
    status: body["status"] as BackendStep["status"],
    startTime: String(body["startTime"]),
    errorMessage: body["errorMessage"] as string | undefined,
  };
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
