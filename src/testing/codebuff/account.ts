// The credits and the token of the mock server's user.
import type { FrameWriter } from "./frames.ts";
import type { AccountFigures, PromptErrorFields } from "./messages.ts";
import type { AuthOutcome, CodebuffMockSettings } from "./options.ts";

export class Account {
  readonly #granted: number;
  #used = 0;

  constructor(granted: number) {
    this.#granted = granted;
  }

  charge(credits: number): void {
    this.#used += credits;
  }

  get figures(): AccountFigures {
    const remainingBalance = this.#granted - this.#used;
    return {
      usage: this.#used,
      remainingBalance,
      balanceBreakdown: { free: remainingBalance },
      next_quota_reset: "2025-11-01T00:00:00.000Z",
    };
  }
}

type Refusal = Exclude<AuthOutcome, "off">;

const REFUSALS: { readonly [refusal in Refusal]: PromptErrorFields } = {
  "action-error": {
    message: "Invalid auth token. You may have been logged out from the web portal. Please log in again.",
    error: null,
  },
  "no-user": { error: "Missing user or fingerprint ID", message: "Please log in to continue." },
  "no-credits": { error: "Insufficient credits", message: "You have no credits left.", remainingBalance: 0 },
  "no-organization-credits": {
    error: "Insufficient organization credits",
    message: "Your organization has no credits left.",
    remainingBalance: 0,
  },
};

/** Returns the problem of a token; undefined for a valid one. */
export function tokenRefusal(
  authToken: string | null | undefined,
  { auth }: CodebuffMockSettings,
): Refusal | undefined {
  const outcome = typeof auth === "function" ? auth(authToken ?? undefined) : auth;
  return outcome === "off" ? undefined : outcome;
}

export function refusalFrame(refusal: Refusal, promptId: string, frames: FrameWriter): string {
  const fields = REFUSALS[refusal];
  return refusal === "action-error" ? frames.actionError(fields) : frames.promptError(promptId, fields);
}
