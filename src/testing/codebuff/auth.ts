// Refuses wrong tokens.
import type { FrameWriter } from "./frames.ts";
import type { AuthOutcome } from "./options.ts";
import type { Settings } from "./profiles.ts";

type Refusal = Exclude<AuthOutcome, "off">;

const BAD_TOKEN =
  "Invalid auth token. You may have been logged out from the web portal. Please log in again.";

/** What is wrong with a token; undefined, if it is good. */
export function refusalOf(authToken: string | null | undefined, { auth }: Settings): Refusal | undefined {
  const outcome = typeof auth === "function" ? auth(authToken ?? undefined) : auth;
  return outcome === "off" ? undefined : outcome;
}

/** The frame that says so to a prompt. */
export function refusalFrame(refusal: Refusal, promptId: string, frames: FrameWriter): string {
  switch (refusal) {
    case "action-error":
      return frames.actionError({ message: BAD_TOKEN });
    case "no-user":
      return frames.promptError(promptId, {
        error: "Missing user or fingerprint ID",
        message: "Please log in to continue.",
      });
    case "no-credits":
      return noCredits("Insufficient credits", "You have no credits left.", promptId, frames);
    case "no-organization-credits":
      return noCredits(
        "Insufficient organization credits",
        "Your organization has no credits left.",
        promptId,
        frames,
      );
  }
}

function noCredits(error: string, message: string, promptId: string, frames: FrameWriter): string {
  return frames.promptError(promptId, { error, message, remainingBalance: 0 });
}
