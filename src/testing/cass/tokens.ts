// Issues tokens, and checks those of clients.
import { type Dict, isDict } from "../server/dict.ts";
import { writePythonJson } from "../server/python-json.ts";
import type { ServerTime } from "./server-time.ts";
import { hmacSha256 } from "./sha256.ts";

/** What is in a token of the server. `sub` and `type` in those of users, the others in those of administrators. */
export interface CassClaims {
  readonly sub?: string;
  readonly type?: "access" | "refresh";
  readonly user_id?: string;
  readonly display_name?: string;
  readonly is_admin?: boolean;
  /** Seconds since 1970. */
  readonly exp: number;
  readonly iat?: number;
}

/** What a token turns out to be. */
export type TokenReading =
  | { readonly kind: "access" | "refresh" | "admin"; readonly userId: string }
  | { readonly kind: "missing" | "invalid" };

const ADMIN_LIFETIME = 86_400;
const HEADER = encoded(utf8('{"alg": "HS256", "typ": "JWT"}'));

/** Issues tokens, and tells what those are worth that clients bring. */
export class Tokens {
  readonly #key: Uint8Array;
  readonly #time: ServerTime;
  readonly #write: (claims: CassClaims) => string;
  /** Claims of tokens that are not written as JWTs: nobody can read them out of these. */
  readonly #opaque = new Map<string, CassClaims>();

  /** @param write makes the text of a token; a JWT by default */
  constructor(secret: string, time: ServerTime, write: ((claims: CassClaims) => string) | undefined) {
    this.#key = utf8(secret);
    this.#time = time;
    this.#write = (claims) => {
      if (!write) return this.#signed(claims);
      const token = write(claims);
      this.#opaque.set(token, claims);
      return token;
    };
  }

  /** @param lifetime in seconds */
  issue(userId: string, type: "access" | "refresh", lifetime: number): string {
    return this.#write({ sub: userId, type, exp: this.#now + lifetime });
  }

  issueAdmin(userId: string, displayName: string, lifetime = ADMIN_LIFETIME): string {
    const iat = this.#now;
    return this.#write({
      user_id: userId,
      display_name: displayName,
      is_admin: true,
      exp: iat + lifetime,
      iat,
    });
  }

  /** Looks at no account: a token outlives its user. */
  read(token: unknown): TokenReading {
    if (token === undefined || token === null || token === "") return { kind: "missing" };
    if (typeof token !== "string") return { kind: "invalid" };
    const claims = this.#opaque.get(token) ?? this.#verified(token);
    const exp = claims?.["exp"];
    if (!claims || typeof exp !== "number" || exp <= this.#time.seconds) return { kind: "invalid" };
    const { sub, type = "access", user_id } = claims;
    if (typeof sub === "string" && (type === "access" || type === "refresh"))
      return { kind: type, userId: sub };
    if (typeof user_id === "string") return { kind: "admin", userId: user_id };
    return { kind: "invalid" };
  }

  /** Whole seconds, so that two tokens of one second are the same. */
  get #now(): number {
    return Math.floor(this.#time.seconds);
  }

  #signed(claims: CassClaims): string {
    const signed = `${HEADER}.${encoded(utf8(writePythonJson(claims, "spaced")))}`;
    return `${signed}.${encoded(hmacSha256(this.#key, utf8(signed)))}`;
  }

  #verified(token: string): Dict | undefined {
    const [header, payload, signature, ...rest] = token.split(".");
    if (header === undefined || payload === undefined || rest.length > 0) return undefined;
    if (signature !== encoded(hmacSha256(this.#key, utf8(`${header}.${payload}`)))) return undefined;
    const claims: unknown = JSON.parse(decoded(payload));
    return isDict(claims) ? claims : undefined;
  }
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** base64url. */
function encoded(bytes: Uint8Array): string {
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Of a payload that was signed, so it is what somebody has encoded. */
function decoded(base64url: string): string {
  const binary = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
}
