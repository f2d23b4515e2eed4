// The settings, made from the initial and later switches.
import { checkMockNames, guessAt, InvalidMockInput, type NamesOf } from "../names.ts";
import { changed } from "../server/switches.ts";
import { checkSse, SSE } from "./check-script.ts";
import type {
  BackendFreeModeGate,
  MockCodebuffBackendOptions,
  MockCodebuffBackendSwitches,
} from "./options.ts";

export type BackendSettings = Required<MockCodebuffBackendSwitches>;

const DEFAULTS: BackendSettings = {
  profile: "march",
  banned: false,
  country: null,
  freeModeGate: null,
  retryAfter: 60,
  quota: "none",
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

/** The names of the switches. `agents` accepts any field. */
const SWITCHES: NamesOf<MockCodebuffBackendSwitches> = { ...DEFAULTS, agents: true, sse: SSE };

/** The names of the options except `port`. */
export const BACKEND_OPTIONS: NamesOf<MockCodebuffBackendOptions> = {
  ...SWITCHES,
  answer: true,
  users: true,
  clock: true,
};

/** The status of each July gate. Only the codes are known; the messages are the mock's own. */
export const FREE_MODE: {
  readonly [gate in BackendFreeModeGate]: readonly [status: number, message: string];
} = {
  free_mode_gemini_thinker_required: [403, "Free mode needs the Gemini thinker for this agent."],
  free_mode_invalid_agent_model: [403, "This agent may not use this model in free mode."],
  free_mode_cli_required: [403, "Free mode is only available in the CLI."],
  free_mode_invalid_agent_hierarchy: [403, "This agent may not be spawned in free mode."],
  session_model_mismatch: [409, "The session was opened for another model."],
  session_superseded: [409, "Another session has taken over."],
  session_expired: [410, "The session has expired."],
  waiting_room_required: [428, "Join the waiting room first."],
  waiting_room_queued: [429, "You are in the waiting room."],
  free_mode_rate_limited: [429, "Free mode is rate limited. Try again later."],
};

const VALUES: Readonly<Record<string, readonly string[]>> = {
  profile: ["march", "july"],
  quota: ["none", "weekly", "session"],
  freeModeGate: Object.keys(FREE_MODE),
};

/** Makes the settings from switches. @throws InvalidMockInput for an invalid value */
export function backendSettings(switches: MockCodebuffBackendSwitches): BackendSettings {
  return withValues(DEFAULTS, switches);
}

/** Returns the settings with changed switches. @throws InvalidMockInput for an unknown switch or an invalid value */
export function setAnew(settings: BackendSettings, switches: MockCodebuffBackendSwitches): BackendSettings {
  checkMockNames(switches, SWITCHES, "switch");
  return withValues(settings, switches);
}

function withValues(settings: BackendSettings, switches: MockCodebuffBackendSwitches): BackendSettings {
  if (switches.sse) checkSse(switches.sse);
  for (const [name, values] of Object.entries(VALUES)) {
    const value = String(Reflect.get(switches, name) ?? values[0]);
    if (!values.includes(value))
      throw new InvalidMockInput(`${name} \`${value}\` does not exist.`, guessAt(value, values));
  }
  return changed(settings, switches);
}
