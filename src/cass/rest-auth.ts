import type { CassTokens } from "./credentials.ts";
import type { Http } from "./http.ts";
import { renewal } from "./rest-shapes.ts";

/** New tokens for a refresh token: what {@link Credentials} are given as `refresh`. */
export async function renew(http: Http, refreshToken: string): Promise<CassTokens> {
  const { access_token: accessToken, refresh_token: next } = await http.call({
    method: "POST",
    path: "auth/refresh",
    body: { refresh_token: refreshToken },
    secrets: [refreshToken],
    repeatable: true, // the old one stays valid
    shape: renewal,
  });
  return { accessToken, refreshToken: next ?? refreshToken };
}
