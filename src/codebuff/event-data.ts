// Failures and the account's balance as data of universal events.
import type { CodebuffTurnError } from "./errors.ts";
import type { UsageResponse } from "./extensions.ts";
import type { ActionError, InitResponse, PromptError } from "./messages.ts";

// The data of universal events, from messages and errors of this protocol.

/** The reason of a failed prompt, as a part of the code of its error. `stated`: who says so, if no message does. */
export interface FailureFacts {
  readonly reason: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly stated?: "inferred";
}

export function failureFacts({
  origin,
  kind,
  status,
  serverError,
  balance,
}: CodebuffTurnError): FailureFacts {
  switch (origin) {
    case "action":
      return { reason: kind.replaceAll("-", "_"), details: detailsOf(serverError, balance) };
    case "stream":
      return { reason: "stream_error", details: { kind, ...(status === undefined ? {} : { status }) } };
    case "output":
      return { reason: "run_error" };
    case "silent-end":
      return { reason: "silent_end", stated: "inferred" };
    default:
      return origin satisfies never;
  }
}

/** An error of the server that ends nothing. */
export function serverFailure({ message, error, remainingBalance }: PromptError | ActionError) {
  return { message, details: detailsOf(error, remainingBalance), fatal: false };
}

function detailsOf(
  error: string | null | undefined,
  balance: number | null | undefined,
): Readonly<Record<string, unknown>> {
  return { error: error ?? null, remaining_balance: balance == null ? null : finite(balance) };
}

/** The account, as the server reports it. */
export function balanceData(account: InitResponse | UsageResponse): object {
  const { usage, remainingBalance, balanceBreakdown, next_quota_reset } = account;
  return {
    usage: finite(usage),
    remaining_balance: finite(remainingBalance),
    ...(balanceBreakdown == null ? {} : { balance_breakdown: balanceBreakdown }),
    ...(next_quota_reset == null ? {} : { next_quota_reset }),
  };
}

/** The published proxy sends `Infinity`, which JSON cannot express. */
function finite(amount: number): number | null {
  return Number.isFinite(amount) ? amount : null;
}
