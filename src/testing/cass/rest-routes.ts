// REST routes for accounts, models, status, the library of gestures and audio.
import { wav } from "./audio.ts";
import { accepted } from "./backend.ts";
import { type RestHandler, RestRefusal, texts } from "./rest-call.ts";
import * as conversations from "./rest-conversations.ts";
import type { CassRoute } from "./routes.ts";
import { PROVIDERS } from "./store.ts";
import { VOCABULARY } from "./tags.ts";

const EMAIL = /^[^@\s]+@[^@\s]+$/;

const register: RestHandler = ({ body, backend, settings }) => {
  const { email, password, display_name: displayName } = texts(body, "email", "password", "display_name");
  if (!EMAIL.test(email)) {
    const msg = "value is not a valid email address";
    throw new RestRefusal(422, [{ type: "value_error", loc: ["body", "email"], msg, input: email }]);
  }
  const isKnown = [...backend.accounts.values()].some((account) => account.email === email);
  if (isKnown) throw new RestRefusal(400, "Email already registered");
  const { userId } = backend.addAccount({ email, password, displayName });
  return { user_id: userId, ...backend.tokenPair(userId, settings), token_type: "bearer" };
};

const login: RestHandler = ({ body, backend, settings }) => {
  const { email, password } = texts(body, "email", "password");
  const account = [...backend.accounts.values()].find((each) => each.email === email);
  if (!account || account.password !== password || settings.deletedUser)
    throw new RestRefusal(401, "Invalid email or password");
  const { userId } = account;
  return { user_id: userId, ...backend.tokenPair(userId, settings), token_type: "bearer" };
};

const refresh: RestHandler = ({ body, backend, settings }) => {
  const { refresh_token } = texts(body, "refresh_token");
  const reading = backend.tokens.read(refresh_token);
  if (settings.rejectRefresh === 401 || !("userId" in reading))
    throw new RestRefusal(401, "Invalid refresh token");
  if (reading.kind !== "refresh") throw new RestRefusal(401, "Invalid token type");
  if (!backend.accountOf(reading.userId, settings)) throw new RestRefusal(401, "User not found");
  return { ...backend.tokenPair(reading.userId, settings), token_type: "bearer" };
};

const me: RestHandler = ({ token, backend, settings }) => {
  const { localhostBypass, localhostUser } = settings;
  const userId = accepted(token, settings) ?? (localhostBypass ? localhostUser : null);
  if (userId === null) throw new RestRefusal(401, "Not authenticated");
  const account = backend.accountOf(userId, settings);
  // The real server answers with status 200.
  if (!account) return { error: "User not found" };
  const { displayName, email, relationship, createdAt } = account;
  return { user_id: userId, display_name: displayName, email, relationship, created_at: createdAt };
};

const readProvider: RestHandler = ({ backend: { models } }) => {
  const has = (name: (typeof PROVIDERS)[number]): boolean => models.enabled.has(name);
  return {
    current: models.current.provider,
    available: PROVIDERS.filter(has),
    openai_enabled: has("openai"),
    local_enabled: has("local"),
    anthropic_model: models.modelOf("anthropic"),
    openai_model: has("openai") ? models.modelOf("openai") : null,
    local_model: has("local") ? models.modelOf("local") : null,
  };
};

const setProvider: RestHandler = ({ body, backend: { models }, settings }) => {
  const { provider } = texts(body, "provider");
  if (settings.initializing) throw new RestRefusal(500, "Agent client not initialized");
  const known = PROVIDERS.find((name) => name === provider);
  if (!known) throw new RestRefusal(400, `Invalid provider. Must be one of: ${PROVIDERS.join(", ")}`);
  if (!models.enabled.has(known))
    throw new RestRefusal(400, `Provider ${known} is not enabled. Check the server's settings`);
  models.use(known);
  return models.current;
};

const setModel: RestHandler = ({ body, backend: { models } }) => {
  const { model } = texts(body, "model");
  models.choose(model);
  return { status: "success", model };
};

const status: RestHandler = ({ backend, settings }) => ({
  ...{ online: true, sdk_mode: settings.sdkMode, memory_entries: settings.memoryCount },
  ...{ timestamp: backend.time.stamp(), kernel: "cass" },
  ...(backend.profile === "v1" ? {} : { memory_ready: !settings.initializing }),
});

const audio: RestHandler = ({ id, backend }) => {
  if (!backend.audio.has(id)) throw new RestRefusal(404, "Not Found");
  return wav();
};

export const HANDLERS: { readonly [route in CassRoute]: RestHandler } = {
  "POST /auth/register": register,
  "POST /auth/login": login,
  "POST /auth/refresh": refresh,
  "GET /auth/me": me,
  "POST /conversations/new": conversations.create,
  "GET /conversations": conversations.listConversations,
  "GET /conversations/continuous": conversations.continuous,
  "GET /conversations/{id}/messages": conversations.readMessages,
  "GET /conversations/{id}": conversations.read,
  "PUT /conversations/{id}/title": conversations.rename,
  "DELETE /conversations/{id}": conversations.remove,
  "GET /settings/llm-provider": readProvider,
  "POST /settings/llm-provider": setProvider,
  "POST /settings/llm-model": setModel,
  "GET /status": status,
  "GET /gestures/library": () => VOCABULARY,
  "GET /audio/{id}.wav": audio,
};
