// What becomes of the model's rounds in one answer.
import type { CassProvider } from "./models.ts";
import type { ProfileName, Settings } from "./profiles.ts";
import type { Reply } from "./response.ts";
import type { CassTool, CassUsage } from "./script.ts";
import { animationsOf, noticed, type TagReading, textOf } from "./tags.ts";

/** One round of the model: what it said, and what tools it ended in. */
export interface Round {
  readonly text: string;
  readonly usage: CassUsage;
  readonly tools: readonly CassTool[];
}

/** How what is said is read. */
export interface Reader {
  readonly profile: ProfileName;
  readonly provider: CassProvider;
  readonly settings: Settings;
  /** Whether it is said in onboarding, where less is taken out. */
  readonly onboarding: boolean;
}

const USUAL_INPUT = 1_500;
const USUAL_OUTPUT = 150;

/** Tags that servers fail to take out of the text. */
export const LEAKS =
  " <emote:thinking> </gesture:wave> <GESTURE:wave> <memory:leak> <emote:happy:1.> <gesture:wave/>";

/** What becomes of the rounds of a turn. */
export function replyOf(rounds: readonly Round[], toolUses: readonly object[], reader: Reader): Reply {
  const reading = readingOf(reader);
  const texts = rounds.map(({ text }) => text);
  const chosen = chosenText(texts, reader);
  const animations =
    reading === "positions"
      ? animationsOf(chosen, reading)
      : texts.flatMap((text) => animationsOf(text, reading));
  const sum = (of: (usage: CassUsage) => number) => rounds.reduce((total, { usage }) => total + of(usage), 0);
  return {
    text: textOf(chosen, reading),
    raw:
      reader.provider === "anthropic" ? texts.filter((text) => text !== "").join("\n") : (texts.at(-1) ?? ""),
    animations,
    noticed: noticed(chosen, reading),
    toolUses,
    usage: {
      input: sum(({ input_tokens = USUAL_INPUT }) => input_tokens),
      output: sum(({ output_tokens = USUAL_OUTPUT }) => output_tokens),
      cacheRead: sum(({ cache_read_tokens = 0 }) => cache_read_tokens),
    },
  };
}

function chosenText(texts: readonly string[], { profile, provider }: Reader): string {
  if (provider !== "anthropic") return texts.at(-1) ?? "";
  const said = texts.filter((text) => text !== "");
  return profile === "v1" ? said.join("\n\n") : (said.at(-1) ?? "");
}

export function readingOf({ profile, settings, onboarding }: Reader): TagReading {
  if (profile === "documented") return "positions";
  if (!settings.sdkMode) return "legacy";
  if (profile === "v1") return "v1";
  return profile === "relay" || onboarding ? "v2-plain" : "v2";
}
