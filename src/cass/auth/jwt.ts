import { fromBase64, isBase64 } from "../../core/bytes.ts";
import { isObject } from "../../core/checks.ts";

/** What a token says of itself. Nobody has checked its signature: the server does. */
export interface TokenClaims {
  /** `access` or `refresh` in tokens of users; absent in those of administrators. */
  readonly type?: string;
  /** Seconds since 1970. */
  readonly expiresAt?: number;
  /** Whose it is: the claim `sub`, or `user_id` in tokens of administrators. */
  readonly userId?: string;
}

/** Reads a JWT without checking it; `undefined` for a token that is none, whose text means something to its server alone. */
export function readToken(token: string): TokenClaims | undefined {
  const parts = token.split(".");
  const [, payload] = parts;
  if (parts.length !== 3 || payload === undefined) return undefined;
  const claims = readClaims(payload);
  if (!claims) return undefined;
  const { type, exp, sub, user_id } = claims;
  const userId = typeof sub === "string" ? sub : user_id;
  return {
    ...(typeof type === "string" ? { type } : {}),
    ...(typeof exp === "number" ? { expiresAt: exp } : {}),
    ...(typeof userId === "string" ? { userId } : {}),
  };
}

function readClaims(base64url: string): Record<string, unknown> | undefined {
  const unpadded = base64url.replaceAll("-", "+").replaceAll("_", "/");
  const base64 = unpadded.padEnd(Math.ceil(unpadded.length / 4) * 4, "=");
  if (!isBase64(base64)) return undefined; // no JWT
  try {
    const claims: unknown = JSON.parse(new TextDecoder().decode(fromBase64(base64)));
    return isObject(claims) ? claims : undefined;
  } catch {
    return undefined; // no JWT
  }
}
