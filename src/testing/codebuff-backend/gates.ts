// The checks of a chat call: key, credits, free mode, runs.
import { type Dict, isDict } from "../server/dict.ts";
import type { Backend } from "./backend.ts";
import type { Call, HttpReply } from "./call.ts";
import { runIdOf } from "./chat-request.ts";
import type { BackendFreeModeGate, BackendUser } from "./options.ts";
import type { OpenRun } from "./runs.ts";
import { FREE_MODE } from "./settings.ts";

const SUSPENDED =
  "Your account has been suspended due to billing issues. Please contact support@codebuff.com to resolve this.";

interface Admitted {
  readonly user: BackendUser;
  readonly run: OpenRun;
  readonly body: Dict;
}

/** Checks a chat call, in the order of the gates. Returns the admitted call, or the first refusal. */
export function admit(
  { json, key, user }: Call,
  backend: Backend,
): Admitted | { readonly refusal: HttpReply } {
  const { settings } = backend;
  const july = settings.profile === "july";
  if (!json.valid) return refuse(400, { message: "Invalid JSON in request body" });
  if (key === undefined) return refuse(401, { message: "Unauthorized" });
  if (!user) return refuse(401, { message: "Invalid Codebuff API key" });
  if (user.banned ?? settings.banned) return refuse(403, { error: "account_suspended", message: SUSPENDED });

  const body = isDict(json.value) ? json.value : {};
  const metadata = body["codebuff_metadata"];
  const free = isDict(metadata) && metadata["cost_mode"] === "free";
  const country = user.country === undefined ? settings.country : user.country;
  if (free && country !== null && country !== "US")
    return refuse(403, {
      error: "free_mode_unavailable",
      message: "Free mode is not available in your country.",
      ...(july && {
        countryCode: country,
        countryBlockReason: "country_not_allowed",
        ipPrivacySignals: [],
      }),
    });

  const runId = runIdOf(body);
  if (runId === undefined) return refuse(400, { message: "No runId found in request body" });
  const run = backend.runs.of(user.id, runId);
  if (!run) return refuse(400, { message: `runId Not Found: ${runId}` });
  if (run.status !== "running") return refuse(400, { message: `runId Not Running: ${runId}` });

  if (free) {
    const gate = july ? settings.freeModeGate : null;
    return gate === null ? { user, run, body } : freeModeRefusal(gate, settings.retryAfter);
  }
  const quota = user.quota ?? settings.quota;
  if (quota !== "none") return refuse(429, { error: "rate_limit_exceeded", message: quotaText(quota) });
  if (balanceOf(user, backend) <= 0) return refuse(402, { message: creditsText(july) });
  return { user, run, body };
}

/** The credits of a user. */
export function balanceOf(user: BackendUser | undefined, { settings }: Backend): number {
  return user?.balance ?? settings.balance;
}

function refuse(status: number, body: object): { readonly refusal: HttpReply } {
  return { refusal: { status, body } };
}

function freeModeRefusal(gate: BackendFreeModeGate, retryAfter: number): { readonly refusal: HttpReply } {
  const [status, message] = FREE_MODE[gate];
  const headers = gate === "free_mode_rate_limited" ? { "retry-after": String(retryAfter) } : {};
  return { refusal: { status, body: { error: gate, message }, headers } };
}

function quotaText(quota: "weekly" | "session"): string {
  const limit = quota === "weekly" ? "weekly" : "5-hour session";
  const advice = 'Enable "Continue with credits" in the CLI to use a-la-carte credits.';
  return `Subscription ${limit} limit reached. Your limit resets in 2 hours. ${advice}`;
}

function creditsText(july: boolean): string {
  const text = "Out of credits. Please add credits at https://codebuff.com/usage.";
  return july ? text : `${text} Your free credits reset in 3 hours.`;
}
