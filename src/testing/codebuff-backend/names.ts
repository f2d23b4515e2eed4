// The names of options, switches and fields, to refuse wrong ones.
import type { NamesOf } from "../names.ts";
import type { BackendFaultOptions } from "./fault.ts";
import type { MockCodebuffBackendOptions } from "./options.ts";
import type { BackendEndpoint, BackendRequestFilter } from "./record.ts";
import type {
  BackendAnswer,
  BackendMatch,
  BackendRefusal,
  BackendScriptFile,
  BackendToolCall,
  BackendUsage,
} from "./script.ts";
import type { BackendSse, MockCodebuffBackendSwitches } from "./switches.ts";
import type { BackendUser } from "./user.ts";

export const ENDPOINTS: { readonly [endpoint in BackendEndpoint]: true } = {
  healthz: true,
  me: true,
  agents: true,
  "agent-runs": true,
  steps: true,
  "token-count": true,
  chat: true,
  "web-search": true,
  "docs-search": true,
};

const SSE: NamesOf<BackendSse> = {
  chunkBytes: true,
  crlf: true,
  cr: true,
  noConnected: true,
  heartbeatMs: true,
  multiData: true,
  noDone: true,
  noFinish: true,
  noUsage: true,
  usageOnFinish: true,
  noToolIds: true,
  repeatToolIds: true,
  emptyChoices: true,
  extraChoice: true,
  cutAfter: true,
  endAfter: true,
  errorAfter: true,
  badJsonAfter: true,
  stallAfter: true,
  asJson: true,
  html502: true,
  redirect: true,
  gzip: true,
};

/** The switches of the server. */
export const SWITCHES: NamesOf<MockCodebuffBackendSwitches> = {
  profile: true,
  banned: true,
  country: true,
  allowedCountries: true,
  freeModeGate: true,
  retryAfter: true,
  quota: true,
  creditFallback: true,
  balance: true,
  noRunId: true,
  finishSlowMs: true,
  tokenCount: true,
  agents: true,
  agentsLatestChanges: true,
  webSearch: true,
  docsSearch: true,
  sse: SSE,
  openAiCompatible: true,
  strict: true,
};

/** Its options, without a port. */
export const OPTIONS: NamesOf<MockCodebuffBackendOptions> = {
  ...SWITCHES,
  answer: true,
  users: true,
  clock: true,
};

export const USER: NamesOf<BackendUser> = {
  key: true,
  id: true,
  email: true,
  discordId: true,
  referralCode: true,
  referralLink: true,
  stripeCustomerId: true,
  banned: true,
  country: true,
  quota: true,
  creditFallback: true,
  balance: true,
};

export const FAULT: NamesOf<BackendFaultOptions> = {
  status: true,
  body: true,
  raw: true,
  headers: true,
  delayMs: true,
  hang: true,
  reset: true,
  times: true,
  call: true,
  when: true,
};

export const FILTER: NamesOf<BackendRequestFilter> = {
  endpoint: true,
  action: true,
  method: true,
  runId: true,
  userId: true,
  state: true,
  status: true,
};

export const SCRIPT_FILE: NamesOf<BackendScriptFile> = { answers: true, faults: ENDPOINTS };

const MATCH: NamesOf<BackendMatch> = { agentId: true, call: true, model: true };

const USAGE: NamesOf<BackendUsage> = {
  cost: true,
  upstream_inference_cost: true,
  prompt_tokens: true,
  completion_tokens: true,
  cached_tokens: true,
  reasoning_tokens: true,
};

const REFUSED: NamesOf<BackendRefusal> = { status: true, message: true, type: true };

export const ANSWER: NamesOf<BackendAnswer> = {
  match: MATCH,
  reasoning: true,
  text: true,
  toolCalls: true,
  parts: true,
  finish: true,
  usage: USAGE,
  frames: true,
  delayMs: true,
  gapMs: true,
  refused: REFUSED,
  sse: SSE,
};

export const TOOL_CALL: NamesOf<BackendToolCall> = {
  name: true,
  arguments: true,
  rawArguments: true,
  fragments: true,
  id: true,
};

export const PART = { text: true, reasoning: true, toolCall: TOOL_CALL };
