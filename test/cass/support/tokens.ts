/** A token with these claims, which nobody has signed. */
export function jwt(claims: object): string {
  return [{ alg: "HS256", typ: "JWT" }, claims].map(base64url).concat("c2lnbmVk").join(".");
}

/** The same for any text as the payload. */
export function jwtOf(payload: string): string {
  return `eyJhbGciOiJIUzI1NiJ9.${Buffer.from(payload).toString("base64url")}.c2lnbmVk`;
}

function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
