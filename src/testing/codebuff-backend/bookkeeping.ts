// The routes for health, account, token counts, the agent registry and searches.
import { type Dict, isDict } from "../server/dict.ts";
import { refusedBody } from "./agent-runs.ts";
import type { Backend } from "./backend.ts";
import { type Call, failed, type HttpReply, NOT_FOUND, ok } from "./call.ts";
import { balanceOf } from "./gates.ts";

/** The cost of one search, in credits. */
const CREDITS = 1;

/** ms from now until the free credits are renewed. */
const QUOTA_RESET = 3 * 3_600_000;

/** `GET /api/healthz`, without a key. */
export function healthz(_call: Call, backend: Backend): HttpReply {
  const cached = Object.keys(backend.settings.agents).length;
  return ok({ status: "ok", cached_agents: cached, timestamp: backend.stamp() });
}

/** `GET /api/v1/me?fields=...`: exactly the requested fields; only `id` by default. */
export function me({ key, user, query }: Call, backend: Backend): HttpReply {
  if (!user) return stranger(key);
  const all: Dict = {
    id: user.id,
    email: user.email,
    discord_id: user.discordId,
    referral_code: user.referralCode,
    stripe_customer_id: user.stripeCustomerId,
    banned: user.banned ?? backend.settings.banned,
    referral_link: user.referralLink,
  };
  const names = (query.get("fields") ?? "id").split(",").map((name) => name.trim());
  const invalid = names.filter((name) => !Object.hasOwn(all, name));
  const valid = Object.keys(all).join(", ");
  if (invalid.length > 0)
    return failed(400, `Invalid fields: ${invalid.join(", ")}. Valid fields are: ${valid}`);
  return ok(Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name))));
}

/** `POST /api/v1/token-count`. */
export function tokenCount(call: Call, backend: Backend): HttpReply {
  const { tokenCount: count } = backend.settings;
  if (count === "404") return NOT_FOUND;
  const body = bodyFor(call, "messages", Array.isArray, "must be an array", backend);
  if ("reply" in body) return body.reply;
  return ok(count === "bad" ? { tokens: "many" } : { inputTokens: count });
}

/** `GET /api/v1/agents/{publisher}/{agentId}/{version|latest}`. */
export function agents(call: Call, backend: Backend): HttpReply {
  if (!call.user) return stranger(call.key);
  const [publisher, id, version] = call.route.parameters;
  const { agents: registry, agentsLatestChanges } = backend.settings;
  const versions = Object.entries(registry)
    .map(([name, data]) => {
      const [path = "", published = "1.0.0"] = name.split("@");
      const place = path.includes("/") ? path : `codebuff/${path}`;
      return { place, version: published, data };
    })
    .filter(({ place }) => place === `${publisher}/${id}`);
  const found = version === "latest" ? versions.at(-1) : versions.find((entry) => entry.version === version);
  if (!found) return failed(404, "Agent not found");
  const raises = version === "latest" && agentsLatestChanges ? backend.latestFetches++ : 0;
  return ok({
    id,
    version:
      raises === 0
        ? found.version
        : found.version.replace(/(?<!\d)\d+$/, (last) => String(Number(last) + raises)),
    publisherId: publisher,
    data: found.data,
    createdAt: backend.startedAt,
    updatedAt: backend.startedAt,
  });
}

/** `POST /api/v1/web-search`. */
export function webSearch(call: Call, backend: Backend): HttpReply {
  const body = searchFor(call, "query", backend);
  if ("reply" in body) return body.reply;
  const { query, depth } = body.fields;
  const search = { query: String(query), depth: typeof depth === "string" ? depth : "standard" };
  const result = backend.settings.webSearch(search);
  // An empty search result is a success, and costs nothing.
  if (result === null) return ok({ error: `No search results found for "${search.query}"` });
  return ok({ result, creditsUsed: CREDITS });
}

/** `POST /api/v1/docs-search`. */
export function docsSearch(call: Call, backend: Backend): HttpReply {
  const body = searchFor(call, "libraryTitle", backend);
  if ("reply" in body) return body.reply;
  const { libraryTitle, topic, maxTokens } = body.fields;
  const search = {
    libraryTitle: String(libraryTitle),
    topic: typeof topic === "string" ? topic : undefined,
    maxTokens: typeof maxTokens === "number" ? maxTokens : undefined,
  };
  const documentation = backend.settings.docsSearch(search);
  if (documentation === null) return ok({ error: `No documentation found for "${search.libraryTitle}"` });
  return ok({ documentation, creditsUsed: CREDITS });
}

type Body = { readonly reply: HttpReply } | { readonly fields: Dict };

function searchFor(call: Call, name: string, backend: Backend): Body {
  const isFilled = (value: unknown) => typeof value === "string" && value !== "";
  const body = bodyFor(call, name, isFilled, "must be a string that is not empty", backend);
  if ("reply" in body || balanceOf(call.user, backend) > 0) return body;
  const nextQuotaReset = backend.stamp(QUOTA_RESET);
  const refusal = { message: "Insufficient credits", totalRemaining: 0, required: CREDITS, nextQuotaReset };
  return { reply: { status: 402, body: refusal } };
}

/** Returns the body with its one required field, or the refusal. */
function bodyFor(
  call: Call,
  name: string,
  holds: (value: unknown) => boolean,
  problem: string,
  backend: Backend,
): Body {
  if (!call.user) return { reply: stranger(call.key) };
  if (!call.json.valid) return { reply: failed(400, "Invalid JSON in request body") };
  const fields = isDict(call.json.value) ? call.json.value : {};
  if (holds(fields[name])) return { fields };
  return { reply: refusedBody(call, { [name]: problem }, backend) };
}

function stranger(key: string | undefined): HttpReply {
  return failed(
    401,
    key === undefined ? "Missing or invalid Authorization header" : "Invalid API key or user not found",
  );
}
