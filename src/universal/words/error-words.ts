import { type Words, waitOf } from "./error-description.ts";

const SIGN_IN = "Sign in again, or check the key in the settings.";

/** The failures that several codes share. */
export const WORDS = {
  unknown: {
    title: "Something went wrong",
    what: "The app met an error that it does not know.",
    retry: "ask",
  },
  unreachable: {
    title: "The server cannot be reached",
    what: "Check your network, and whether the server is running.",
    retry: "safe",
    isBeforeSending: true,
  },
  cannotStart: {
    title: "The agent cannot be started",
    what: "Something that the agent needs is missing or set up wrong. Check the installation and the settings.",
    retry: "no",
  },
  unanswered: {
    title: "The server does not answer",
    what: "The server did not answer in time.",
    retry: "safe",
    isBeforeSending: true,
  },
  busy: {
    title: "The server is busy",
    what: "The server has too much to do, or is being restarted.",
    retry: "safe",
    wait: "in a minute",
  },
  starting: {
    title: "The server is starting",
    what: "The server is not ready yet.",
    retry: "safe",
    wait: "in a moment",
    isBeforeSending: true,
  },
  signIn: {
    title: "You are not signed in",
    what: `The server does not know you, or your sign-in has run out. ${SIGN_IN}`,
    retry: "no",
  },
  refusedSignIn: {
    title: "The sign-in was refused",
    what: `The server did not accept the sign-in. ${SIGN_IN}`,
    retry: "no",
  },
  otherUser: {
    title: "You are signed in as somebody else",
    what: "The server takes you for another user. Sign out, and sign in again.",
    retry: "no",
  },
  forbidden: {
    title: "You may not do this",
    what: "The server refused access. Ask whoever runs it, or sign in with another account.",
    retry: "no",
  },
  suspended: {
    title: "Your account is suspended",
    what: "The server has blocked this account. Contact the support of the service.",
    retry: "no",
  },
  freeMode: {
    title: "Free mode is not available here",
    what: "The service offers no free mode to this account. Choose another mode in the settings.",
    retry: "no",
  },
  freeModeWaits: {
    title: "Free mode has no place for you now",
    what: "The service takes few people at once, or your time is over. Wait, or choose another mode in the settings.",
    retry: "safe",
    wait: "in a few minutes",
  },
  quota: {
    title: "You have used up your limit",
    what: "The account has reached a limit that resets after a time. Wait until then, or pay by use.",
    retry: "no",
  },
  credits: {
    title: "You have run out of credits",
    what: "The account has nothing left to pay with. Add credits, and try again.",
    retry: "no",
  },
  tooMany: {
    title: "Too many requests",
    what: "The server takes no more requests from you for now.",
    retry: "safe",
    wait: "in a minute",
  },
  trouble: {
    title: "The server has a problem",
    what: "The server could not finish the answer.",
    retry: "safe",
    wait: "in a minute",
  },
  modelLost: {
    title: "The agent lost its model",
    what: "The connection between the agent and its model broke off.",
    retry: "safe",
  },
  modelFailed: {
    title: "The model has failed",
    what: "The provider of the model did not answer as it should. If this happens again, choose another model.",
    retry: "ask",
  },
  brokenOff: {
    title: "The answer broke off",
    what: "The connection to the model ended in the middle of the answer.",
    retry: "ask",
  },
  misconfigured: {
    title: "The server is set up wrong",
    what: "The server cannot use its model. Tell whoever runs it.",
    retry: "no",
  },
  wrongServer: {
    title: "The server refuses this app",
    what: "The server does not accept this app, or is another kind of server. Check its address in the settings.",
    retry: "no",
  },
  connectionLost: {
    title: "The connection was lost",
    what: "The connection to the server broke off.",
    retry: "ask",
  },
  contextLost: {
    title: "The agent has forgotten the conversation",
    what: "The connection broke off, and the agent's memory of this conversation is gone. It will not know what was said before.",
    retry: "ask",
  },
  silent: {
    title: "The agent stopped answering",
    what: "Nothing came from the agent for too long.",
    retry: "ask",
  },
  wordless: {
    title: "The agent gave no answer",
    what: "The agent ended without a word.",
    retry: "ask",
  },
  stuck: {
    title: "The agent made no progress",
    what: "The agent repeated a mistake, and was stopped. Say it in another way, or choose another agent.",
    retry: "no",
  },
  tooLong: {
    title: "The answer took too long",
    what: "The agent did not finish in time.",
    retry: "ask",
  },
  stopped: {
    title: "The answer was stopped",
    what: "What the agent did before the stop stays done.",
    retry: "ask",
  },
  unconfirmedStop: {
    title: "The agent may still be working",
    what: "The agent did not confirm that it has stopped.",
    retry: "ask",
  },
  failed: {
    title: "The agent could not finish",
    what: "The agent ended the answer with an error.",
    retry: "ask",
  },
  ended: {
    title: "The agent ended with an error",
    what: "The program of the agent ended before the answer was complete.",
    retry: "ask",
  },
  unreadable: {
    title: "The answer cannot be read",
    what: "The answer arrived in a form that the app does not understand.",
    retry: "ask",
  },
  wrongProgram: {
    title: "The agent's program does not fit",
    what: "This version of the program cannot be used here. Update it, or choose another one in the settings.",
    retry: "no",
  },
  noAgent: {
    title: "This agent does not exist",
    what: "The server does not know the agent that was asked for. Choose another one.",
    retry: "no",
  },
  wrongAgent: {
    title: "The agent is set up wrong",
    what: "The agent cannot work as it is defined. Correct its definition, or choose another agent.",
    retry: "no",
  },
  notStarted: {
    title: "The agent could not be started",
    what: "The server did not begin the work. Check the key and the address in the settings.",
    retry: "no",
  },
  refused: {
    title: "The server refused the request",
    what: "The server did not accept what was sent. Change it, and try again.",
    retry: "no",
  },
  empty: {
    title: "The message is empty",
    what: "There is nothing to send. Write a message first.",
    retry: "no",
  },
  longHistory: {
    title: "The conversation is too long",
    what: "The agent reads no more than it was allowed to. Begin a new conversation.",
    retry: "no",
  },
  tooLarge: {
    title: "The message is too large",
    what: "Shorten the message, leave out pictures, or begin a new conversation.",
    retry: "no",
  },
  queueFull: {
    title: "Too many messages are waiting",
    what: "Wait until the earlier messages are answered.",
    retry: "safe",
    isBeforeSending: true,
  },
  closed: {
    title: "The connection is closed",
    what: "The connection to the agent was closed.",
    retry: "ask",
  },
} as const satisfies Readonly<Record<string, Words>>;

/** The words for an HTTP status; `undefined` for a status that says nothing to a user. */
export function wordsOfStatus(status: number, retryAfter?: number): Words | undefined {
  if (status === 401) return WORDS.signIn;
  if (status === 402) return WORDS.credits;
  if (status === 403) return WORDS.forbidden;
  if (status === 413) return WORDS.tooLarge;
  if (status === 429) return { ...WORDS.tooMany, wait: waitOf(retryAfter) };
  if (status === 408 || status === 503 || status === 529) return { ...WORDS.busy, wait: waitOf(retryAfter) };
  return status >= 500 && status <= 599 ? { ...WORDS.trouble, wait: waitOf(retryAfter) } : undefined;
}

/** The words for a `kind` that says more than the HTTP status of the error. */
export function wordsOfKind(kind: string): Words | undefined {
  return Object.hasOwn(KINDS, kind) ? KINDS[kind as keyof typeof KINDS] : undefined;
}

const KINDS = {
  account_suspended: WORDS.suspended,
  free_mode_unavailable: WORDS.freeMode,
  session_gate: WORDS.freeModeWaits,
  quota_exceeded: WORDS.quota,
} as const satisfies Readonly<Record<string, Words>>;

/** The words for the reason that a protocol names: `kind` of a `TurnError`, or the end of a universal code. */
export function wordsOfReason(reason: string): Words | undefined {
  return Object.hasOwn(REASONS, reason) ? REASONS[reason as keyof typeof REASONS] : undefined;
}

/** The protocols' own words, where the user would do something else than for any failure. */
const REASONS = {
  ...KINDS,
  // Codebuff
  rate_limit_exceeded: WORDS.tooMany,
  insufficient_credits: WORDS.credits,
  ack_rejected: WORDS.refused,
  server_error: WORDS.trouble,
  "unreadable-response": WORDS.unreadable,
  "unreadable-chunk": WORDS.unreadable,
  // the run, and the CLI
  bad_request: WORDS.refused,
  network: { ...WORDS.unreachable, isBeforeSending: undefined }, // a later call of the run may have met nobody
  upstream_error: WORDS.modelFailed,
  stream_interrupted: WORDS.brokenOff,
  start_failed: WORDS.notStarted,
  invalid_agent: WORDS.wrongAgent,
  no_progress: WORDS.stuck,
  context_limit: WORDS.longHistory,
  process_exit: WORDS.ended,
  process_spawn: WORDS.cannotStart,
  run_failed: WORDS.failed,
  no_prompt: WORDS.empty,
  auth: WORDS.signIn,
  payment_required: WORDS.credits,
  forbidden: WORDS.forbidden,
  rate_limited: { ...WORDS.tooMany, retry: "ask" }, // the program may have run tools before, and names none
  server: { ...WORDS.trouble, retry: "ask" },
  agent_not_found: WORDS.noAgent,
  no_response: WORDS.wordless,
  cancelled_by_cli: WORDS.tooLong,
  unsupported_flag: WORDS.wrongProgram,
  protocol_error: WORDS.unreadable,
  stream_ended: WORDS.ended,
  interactive_cli: WORDS.wrongProgram,
  // Codey
  transport: WORDS.modelLost,
  truncated: WORDS.modelLost,
  misconfigured: WORDS.misconfigured,
  server_misconfigured: WORDS.misconfigured,
  unreadable: WORDS.unreadable,
  cancel_unconfirmed: WORDS.unconfirmedStop,
  // Cass
  auth_error: WORDS.refusedSignIn,
  "missing-ids": WORDS.signIn,
  "user-not-found": WORDS.signIn,
  "not-available": WORDS.starting,
  initializing: WORDS.starting,
  "empty-message": WORDS.empty,
  // all
  timeout: WORDS.silent,
} as const satisfies Readonly<Record<string, Words>>;
