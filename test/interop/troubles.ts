import type {
  BackendEndpoint,
  BackendFaultOptions,
  BackendSse,
  MockCodebuffBackend,
} from "agentwire/testing";
import type { Job } from "./both.ts";

/** A job in which the server or the network fails, and what a user of each client learns of it. */
export interface Trouble extends Job {
  readonly sdk: Told;
  readonly own: Told;
}

/** What a user learns. */
export interface Told {
  /** `rejected`: the run throws. `output`: the run has an output of type `error`. `none`: it has an answer. */
  readonly failure: "rejected" | "output" | "none";
  /** The first line of the message; of an answer, its last text. */
  readonly says: string;
  /** Of this library. */
  readonly kind?: string;
  readonly status?: number;
  readonly code?: string;
  /** Whether there is a `finish` event. */
  readonly finish: boolean;
  /** Chat calls. */
  readonly chats: number;
  /** s before the further tries, in all calls. */
  readonly waits: readonly number[];
}

const HI = { prompts: ["hi"] };
const FREE = { prompts: ["hi"], costMode: "free" };

const fault = (endpoint: BackendEndpoint, options: BackendFaultOptions) => (backend: MockCodebuffBackend) => {
  backend.fault(endpoint, options);
};

/** The first answer breaks behind its first text; a second one is there for who asks again. */
const firstAnswer = (sse: BackendSse) => () => ({ answer: [{ text: ["Hel", "lo"], sse }, "All of it."] });

// What becomes of a run: with the original client ...

const rejects = (says: string, more: Partial<Told> = {}): Told => ({
  failure: "rejected",
  says,
  finish: false,
  chats: 0,
  waits: [],
  ...more,
});

const ends = (says: string, more: Partial<Told> = {}): Told => ({
  failure: "output",
  says,
  finish: true,
  chats: 1,
  waits: [],
  ...more,
});

// ... with this library ...

const fails = (kind: string, says: string, more: Partial<Told> = {}): Told => ({
  ...ends(says),
  failure: "rejected",
  kind,
  ...more,
});

// ... and with both.

const answers = (says: string, more: Partial<Told> = {}): Told => ({
  ...ends(says),
  failure: "none",
  ...more,
});

export const TROUBLES: readonly Trouble[] = [
  {
    name: "me: 401",
    scenario: HI,
    prepare: fault("me", { status: 401 }),
    sdk: rejects("Authentication failed", { status: 401 }),
    own: fails("auth", "Unauthorized", { status: 401, finish: false, chats: 0 }),
  },
  {
    name: "me: 403",
    scenario: HI,
    prepare: fault("me", { status: 403 }),
    sdk: rejects("Authentication failed", { status: 403 }),
    own: fails("forbidden", "Forbidden", { status: 403, finish: false, chats: 0 }),
  },
  {
    name: "me: 404",
    scenario: HI,
    prepare: fault("me", { status: 404 }),
    sdk: rejects("Authentication failed", { status: 401 }),
    own: fails("auth", "Not Found", { status: 404, finish: false, chats: 0 }),
  },
  {
    name: "me: 400",
    scenario: HI,
    prepare: fault("me", { status: 400 }),
    sdk: rejects("Request failed", { status: 400 }),
    own: fails("bad_request", "Bad Request", { status: 400, finish: false, chats: 0 }),
  },
  {
    name: "me: 503, four times",
    scenario: HI,
    prepare: fault("me", { status: 503 }),
    sdk: rejects("Server error", { status: 503, waits: [1, 2, 4] }),
    own: fails("server", "Service Unavailable", { status: 503, finish: false, chats: 0, waits: [1, 2, 4] }),
  },
  {
    name: "me: 200 without an id",
    scenario: HI,
    prepare: fault("me", { body: { name: "nobody" } }),
    sdk: rejects("Request failed", { status: 200 }),
    own: fails("protocol_error", "GET /api/v1/me?fields=id: the answer has no `id`", {
      finish: false,
      chats: 0,
    }),
  },
  {
    name: "me: the connection is reset, four times",
    scenario: HI,
    prepare: fault("me", { reset: true }),
    sdk: rejects("Network request failed", { status: 503, waits: [1, 2, 4] }),
    own: fails(
      "network",
      "GET /api/v1/me?fields=id: cannot reach <server> (read ECONNRESET); is the server running?",
      { finish: false, chats: 0, waits: [1, 2, 4] },
    ),
  },
  {
    name: "me: the key is unknown",
    scenario: HI,
    isStranger: true,
    sdk: rejects("Authentication failed", { status: 401 }),
    own: fails("auth", "Invalid API key or user not found", { status: 401, finish: false, chats: 0 }),
  },
  {
    name: "START: 401",
    scenario: HI,
    prepare: fault("agent-runs", { status: 401, when: "START" }),
    sdk: ends("Failed to start agent run", { finish: false, chats: 0 }),
    own: fails("auth", "Unauthorized", { status: 401, chats: 0 }),
  },
  {
    name: "START: no runId",
    scenario: HI,
    server: () => ({ noRunId: true }),
    sdk: ends("Failed to start agent run", { finish: false, chats: 0 }),
    own: fails("start_failed", "the server gave the run no `runId`", { chats: 0 }),
  },
  {
    name: "START: 500, once",
    scenario: HI,
    prepare: fault("agent-runs", { status: 500, when: "START", times: 1 }),
    sdk: answers("Hello!", { waits: [1] }),
    own: answers("Hello!", { waits: [1] }),
  },
  {
    name: "chat: 400",
    scenario: HI,
    prepare: fault("chat", { status: 400, body: { message: "No runId found in request body" } }),
    sdk: ends("Agent run error: Bad Request", { status: 400 }),
    own: fails("bad_request", "No runId found in request body", { status: 400, code: "run_missing" }),
  },
  {
    name: "chat: 401",
    scenario: HI,
    prepare: fault("chat", { status: 401, body: { message: "Invalid Codebuff API key" } }),
    sdk: ends("Agent run error: Unauthorized", { status: 401 }),
    own: fails("auth", "Invalid Codebuff API key", { status: 401 }),
  },
  {
    name: "chat: 403, the account is suspended",
    scenario: HI,
    server: () => ({ banned: true }),
    sdk: ends("Agent run error: Forbidden", { status: 403 }),
    own: fails(
      "account_suspended",
      "Your account has been suspended due to billing issues. Please contact support@codebuff.com to resolve this.",
      { status: 403, code: "account_suspended" },
    ),
  },
  {
    name: "chat: 403, no free mode in this country",
    scenario: FREE,
    server: () => ({ country: "XX", profile: "july" }),
    sdk: ends("Agent run error: Forbidden", { status: 403 }),
    own: fails("free_mode_unavailable", "Free mode is not available in your country.", {
      status: 403,
      code: "free_mode_unavailable",
    }),
  },
  {
    name: "chat: 402, no credits",
    scenario: HI,
    server: () => ({ balance: 0 }),
    sdk: ends("Payment Required", { status: 402, finish: false }),
    own: fails(
      "payment_required",
      "Out of credits. Please add credits at https://codebuff.com/usage. Your free credits reset in 3 hours.",
      { status: 402 },
    ),
  },
  {
    name: "chat: 429, the quota is used up",
    scenario: HI,
    server: () => ({ quota: "weekly" }),
    sdk: ends("Agent run error: Failed after 4 attempts. Last error: Too Many Requests", {
      chats: 4,
      waits: [2, 4, 8],
    }),
    own: fails(
      "quota_exceeded",
      'Subscription weekly limit reached. Your limit resets in 2 hours. Enable "Continue with credits" in the CLI to use a-la-carte credits.',
      { status: 429, code: "rate_limit_exceeded" },
    ),
  },
  {
    name: "chat: 429 with Retry-After: 1, once",
    scenario: HI,
    prepare: fault("chat", {
      status: 429,
      body: { message: "slow" },
      headers: { "retry-after": "1" },
      times: 1,
    }),
    sdk: answers("Hello!", { chats: 2, waits: [1] }),
    own: answers("Hello!", { chats: 2, waits: [1] }),
  },
  {
    name: "chat: 428, a waiting room",
    scenario: FREE,
    server: () => ({ profile: "july", freeModeGate: "waiting_room_required" }),
    sdk: ends("Agent run error: Precondition Required", { status: 428 }),
    own: fails("session_gate", "Join the waiting room first.", {
      status: 428,
      code: "waiting_room_required",
    }),
  },
  {
    name: "chat: 500, four times",
    scenario: HI,
    prepare: fault("chat", { status: 500 }),
    sdk: ends("Agent run error: Failed after 4 attempts. Last error: Internal Server Error", {
      chats: 4,
      waits: [2, 4, 8],
    }),
    own: fails("server", "Failed to process request", { status: 500, chats: 4, waits: [1, 2, 4] }),
  },
  {
    name: "chat: 502 with a web page, four times",
    scenario: HI,
    server: () => ({ sse: { html502: true } }),
    sdk: ends("Agent run error: Failed after 4 attempts. Last error: Bad Gateway", {
      chats: 4,
      waits: [2, 4, 8],
    }),
    own: fails("server", "the server answered with status 502", { status: 502, chats: 4, waits: [1, 2, 4] }),
  },
  {
    name: "chat: 503, once",
    scenario: HI,
    prepare: fault("chat", { status: 503, times: 1 }),
    sdk: answers("Hello!", { chats: 2, waits: [2] }),
    own: answers("Hello!", { chats: 2, waits: [1] }),
  },
  {
    name: "chat: the provider refuses with 400",
    scenario: HI,
    server: () => ({ answer: [{ refused: {} }] }),
    sdk: ends("Agent run error: Provider returned error", { status: 400 }),
    own: fails("bad_request", "Provider returned error", { status: 400, code: "invalid_request_error" }),
  },
  {
    name: "chat: 200 with JSON in place of a stream",
    scenario: HI,
    server: () => ({ sse: { asJson: true } }),
    sdk: ends("No response from agent"),
    own: answers("Hello!"),
  },
  {
    name: "chat: the connection breaks in the middle",
    scenario: HI,
    server: firstAnswer({ cutAfter: 2 }),
    sdk: ends("Agent run error: terminated"),
    own: answers("All of it.", { chats: 2 }),
  },
  {
    name: "chat: the connection is reset before the answer, once",
    scenario: HI,
    prepare: fault("chat", { reset: true, times: 1 }),
    sdk: answers("Hello!", { chats: 2, waits: [2] }),
    own: answers("Hello!", { chats: 2, waits: [1] }),
  },
  {
    name: "chat: the answer ends without a finish_reason and [DONE]",
    scenario: HI,
    server: firstAnswer({ endAfter: 2 }),
    sdk: answers("Hel"),
    own: answers("All of it.", { chats: 2 }),
  },
  {
    name: "chat: the provider fails in the stream",
    scenario: HI,
    server: firstAnswer({ errorAfter: 2 }),
    sdk: ends("Agent run error: Provider returned error"),
    own: fails("upstream_error", "Provider returned error", { status: 502 }),
  },
  {
    name: "chat: a chunk is no JSON",
    scenario: HI,
    server: firstAnswer({ badJsonAfter: 2 }),
    sdk: ends(
      'Agent run error: JSON parsing failed: Text: {"id":"gen-broken","choices":[{"index":0,"delta":{"content":"cut.',
    ),
    own: fails("protocol_error", "the model's answer has a message that is no object"),
  },
  {
    name: "steps, FINISH and token-count: 500",
    scenario: HI,
    prepare: (backend) => {
      backend.fault("steps", { status: 500 });
      backend.fault("agent-runs", { status: 500, when: "FINISH" });
      backend.fault("token-count", { status: 500 });
    },
    sdk: answers("Hello!", { waits: [1, 2, 4, 1, 2, 4] }),
    own: answers("Hello!"),
  },
];
