// Whom the server takes a connection for: tokens, the trust in this machine, and onboarding.
import type { Dict } from "../server/dict.ts";
import { accepted, type CassBackend } from "./backend.ts";
import type { CassMockSettings } from "./profiles.ts";
import type { CassMistake, ReceivedAuth } from "./record.ts";

/** A user who is not the client. */
export const FOREIGN_USER = "00000000-0000-4000-8000-00000000f0e1";

/** Text that needs no escape, and escapes. */
const ESCAPED = /^(?:[\w\-.~!'()*]|%[0-9a-f]{2})*$/i;

/** The token in an address: path and query, or more; undefined where nobody knows it. */
export function tokenIn(url = ""): string | undefined {
  return new URL(url, "ws://mock.invalid").searchParams.get("token") ?? undefined;
}

/** The user of the token in an address, null for nobody. */
export function userIn(url: string | undefined, { tokens }: CassBackend): string | null {
  const reading = tokens.read(tokenIn(url));
  return "userId" in reading ? reading.userId : null;
}

/** Who the server takes a connection for, and how that changes. */
export class Identity {
  readonly #backend: CassBackend;
  /** Whether a token was given that is ignored. */
  readonly isRefused: boolean;
  readonly mistakes: readonly CassMistake[];
  userId: string | null;

  /** @param url of the upgrade, if it is known */
  constructor(url: string | undefined, backend: CassBackend, settings: CassMockSettings) {
    const reading = backend.tokens.read(tokenIn(url));
    const userId = accepted(reading, settings);
    const { localhostBypass, localhostUser } = settings;
    const raw = /[?&]token=([^&#]*)/.exec(url ?? "")?.[1] ?? "";
    const mistakes: CassMistake[] = [];
    if (!ESCAPED.test(raw)) mistakes.push({ kind: "unescaped-token", detail: "the token in the address" });
    if (reading.kind === "refresh") mistakes.push({ kind: "refresh-token", detail: "the address" });
    this.#backend = backend;
    this.mistakes = mistakes;
    this.isRefused = userId === undefined && reading.kind !== "missing";
    // The server trusts every client of this machine, and here each client is one.
    this.userId = userId ?? (localhostBypass ? localhostUser : null);
  }

  /** Takes the token of an `auth`, or does not. */
  present(token: unknown, settings: CassMockSettings): ReceivedAuth["answer"] {
    const { auth, badAuth } = settings;
    const fixed = {
      unknown: "error",
      silence: "silence",
      error: "auth_error",
      falseSuccess: "auth_success",
    } as const;
    if (auth !== "checked") return fixed[auth];
    const reading = this.#backend.tokens.read(token);
    if (reading.kind === "missing") return "silence";
    const userId = accepted(reading, settings);
    if (userId !== undefined) this.userId = userId;
    const isSomebody = badAuth === "oldIdentity" && this.userId !== null;
    return userId !== undefined || isSomebody ? "auth_success" : "auth_error";
  }
}

/** Why an onboarding is refused. */
export function onboardingProblem(
  kind: "intro" | "demo",
  { user_id: userId, conversation_id: conversationId }: Dict,
  settings: CassMockSettings,
  backend: CassBackend,
): string | undefined {
  const isIntro = kind === "intro";
  if (settings.onboarding === "unknown") return `Unknown message type: onboarding_${kind}`;
  if (!userId && !isIntro) return "Missing user_id for onboarding demo";
  if (isIntro && (!userId || (settings.introWithoutConversation === "error" && !conversationId)))
    return "Missing user_id or conversation_id for onboarding";
  if (isIntro && !backend.accountOf(String(userId), settings)) return "User not found";
  return settings.sdkMode ? undefined : `Agent client not available for onboarding${isIntro ? "" : " demo"}`;
}
