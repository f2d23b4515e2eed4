// The table of words for codes, HTTP statuses and kinds of failures.
import { all, ask, type ErrorWords, no, safe, unsent, waitOf } from "./error-description.ts";

const SIGN_IN = "Sign in again, or check the key in the settings.";

/** The failures that several codes share. The first sentence is the title. */
export const WORDS = {
  ...all(no, {
    cannotStart:
      "The agent cannot be started. Something that the agent needs is missing or set up wrong. Check the installation and the settings.",
    signIn: `You are not signed in. The server does not know you, or your sign-in has run out. ${SIGN_IN}`,
    refusedSignIn: `The sign-in was refused. The server did not accept the sign-in. ${SIGN_IN}`,
    otherUser:
      "You are signed in as somebody else. The server takes you for another user. Sign out, and sign in again.",
    forbidden:
      "You may not do this. The server refused access. Ask whoever runs it, or sign in with another account.",
    suspended:
      "Your account is suspended. The server has blocked this account. Contact the support of the service.",
    freeMode:
      "Free mode is not available here. The service offers no free mode to this account. Choose another mode in the settings.",
    freeModeOutdated:
      "Free mode asks for another program. The service keeps free mode for new versions of its own program. Choose another mode in the settings.",
    consent:
      "You must agree to terms first. The service wants your consent before it answers. Agree on its web site, and try again.",
    quota:
      "You have used up your limit. The account has reached a limit that resets after a time. Wait until then, or pay by use.",
    credits:
      "You have run out of credits. The account has nothing left to pay with. Add credits, and try again.",
    misconfigured: "The server is set up wrong. The server cannot use its model. Tell whoever runs it.",
    wrongServer:
      "The server refuses this app. The server does not accept this app, or is another kind of server. Check its address in the settings.",
    stuck:
      "The agent made no progress. The agent repeated a mistake, and was stopped. Rephrase your message, or choose another agent.",
    wrongProgram:
      "The agent's program does not fit. This version of the program cannot be used here. Update it, or choose another one in the settings.",
    noAgent:
      "This agent does not exist. The server does not know the agent that was asked for. Choose another one.",
    wrongAgent:
      "The agent is set up wrong. The agent cannot work as it is defined. Correct its definition, or choose another agent.",
    notStarted:
      "The agent could not be started. The server did not begin the work. Check the key and the address in the settings.",
    refused:
      "The server refused the request. The server did not accept what was sent. Change it, and try again.",
    empty: "The message is empty. There is nothing to send. Write a message first.",
    longHistory:
      "The conversation is too long. The conversation exceeds the limit of the agent. Begin a new conversation.",
    tooLarge:
      "The message is too large. Shorten the message, leave out pictures, or begin a new conversation.",
  }),
  ...all(ask, {
    unknown: "Something went wrong. The app met an error that it does not know.",
    modelFailed:
      "The model has failed. The provider of the model did not answer as it should. If this happens again, choose another model.",
    modelUsedUp:
      "The model is used up for now. The service has no budget left for this model. Choose another model, or try again later.",
    brokenOff: "The answer broke off. The connection to the model ended in the middle of the answer.",
    connectionLost: "The connection was lost. The server or the network ended it.",
    contextLost:
      "The agent has forgotten the conversation. The connection broke off, and what was said before is gone for the agent.",
    silent: "The agent stopped answering. Nothing came from the agent for too long.",
    unread: "The agent did not get your message. The program of the agent began without your message.",
    wordless: "The agent gave no answer. The agent ended without a word.",
    tooLong: "The answer took too long. The agent did not finish in time.",
    stopped: "The answer was stopped. What the agent did before the stop stays done.",
    unconfirmedStop: "The agent may still be working. The agent did not confirm that it has stopped.",
    notSaved:
      "The work could not be saved. The app failed to save the work so far, so the agent was stopped.",
    failed: "The agent could not finish. The agent ended the answer with an error.",
    ended: "The agent ended with an error. The program of the agent ended before the answer was complete.",
    unreadable: "The answer cannot be read. The answer arrived in a form that the app does not understand.",
    driverLost: "The server stopped. The agent may have done a part.",
    deliveryUnknown:
      "It is not known whether the agent got this. The server stopped while it gave your message to the agent.",
    logLost:
      "The chat could not be kept. The server could not write the chat down, so the agent was stopped.",
    closed: "The connection is closed. The app or the agent has ended it.",
  }),
  ...all(unsent, {
    unreachable: "The server cannot be reached. Check your network, and whether the server is running.",
    unanswered: "The server does not answer. The server did not answer in time.",
    queueFull: "Too many messages are waiting. Wait until the earlier messages are answered.",
  }),
  withdrawn: unsent("Your message was taken back. Somebody took it back before the agent got it."),
  starting: unsent("The server is starting. The server is not ready yet.", "in a moment"),
  busy: safe("The server is busy. The server has too much to do, or is being restarted.", "in a minute"),
  tooMany: safe("Too many requests. The server takes no more requests from you for now.", "in a minute"),
  trouble: safe("The server has a problem. The server could not finish the answer.", "in a minute"),
  modelLost: safe("The agent lost its model. The connection between the agent and its model broke off."),
  freeModeWaits: safe(
    "Free mode has no place for you now. The service takes few people at once, or your time is over. Wait, or choose another mode in the settings.",
    "in a few minutes",
  ),
} satisfies Readonly<Record<string, ErrorWords>>;

/** The words for an HTTP status. Undefined for a status that means nothing to a user. */
export function wordsOfStatus(status: number, retryAfter?: number): ErrorWords | undefined {
  if (status === 401) return WORDS.signIn;
  if (status === 402) return WORDS.credits;
  if (status === 403) return WORDS.forbidden;
  if (status === 413) return WORDS.tooLarge;
  if (status === 429) return { ...WORDS.tooMany, wait: waitOf(retryAfter) };
  if (status === 408 || status === 503 || status === 529) return { ...WORDS.busy, wait: waitOf(retryAfter) };
  return status >= 500 && status <= 599 ? { ...WORDS.trouble, wait: waitOf(retryAfter) } : undefined;
}

/** The words for a `kind` that says more than the HTTP status of the error. */
export const wordsOfKind = (kind: string): ErrorWords | undefined => own(KINDS, kind);

const KINDS = {
  account_suspended: WORDS.suspended,
  free_mode_unavailable: WORDS.freeMode,
  session_gate: WORDS.freeModeWaits,
  free_mode_capacity_deferred: WORDS.freeModeWaits,
  update_required: WORDS.freeModeOutdated,
  consent_required: WORDS.consent,
  provider_usage_exhausted: WORDS.modelUsedUp,
  quota_exceeded: WORDS.quota,
} as const satisfies Readonly<Record<string, ErrorWords>>;

/** The words for a protocol's reason: `kind` of a `TurnError`, or the end of a universal code. */
export const wordsOfReason = (reason: string): ErrorWords | undefined => own(REASONS, reason);

function own(table: Readonly<Record<string, ErrorWords>>, name: string): ErrorWords | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Reasons of protocols that need other advice than a general failure. */
const REASONS = {
  ...KINDS,
  // Codebuff
  rate_limit_exceeded: WORDS.tooMany,
  insufficient_credits: WORDS.credits,
  ack_rejected: WORDS.refused,
  server_error: WORDS.trouble,
  "unreadable-response": WORDS.unreadable,
  "unreadable-chunk": WORDS.unreadable,
  // agent runs, and the CLI
  bad_request: WORDS.refused,
  network: { ...WORDS.unreachable, isBeforeSending: undefined }, // a later call of the run may have found no server
  upstream_error: WORDS.modelFailed,
  stream_interrupted: WORDS.brokenOff,
  start_failed: WORDS.notStarted,
  invalid_agent: WORDS.wrongAgent,
  no_progress: WORDS.stuck,
  context_limit: WORDS.longHistory,
  state_not_saved: WORDS.notSaved,
  process_exit: WORDS.ended,
  process_spawn: WORDS.cannotStart,
  run_failed: WORDS.failed,
  no_prompt: WORDS.unread,
  auth: WORDS.signIn,
  payment_required: WORDS.credits,
  forbidden: WORDS.forbidden,
  rate_limited: { ...WORDS.tooMany, retry: "ask" }, // the program may have run tools without naming them
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
  // relays
  "driver-lost": WORDS.driverLost,
  "delivery-unknown": WORDS.deliveryUnknown,
  "log-lost": WORDS.logLost,
  withdrawn: WORDS.withdrawn,
  // all
  timeout: WORDS.silent,
} as const satisfies Readonly<Record<string, ErrorWords>>;
