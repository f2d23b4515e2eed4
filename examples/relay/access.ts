import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const COOKIE = "agentwire-relay";

/**
 * The token that lets people in. It is in a file beside the log, which only this user may read: a server that restarts
 * has the same token, and so has another one over the same log.
 */
export function tokenBeside(logFile: string): string {
  const file = `${logFile}.token`;
  try {
    writeFileSync(file, randomBytes(24).toString("base64url"), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  const token = readFileSync(file, "utf8");
  if (token.length !== 32) throw new TypeError(`${file} has no token. Remove the file.`);
  return token;
}

/** The cookie of somebody who is let in. Scripts of the page cannot read it, and other sites cannot use it. */
export function cookieWith(token: string): string {
  return `${COOKIE}=${token}; HttpOnly; SameSite=Lax; Path=/`;
}

/** Whether the header `Cookie` has the token. */
export function isLetIn(cookies: string | null | undefined, token: string): boolean {
  const given = (cookies ?? "").split(/; */).find((each) => each.startsWith(`${COOKIE}=`));
  return given !== undefined && isSame(given.slice(COOKIE.length + 1), token);
}

/** Takes as long for a token that is nearly right as for any other. */
export function isSame(given: string, token: string): boolean {
  const [one, other] = [given, token].map((text) => createHash("sha256").update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}
