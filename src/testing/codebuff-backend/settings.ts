// The settings, from switches of the start and later ones.
import { checkNames, guessAt, InvalidMockInput } from "../names.ts";
import { changed } from "../server/switches.ts";
import { checkSse } from "./check-sse.ts";
import { FREE_MODE } from "./free-mode.ts";
import { SWITCHES } from "./names.ts";
import type { MockCodebuffBackendSwitches } from "./switches.ts";

/** All switches, decided. */
export type Settings = Required<MockCodebuffBackendSwitches>;

const DEFAULTS: Settings = {
  profile: "march",
  banned: false,
  country: null,
  allowedCountries: ["US"],
  freeModeGate: null,
  retryAfter: 60,
  quota: "none",
  creditFallback: false,
  balance: 1000,
  noRunId: false,
  finishSlowMs: 0,
  tokenCount: 1234,
  agents: {},
  agentsLatestChanges: false,
  webSearch: ({ query }) => `What the web says of ${query}.`,
  docsSearch: ({ libraryTitle }) => `The documentation of ${libraryTitle}.`,
  sse: {},
  openAiCompatible: false,
  strict: true,
};

/** What each of these takes. */
const VALUES = {
  profile: ["march", "july"],
  quota: ["none", "weekly", "session"],
  freeModeGate: Object.keys(FREE_MODE),
} as const;

/** The settings of a server that was given switches. @throws InvalidMockInput for a value that does not exist */
export function settingsOf(switches: MockCodebuffBackendSwitches): Settings {
  checkValues(switches);
  return changed(DEFAULTS, switches);
}

/** The settings with some switches set anew. @throws InvalidMockInput for a switch or a value that does not exist */
export function setAnew(settings: Settings, switches: MockCodebuffBackendSwitches): Settings {
  checkNames(switches, SWITCHES, "switch");
  checkValues(switches);
  return changed(settings, switches);
}

function checkValues(switches: MockCodebuffBackendSwitches): void {
  if (switches.sse) checkSse(switches.sse);
  for (const [name, values] of Object.entries(VALUES)) {
    const value: unknown = Reflect.get(switches, name);
    const isOff = value === null && name === "freeModeGate";
    if (value === undefined || isOff || values.some((one) => one === value)) continue;
    throw new InvalidMockInput(
      `${name} \`${String(value)}\` does not exist.`,
      guessAt(String(value), values),
    );
  }
}
