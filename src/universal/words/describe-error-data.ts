// Describes an `error` event in words for the user.
import { isObject } from "../../core/checks.ts";
import type { ErrorData } from "../../universal/events.ts";
import {
  asText,
  deliveryOf,
  type ErrorFacts,
  isErrorCode,
  numberOf,
  withoutHint,
  wordsOfCode,
} from "./describe-error.ts";
import { describeAs, type ErrorDescription, type ErrorWords, quoting } from "./error-description.ts";
import { WORDS, wordsOfKind, wordsOfReason, wordsOfStatus } from "./error-words.ts";

/**
 * Describes an `error` event in words for the user. Never throws, even for a malformed stored event. A failed turn
 * (with `turn_id`) is `safe` only if `details.delivery` is `not-sent`, or if the server says that the turn has not
 * begun. Other fields do not say whether the prompt was carried out. `describeError`, with the error of the turn, often
 * knows more.
 */
export function describeErrorData(error: ErrorData): ErrorDescription {
  const code = asText(error.code) ?? "unknown";
  const details = isObject(error.details) ? error.details : {};
  const ofTurn = error.turn_id === undefined ? undefined : "unknown";
  const words = wordsOf(code, error, details);
  const delivery = deliveryOf(details["delivery"]) ?? (words === WORDS.starting ? undefined : ofTurn);
  return describeAs(words, code, { delivery });
}

function wordsOf(code: string, error: ErrorData, details: Readonly<Record<string, unknown>>): ErrorWords {
  const reason = code.slice(code.lastIndexOf(".") + 1);
  const status = Number(/^http_(\d{3})$/.exec(reason)?.[1] ?? numberOf(details["status"]));
  const detail = asText(details["error"]) ?? "";
  const balance = numberOf(details["remaining_balance"]);
  const facts = factsOf(reason, error, details);
  const words =
    wordsOfEngine(code, error, details) ??
    wordsOfKind(facts.kind ?? "") ??
    wordsOfReason(detail) ??
    wordsOfHttp(status, facts, error) ??
    (balance !== undefined && balance <= 0 ? WORDS.credits : undefined) ??
    wordsOfReason(reason) ??
    wordsOfReason(facts.kind ?? "") ??
    wordsOfCode(facts) ??
    (error.retryable === true ? WORDS.trouble : WORDS.failed);
  if (facts.kind === "network") return quoting(words, "The reason", withoutHint(facts));
  const isVague = words === WORDS.trouble || words === WORDS.failed || words === WORDS.refused;
  return isVague ? quoting(words, "It says", asText(error.message)) : words;
}

function wordsOfHttp(
  status: number,
  { code, retryAfter }: ErrorFacts,
  error: ErrorData,
): ErrorWords | undefined {
  const words = Number.isNaN(status) ? undefined : wordsOfStatus(status, retryAfter);
  if (!words || code === "connect-failed") return words; // this library wrote that message
  return quoting(words, "It says", asText(error.message));
}

/** The code of an unsent prompt, as `describeError` gives it: `codey.connect_failed` is `connect-failed`. */
export function codeOfUnsent({ code, details }: ErrorData): string {
  if (code === "connection.lost")
    return isObject(details) && details["context_lost"] === true ? "context-lost" : "connection-lost";
  const given = asText(code) ?? "unknown";
  const own = given.slice(given.lastIndexOf(".") + 1).replaceAll("_", "-");
  return isErrorCode(own) ? own : given;
}

function wordsOfEngine(
  code: string,
  error: ErrorData,
  details: Readonly<Record<string, unknown>>,
): ErrorWords | undefined {
  if (code === "connection.lost") {
    if (details["program_ended"] === true) return quoting(WORDS.ended, "The reason", asText(error.message));
    return details["context_lost"] === true ? WORDS.contextLost : WORDS.connectionLost;
  }
  return code === "timeout" && details["kind"] === "total" ? WORDS.tooLong : undefined;
}

/** The facts for this library's codes in events, such as `codebuff.payload-too-large`. */
function factsOf(reason: string, error: ErrorData, details: Readonly<Record<string, unknown>>): ErrorFacts {
  return {
    code: reason.replaceAll("_", "-"),
    message: asText(error.message) ?? "",
    retryable: error.retryable === true,
    hasActed: false,
    reason: asText(details["reason"]),
    kind: asText(details["kind"]),
    serverMessage: asText(error.message),
    status: numberOf(details["status"]),
    retryAfter: numberOf(details["retry_after"] ?? details["retryAfter"]),
  };
}
