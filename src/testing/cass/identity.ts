// The user of a connection: tokens, the trust in local clients, and onboarding.
import type { Dict } from "../server/dict.ts";
import { accepted, type CassBackend } from "./backend.ts";
import type { CassMockSettings } from "./profiles.ts";
import type { CassMistake, ReceivedAuth } from "./record.ts";

/** The id of a user other than the client's. */
export const FOREIGN_USER = "00000000-0000-4000-8000-00000000f0e1";

/** Matches text that is correctly URL-encoded. */
const ESCAPED = /^(?:[\w\-.~!'()*]|%[0-9a-f]{2})*$/i;

/** Returns the token in the address (a path with a query, or a full URL), or undefined if there is none. */
function tokenIn(url = ""): string | undefined {
  return new URL(url, "ws://mock.invalid").searchParams.get("token") ?? undefined;
}

/** Returns the user of the token in the address, or null. */
export function userIn(url: string | undefined, { tokens }: CassBackend): string | null {
  const reading = tokens.read(tokenIn(url));
  return "userId" in reading ? reading.userId : null;
}

/** The user of a connection. An `auth` or an onboarding can change it. */
export class Identity {
  readonly #backend: CassBackend;
  /** Whether the address has a token that the server does not accept. */
  readonly isRefused: boolean;
  readonly mistakes: readonly CassMistake[];
  userId: string | null;

  /** @param url the address of the upgrade, if known */
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
    // The server trusts all clients on its own machine. The mock's clients all count as such.
    this.userId = userId ?? (localhostBypass ? localhostUser : null);
  }

  /** Handles the token of an `auth`. */
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

/** Returns why the server refuses an onboarding, or undefined. */
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
