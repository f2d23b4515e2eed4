// The first words about a turn.
import { usualMemories } from "./memories.ts";
import { type CassModel, type CassProvider, spokenName } from "./models.ts";
import type { ProfileName, Settings } from "./profiles.ts";
import type { ReceivedTurn } from "./record.ts";
import type { CassServerFrame } from "./server-frame.ts";

/** The first word about a turn. */
export function firstWord(
  kind: ReceivedTurn["kind"],
  { provider }: CassModel,
  { statusTexts, memories }: Settings,
  profile: ProfileName,
): CassServerFrame {
  switch (kind) {
    case "intro":
      return thinking(statusTexts.intro ?? "Cass is preparing to introduce herself...");
    case "demo":
      return thinking(statusTexts.demo ?? "Cass is thinking...");
    case "chat": {
      if (memories === "none") return thinking(statusTexts.processing ?? "Processing...");
      const retrieving = thinking(statusTexts.retrieving ?? "Retrieving memories...");
      // Local models have no use for them, and behind the relay nobody tells.
      if (profile === "relay" || provider === "local") return retrieving;
      return { ...retrieving, memories: memories === "usual" ? usualMemories(profile) : memories };
    }
  }
}

/** The word about a model that begins to speak. */
export function generating(provider: CassProvider, { statusTexts }: Settings): CassServerFrame {
  return thinking(statusTexts.generating ?? `Generating response (${spokenName(provider)})...`);
}

function thinking(status: string): CassServerFrame {
  return { type: "thinking", status };
}
