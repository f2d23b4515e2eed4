// REST routes for models, status, the library of gestures and audio.
import { wav } from "./audio.ts";
import { PROVIDERS } from "./models.ts";
import { ok, Refusal, type RestHandler, texts } from "./rest-call.ts";
import { VOCABULARY } from "./tags.ts";

export const readProvider: RestHandler = ({ backend: { models } }) =>
  ok({
    current: models.current.provider,
    available: PROVIDERS.filter((name) => models.enabled.has(name)),
    openai_enabled: models.enabled.has("openai"),
    local_enabled: models.enabled.has("local"),
    anthropic_model: models.modelOf("anthropic"),
    openai_model: models.enabled.has("openai") ? models.modelOf("openai") : null,
    local_model: models.enabled.has("local") ? models.modelOf("local") : null,
  });

export const setProvider: RestHandler = ({ body, backend: { models }, settings }) => {
  const { provider } = texts(body, "provider");
  if (settings.initializing) throw new Refusal(500, "Agent client not initialized");
  const known = PROVIDERS.find((name) => name === provider);
  if (!known) throw new Refusal(400, `Invalid provider. Must be one of: ${PROVIDERS.join(", ")}`);
  if (!models.enabled.has(known))
    throw new Refusal(400, `Provider ${known} is not enabled. Check the server's settings`);
  models.use(known);
  return ok(models.current);
};

export const setModel: RestHandler = ({ body, backend: { models } }) => {
  const { model } = texts(body, "model");
  models.choose(model);
  return ok({ status: "success", model });
};

export const status: RestHandler = ({ backend, settings }) =>
  ok({
    online: true,
    sdk_mode: settings.sdkMode,
    memory_entries: settings.memoryCount,
    timestamp: backend.time.stamp(),
    kernel: "cass",
    ...(backend.profile === "v1" ? {} : { memory_ready: !settings.initializing }),
  });

export const library: RestHandler = () => ok(VOCABULARY);

export const audio: RestHandler = ({ id, backend }) => {
  if (!backend.hasAudio(id)) throw new Refusal(404, "Not Found");
  return { status: 200, body: undefined, bytes: { type: "audio/wav", data: wav() } };
};
