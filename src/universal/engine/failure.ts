import type { AnyAgentwireError } from "../../core/errors.ts";
import type { TurnEndMetadata } from "../events.ts";
import type { FailedFacts } from "../mapping.ts";
import type { Session } from "./session.ts";
import type { TurnClose } from "./session-details.ts";

/** What a mapping says of errors. */
interface Failures {
  readonly errorPrefix: string;
  readonly timeoutCancels?: boolean;
  failed?(error: AnyAgentwireError, session: Session): FailedFacts | undefined;
}

/** The end of a turn that has failed. */
export function failureOf(error: AnyAgentwireError, mapping: Failures, session: Session): TurnClose {
  const metadata: TurnEndMetadata = { status: "failed" };
  const { message, retryable } = error;
  switch (error.code) {
    case "closed":
      return { metadata: { status: "cancelled" }, stated: "inferred", reason: "cancelled" };
    case "connection-lost":
    case "context-lost":
      return { metadata, stated: "inferred", reason: "disconnected", error: lostData(error) };
    case "turn-timeout": {
      const details = { kind: error.kind, timeout_ms: error.timeout, ...deliveryOf(error) };
      const data = { message, code: "timeout", details, fatal: false, retryable };
      const cancelled: TurnEndMetadata = { status: "cancelled", stop_reason: "timeout" };
      const ended = mapping.timeoutCancels === true ? cancelled : metadata;
      return { metadata: ended, stated: "inferred", reason: "timeout", error: data };
    }
    default: {
      const facts = factsOf(error, mapping, session);
      const reason = facts?.reason ?? error.code.replaceAll("-", "_");
      const code = facts?.isBare === true ? reason : `${mapping.errorPrefix}.${reason}`;
      const { status } = error.code === "connect-failed" ? error : {};
      const http = status === undefined ? {} : { status };
      const details = orNull({ ...http, ...facts?.details, ...deliveryOf(error) });
      const data = { message, code, details, fatal: false, retryable };
      return {
        metadata: { ...metadata, ...facts?.metadata },
        stated: facts ? (facts.stated ?? "agent") : "inferred",
        reason: "cancelled",
        error: { ...data, ...facts?.data },
        ...(facts?.session ? { session: facts.session } : {}),
        raw: facts?.raw,
      };
    }
  }
}

/** The error of a turn whose link was lost. */
export function lostData(error: AnyAgentwireError): NonNullable<TurnClose["error"]> {
  const { message, code } = error;
  const details = { ...(code === "context-lost" ? { context_lost: true } : {}), ...deliveryOf(error) };
  return { message, code: "connection.lost", details: orNull(details), fatal: false, retryable: true };
}

/** Whether the prompt can have reached the backend: a user interface asks before it sends the prompt again. */
function deliveryOf({ delivery }: AnyAgentwireError): { readonly delivery?: string } {
  return delivery === undefined ? {} : { delivery };
}

function orNull(details: object): object | null {
  return Object.keys(details).length === 0 ? null : details;
}

/** What the mapping knows of an error. The turn ends even if the mapping throws. */
function factsOf(error: AnyAgentwireError, mapping: Failures, session: Session): FailedFacts | undefined {
  try {
    return mapping.failed?.(error, session);
  } catch {
    return undefined; // the error's own code still says what has failed
  }
}
