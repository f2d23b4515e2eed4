// Why an onboarding is refused.
import type { Dict } from "../server/dict.ts";
import type { Keeper } from "./keeping.ts";
import type { Settings } from "./profiles.ts";

/** Why an onboarding is not begun: the server says so, or does not survive it. */
export type OnboardingProblem = { readonly says: string } | { readonly dies: string };

export function onboardingProblem(
  kind: "intro" | "demo",
  data: Dict,
  settings: Settings,
  keeper: Keeper,
): OnboardingProblem | undefined {
  const { user_id: userId, conversation_id: conversationId, profile } = data;
  if (settings.onboarding === "unknown") return { says: `Unknown message type: onboarding_${kind}` };
  const needsConversation = kind === "intro" && settings.introWithoutConversation === "error";
  if (!userId || (needsConversation && !conversationId)) {
    const missing =
      kind === "intro"
        ? "Missing user_id or conversation_id for onboarding"
        : "Missing user_id for onboarding demo";
    return { says: missing };
  }
  if (kind === "intro" && !keeper.accountOf(String(userId), settings)) return { says: "User not found" };
  if (!settings.sdkMode)
    return { says: `Agent client not available for onboarding${kind === "demo" ? " demo" : ""}` };
  return kind === "demo" && profile === null ? { dies: "profile is null" } : undefined;
}
