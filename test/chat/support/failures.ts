import { CodebuffCliError, type CodebuffCliFailureKind } from "../../../src/codebuff-cli/errors.ts";
import { type AgentwireError, copyError, type Delivery, TurnError } from "../../../src/core/errors.ts";
import type { ToolCallState } from "../../../src/core/values.ts";

export const turnError = (fields: Partial<ConstructorParameters<typeof TurnError>[0]> = {}): TurnError =>
  new TurnError({ origin: "error", kind: "other", serverMessage: "it broke", ...fields });

export const cli = (kind: CodebuffCliFailureKind): CodebuffCliError =>
  new CodebuffCliError({
    origin: "exit",
    kind,
    serverMessage: "it broke",
    exitCode: 1,
    stderr: { head: [], tail: [], truncated: false, totalLines: 0 },
  });

export function withDelivery<E extends AgentwireError>(error: E, delivery: Delivery): E {
  return Object.assign(copyError(error), { delivery });
}

export function withCall<E extends AgentwireError>(error: E, state: ToolCallState): E {
  const call = { id: "1", name: "write", input: {}, raw: {}, state };
  return Object.assign(copyError(error), { partial: { text: "", toolCalls: [call] } });
}

export interface Row {
  readonly name: string;
  readonly make: () => AgentwireError;
  readonly title: string;
  readonly retry: "safe" | "ask" | "no";
  readonly says?: RegExp;
}

export const NOT_SENT = /Your message was not sent: send it again/;
export const CHECK_FIRST = /may have been carried out: check before you send it again/;
