// The names of the mock's switches and options, to refuse wrong ones.
import type { NamesOf } from "../names.ts";
import type { MockCodeyOptions, MockCodeySwitches } from "./options.ts";
import { settingsOf } from "./profiles.ts";

/** The switches of the mock. */
export const SWITCHES: NamesOf<MockCodeySwitches> = {
  ...settingsOf({}),
  dropAt: { after: true, code: true },
};

/** Its options, without a port. */
export const OPTIONS: NamesOf<MockCodeyOptions> = {
  ...SWITCHES,
  profile: true,
  clock: true,
  answer: true,
  seed: true,
  sessionId: true,
  callId: true,
  tools: true,
};
