// Issues and checks tokens.
import { type Dict, isDict } from "../server/dict.ts";
import type { ServerTime } from "./server-time.ts";

/** The claims of a token. Users' tokens have `sub` and `type`, administrators' tokens have the others. */
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

/** The result of checking a token. */
export type TokenReading =
  | { readonly kind: "access" | "refresh" | "admin"; readonly userId: string }
  | { readonly kind: "missing" | "invalid" };

const ADMIN_LIFETIME = 86_400;
const HEADER = base64url('{"alg": "HS256", "typ": "JWT"}');

/** The tokens of one server. Signatures are checksums that only the mock can check. */
export class Tokens {
  readonly #secret: string;
  readonly #time: ServerTime;
  readonly #write: (claims: CassClaims) => string;
  /** The claims of tokens made by `write`, whose text does not contain them. */
  readonly #opaque = new Map<string, CassClaims>();

  /** @param write returns the text of a token; a JWT by default */
  constructor(secret: string, time: ServerTime, write: ((claims: CassClaims) => string) | undefined) {
    this.#secret = secret;
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

  issueAdmin(user_id: string, display_name: string, lifetime = ADMIN_LIFETIME): string {
    const iat = this.#now;
    return this.#write({ user_id, display_name, is_admin: true, exp: iat + lifetime, iat });
  }

  /** Checks a token without its account: a token stays valid when its user is deleted. */
  read(token: unknown): TokenReading {
    if (token === undefined || token === null || token === "") return { kind: "missing" };
    if (typeof token !== "string") return { kind: "invalid" };
    const claims = this.#opaque.get(token) ?? this.#verified(token);
    const exp = claims?.["exp"];
    if (!claims || typeof exp !== "number" || exp <= this.#time.seconds) return { kind: "invalid" };
    const { sub, type = "access", user_id } = claims;
    if (typeof sub === "string" && (type === "access" || type === "refresh"))
      return { kind: type, userId: sub };
    return typeof user_id === "string" ? { kind: "admin", userId: user_id } : { kind: "invalid" };
  }

  /** Whole seconds: two tokens of the same second are equal. */
  get #now(): number {
    return Math.floor(this.#time.seconds);
  }

  #signed(claims: CassClaims): string {
    const signed = `${HEADER}.${base64url(JSON.stringify(claims))}`;
    return `${signed}.${this.#signature(signed)}`;
  }

  #verified(token: string): Dict | undefined {
    const [, signed = "", payload = "", signature] = /^([^.]+\.([^.]+))\.([^.]+)$/.exec(token) ?? [];
    if (signature === undefined || signature !== this.#signature(signed)) return undefined;
    const binary = atob(payload.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isDict(claims) ? claims : undefined;
  }

  /** FNV-1a of four salted texts. As long as a real signature. */
  #signature(signed: string): string {
    const hashes = ["a", "b", "c", "d"].map((salt) => {
      let hash = 0xcbf29ce484222325n;
      for (const character of `${salt}${this.#secret}.${signed}`)
        hash = BigInt.asUintN(64, (hash ^ BigInt(character.codePointAt(0) ?? 0)) * 0x100000001b3n);
      return hash.toString(36);
    });
    return hashes.join("-");
  }
}

function base64url(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
