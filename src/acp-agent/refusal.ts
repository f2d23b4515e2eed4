// `AcpRefusal`: the error that a request of the client is answered with.
import { fieldsOf } from "../core/checks.ts";
import { isAgentwireError } from "../core/errors.ts";
import { describeError } from "../universal/words/describe-error.ts";
import { isChatStoreError } from "../universal/words/store-error.ts";
import { nameIn } from "./blocks.ts";

/** The error codes of JSON-RPC and ACP that the agent uses. */
export const REFUSAL_CODES = {
  cancelled: -32_800,
  invalid: -32_602,
  unsupported: -32_601,
  failed: -32_603,
  notFound: -32_002,
  signIn: -32_000,
} as const;

/** Clients show the message and often nothing else, so it holds the whole reason. */
export class AcpRefusal extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(reason: keyof typeof REFUSAL_CODES, message: string, data?: unknown) {
    super(message);
    this.code = REFUSAL_CODES[reason];
    this.data = data;
  }
}

export function unknownSession(sessionId: string): AcpRefusal {
  return new AcpRefusal("notFound", "There is no such session. Open a new one.", { sessionId });
}

/** The answer for an error of the app, of a store or of this library. An editor learns no folder of this machine. */
export function asRefusal(error: unknown): AcpRefusal {
  if (error instanceof AcpRefusal) return error;
  if (isChatStoreError(error)) {
    const { title, detail, code } = describeError(error);
    return new AcpRefusal("failed", `${title}: ${detail}`, { code, reason: error.reason ?? null });
  }
  const message = error instanceof Error ? withoutFolders(error) : String(error);
  return new AcpRefusal("failed", message, isAgentwireError(error) ? { code: error.code } : undefined);
}

/** An error of the system names its file by the whole path. The name alone stays. */
function withoutFolders(error: Error): string {
  const { path, dest } = fieldsOf(error);
  return [path, dest].reduce<string>(
    (message, each) => (typeof each === "string" ? message.replaceAll(each, nameIn(each)) : message),
    error.message,
  );
}
