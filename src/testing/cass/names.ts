// The names of the mock's switches and options, to refuse wrong ones.
import type { NamesOf } from "../names.ts";
import type { MockCassOptions } from "./options.ts";
import { settingsOf } from "./profiles.ts";
import type { CassRoute } from "./routes.ts";
import type { CassDeath, CassStatusTexts, MockCassSwitches } from "./switches.ts";

const TEXTS: NamesOf<CassStatusTexts> = {
  retrieving: true,
  processing: true,
  generating: true,
  tools: true,
  intro: true,
  demo: true,
};
const DEATH: NamesOf<CassDeath> = { at: true, by: true };
const ROUTES: { readonly [Route in CassRoute]: true } = {
  "POST /auth/register": true,
  "POST /auth/login": true,
  "POST /auth/refresh": true,
  "GET /auth/me": true,
  "POST /conversations/new": true,
  "GET /conversations": true,
  "GET /conversations/continuous": true,
  "GET /conversations/{id}": true,
  "GET /conversations/{id}/messages": true,
  "PUT /conversations/{id}/title": true,
  "DELETE /conversations/{id}": true,
  "GET /settings/llm-provider": true,
  "POST /settings/llm-provider": true,
  "POST /settings/llm-model": true,
  "GET /status": true,
  "GET /gestures/library": true,
  "GET /audio/{id}.wav": true,
};

/** The switches of the mock. */
export const SWITCHES: NamesOf<MockCassSwitches> = {
  ...settingsOf({}),
  statusTexts: TEXTS,
  death: DEATH,
  restStatus: ROUTES,
};

/** Its options, without a port. */
export const OPTIONS: NamesOf<MockCassOptions> = {
  ...SWITCHES,
  profile: true,
  answer: true,
  perConnection: true,
  basePath: true,
  clock: true,
  epoch: true,
  utcOffset: true,
  id: true,
  secret: true,
  token: true,
  provider: true,
  providers: true,
  models: { anthropic: true, openai: true, local: true },
};
