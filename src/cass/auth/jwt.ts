import { fromBase64, isBase64 } from "../../core/bytes.ts";
import { isObject } from "../../core/checks.ts";

/** What a token says of itself. The signature is not checked: the server does that. */
export interface TokenClaims {
  /** `access` or `refresh` in tokens of users; absent in those of administrators. */
  readonly type?: string;
  /** Seconds since 1970. */
  readonly expiresAt?: number;
  /** The claim `sub`, or `user_id` in tokens of administrators. */
  readonly userId?: string;
}

/** Reads a JWT without checking it; `undefined` for a token of another form, which only its server can read. */
export function readToken(token: string): TokenClaims | undefined {
  const [, payload, signature, ...rest] = token.split(".");
  if (payload === undefined || signature === undefined || rest.length > 0) return undefined;
  const unpadded = payload.replaceAll("-", "+").replaceAll("_", "/");
  const base64 = unpadded.padEnd(Math.ceil(unpadded.length / 4) * 4, "=");
  if (!isBase64(base64)) return undefined;
  let claims: unknown;
  try {
    claims = JSON.parse(new TextDecoder().decode(fromBase64(base64)));
  } catch {
    return undefined; // no JWT
  }
  if (!isObject(claims)) return undefined;
  const { type, exp, sub, user_id } = claims;
  const userId = typeof sub === "string" ? sub : user_id;
  return {
    ...(typeof type === "string" ? { type } : {}),
    ...(typeof exp === "number" ? { expiresAt: exp } : {}),
    ...(typeof userId === "string" ? { userId } : {}),
  };
}
