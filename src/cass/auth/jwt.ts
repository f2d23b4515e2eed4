// Reads what a token says of itself, without checking its signature.
import { fromBase64, isBase64 } from "../../core/bytes.ts";
import { isObject } from "../../core/checks.ts";

/** The claims of a token. The client does not check the signature; the server does. */
export interface TokenClaims {
  /** `access` or `refresh` in users' tokens; absent in administrators' tokens. */
  readonly type?: string;
  /** Seconds since 1970. */
  readonly expiresAt?: number;
  /** The claim `sub`; in administrators' tokens `user_id`. */
  readonly userId?: string;
}

/** Reads a JWT without checking it; `undefined` for any other form of token, which only its server can read. */
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
    return undefined; // not a JWT
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
