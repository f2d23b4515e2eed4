// The route that tells a user about the account.
import type { Backend } from "./backend.ts";
import { type Call, failed, ok, type Reply } from "./call.ts";
import type { BackendUser } from "./user.ts";

const FIELDS = [
  "id",
  "email",
  "discord_id",
  "referral_code",
  "stripe_customer_id",
  "banned",
  "referral_link",
] as const;

/** `GET /api/v1/me?fields=...`: exactly the requested fields; `id` alone where none are requested. */
export function me({ key, user, query }: Call, backend: Backend): Reply {
  if (key === undefined) return failed(401, "Missing or invalid Authorization header");
  if (!user) return failed(401, "Invalid API key or user not found");
  const names = (query.get("fields") ?? "id").split(",").map((name) => name.trim());
  const invalid = names.filter((name) => !FIELDS.some((field) => field === name));
  if (invalid.length > 0)
    return failed(400, `Invalid fields: ${invalid.join(", ")}. Valid fields are: ${FIELDS.join(", ")}`);
  const all = fieldsOf(user, backend);
  return ok(Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name))));
}

function fieldsOf(
  user: BackendUser,
  { settings }: Backend,
): { readonly [field in (typeof FIELDS)[number]]: unknown } {
  return {
    id: user.id,
    email: user.email,
    discord_id: user.discordId,
    referral_code: user.referralCode,
    stripe_customer_id: user.stripeCustomerId,
    banned: user.banned ?? settings.banned,
    referral_link: user.referralLink,
  };
}
